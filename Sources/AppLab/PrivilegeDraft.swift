import Addresses
package import Auth
import Foundation
import Host
import Text

/// The `privileges` of a `package.json` according to a trial.
///
/// Reasons in the manifest are kept. Where a reason is needed and missing, the draft has an empty one:
/// the package cannot be installed until the author has written it.
package struct PrivilegeDraft {
    /// The lines of the array, including `[` and `]`.
    package let lines: [String]
    /// Privileges that still need a reason.
    package let withoutReason: [String]

    /// - Parameter declared: the privileges that the manifest declares now.
    package init(_ findings: TrialFindings, declared: [Privilege]) throws {
        var entries: [String] = []
        var open: [String] = []
        for need in findings.needs {
            guard let id = PrivilegeID(need.privilege) else { continue }
            let known =
                declared.first { $0.id == id }
                ?? declared.first { $0.id.sensor == id.sensor && id.sensor != nil }
            let reason = known?.reason ?? ""
            if reason.isEmpty, id != .storage { open.append(need.privilege) }
            entries.append(try Self.entry(id, known, reason))
        }
        withoutReason = open
        lines =
            entries.isEmpty
            ? ["[]"]
            : ["["]
                + entries.enumerated().map { index, entry in
                    "  \(entry)\(index == entries.count - 1 ? "" : ",")"
                } + ["]"]
    }

    private static func entry(
        _ id: PrivilegeID, _ known: Privilege?, _ reason: String
    ) throws -> String {
        let shown = try json(reason)
        let access: (String) -> String = { #""access": "\#($0)", "reason": \#(shown)"# }
        switch id {
        case .sensor(let sensor, let kind):
            return #"{ "sensor": "\#(sensor)", \#(access(kind.rawValue)) }"#
        case .server(let origin):
            let server = try json(origin.description)
            let net = #""net": [\#(server)], "reason": \#(shown)"#
            guard case .net(_, let pin?)? = known?.resource else { return "{ \(net) }" }
            return #"{ \#(net), "pin": { \#(server): \#(try json(pin.description)) } }"#
        case .secret(let name, let origin):
            let server = try json(origin.description)
            return #"{ "secret": "\#(name)", "server": \#(server), "reason": \#(shown) }"#
        case .sessions(let kind):
            return #"{ "sessions": "\#(kind.rawValue)", "reason": \#(shown) }"#
        case .health(let type, let kind):
            return #"{ "health": "\#(type)", \#(access(kind.rawValue)) }"#
        case .storage where reason.isEmpty: return #"{ "storage": true }"#
        case .net, .storage, .notify, .identity:
            return #"{ "\#(id)": true, "reason": \#(shown) }"#
        }
    }

    private static func json(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder.sorted.encode(value), as: UTF8.self)
    }

    /// Replaces the privileges of a manifest; everything else is unchanged, including its
    /// formatting.
    ///
    /// - Throws: `CommandFailure` if the manifest is not an object.
    package func replacing(in manifest: [UInt8]) throws -> [UInt8] {
        guard let root = try? StrictJSON(allowsTrailingCommas: true).parse(manifest),
            let members = root.object
        else {
            throw CommandFailure(.badData, "package.json is not an object.", type: "bad-manifest")
        }
        let list = lines.joined(separator: "\n  ")
        if let old = root["privileges"] {
            let start = try Self.offset(of: old.position, in: manifest)
            let end = Self.end(ofValueAt: start, in: manifest)
            return manifest[..<start] + Array(list.utf8) + manifest[end...]
        }
        let start = try Self.offset(of: root.position, in: manifest) + 1
        let comma = members.isEmpty ? "" : ","
        return manifest[..<start] + Array("\n  \"privileges\": \(list)\(comma)".utf8)
            + manifest[start...]
    }

    /// The byte offset of a position, whose columns count scalars.
    private static func offset(of position: JSONPosition, in bytes: [UInt8]) throws -> Int {
        var line = 1
        var start = 0
        while line < position.line, let end = bytes[start...].firstIndex(of: 0x0A) {
            start = end + 1
            line += 1
        }
        let rest = String(decoding: bytes[start...].prefix { $0 != 0x0A }, as: UTF8.self)
        let before = rest.unicodeScalars.prefix(position.column - 1)
        return start + String(String.UnicodeScalarView(before)).utf8.count
    }

    /// The end of a JSON array.
    private static func end(ofValueAt start: Int, in bytes: [UInt8]) -> Int {
        var depth = 0
        var isText = false
        var isEscaped = false
        for index in start..<bytes.count {
            let byte = bytes[index]
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                if depth == 0 { return index + 1 }
            default: break
            }
        }
        return bytes.count
    }
}
