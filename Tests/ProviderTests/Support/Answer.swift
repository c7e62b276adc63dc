import Auth
import Foundation
import Text

/// A response, read from the bytes of a connection.
struct Answer: Sendable {
    let status: Int
    /// Names in lower case.
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    struct NotHTTP: Error {
        let text: String
    }

    /// Reads one response that ends with the connection.
    ///
    /// - Parameter isHead: whether it answers `HEAD` and so has no body, whatever its
    ///   `Content-Length`.
    init(parsing bytes: [UInt8], isHead: Bool = false) throws {
        let separator = Array("\r\n\r\n".utf8)
        guard let end = bytes.firstRange(of: separator) else {
            throw NotHTTP(text: String(decoding: bytes, as: UTF8.self))
        }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let lines = head.components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw NotHTTP(text: head)
        }
        self.status = status
        headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (
                parts[0].lowercased(),
                parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
            )
        }
        let rest = Array(bytes[end.upperBound...])
        let isChunked = headers.contains { $0.name == "transfer-encoding" && $0.value == "chunked" }
        body = isChunked && !isHead ? try Self.dechunked(rest) : rest
    }

    subscript(name: String) -> String? {
        headers.first { $0.name == name.lowercased() }?.value
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The body, strictly parsed: output of this server must pass its own parser.
    func json() throws -> JSONValue {
        try StrictJSON(maximumBytes: 64 << 20).parse(body)
    }

    /// The `code` of a problem.
    var code: String? { try? json()["code"]?.string }

    private static func dechunked(_ bytes: [UInt8]) throws -> [UInt8] {
        var rest = bytes[...]
        var whole: [UInt8] = []
        while let line = rest.firstRange(of: [13, 10]) {
            let digits = String(decoding: rest[rest.startIndex..<line.lowerBound], as: UTF8.self)
            guard let size = Int(digits, radix: 16) else { throw NotHTTP(text: digits) }
            rest = rest[line.upperBound...]
            if size == 0 { return whole }
            whole += rest.prefix(size)
            rest = rest.dropFirst(size + 2)
        }
        throw NotHTTP(text: "a chunked body without end")
    }
}
