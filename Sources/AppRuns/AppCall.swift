import Foundation
import RunnerProtocol

/// A call of an app, as the runner sent it.
struct AppCall: Sendable {
    /// Paths of the API; other paths are files.
    private static let apiPaths = ["/api/", "/nervous-api/", "/nervousnet-api/"]
    /// The maximum number of calls of a batch.
    private static let batchLimit = 100
    private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
    /// The header fields that an app may set; the host sets the others.
    private static let headerNames: Set<String> = [
        "accept", "content-type", "idempotency-key", "if-match", "if-none-match", "last-event-id",
        "nervous-request",
    ]

    let id: UInt32
    let method: String
    let target: String
    let headers: [HeaderField]
    let body: [UInt8]

    /// What is wrong with a call that only a compromised runner can send; `nil` for a valid call.
    var violation: String? {
        // The method is written to the connection unchanged, so it must not contain separators.
        guard method.utf8.count <= 32, method.utf8.allSatisfy(\.isMethodCharacter) else {
            return "invalid method"
        }
        let headerBytes = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard target.utf8.count <= FrameLimits.target, body.count <= FrameLimits.body,
            headerBytes <= FrameLimits.headerBytes
        else { return "call too large" }
        return nil
    }

    /// As how many calls it counts for the budget: a batch counts as the greatest number of calls that its
    /// body has room for.
    var count: Int {
        guard method == "POST" else { return 1 }
        let path = target.prefix { $0 != "?" && $0 != "#" }
        let segments = (path.removingPercentEncoding ?? "").split(separator: "/")
        guard segments.suffix(3) == ["api", "v1", "batch"] else { return 1 }
        // The shortest call is `{"path":"/"},`.
        return min(Self.batchLimit, 1 + body.count / 13)
    }

    /// The ways to answer a call.
    enum Route {
        case api(HostCall)
        /// A file of the app or the host, which is read into memory completely.
        case file(HostCall)
        /// A call to another server.
        case outbound(HostCall)
        /// The call with which the scripts of a test start the app.
        case startsApp
        case rejected(String)
    }

    func route(from origin: OwnOrigin, _ run: RunConfiguration) -> Route {
        guard let path = origin.path(of: target) else {
            return OutboundFetch.request(for: self, host: origin.host, token: run.token)
                .map(Route.outbound)
                ?? .rejected("The URL or a header field has characters other than visible ASCII.")
        }
        guard Self.methods.contains(method) else {
            return .rejected("The host does not support \(method).")
        }
        if path == run.startPath, method == "POST" { return .startsApp }
        let request = request(to: path, host: origin.host, token: run.token)
        return Self.apiPaths.contains(where: path.hasPrefix) ? .api(request) : .file(request)
    }

    /// The request for a path of the app's own origin.
    private func request(to path: String, host: String, token: String) -> HostCall {
        let allowed = headers.compactMap { field -> (name: String, value: String)? in
            let isPlain = field.value.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
            guard Self.headerNames.contains(field.name.lowercased()), isPlain else { return nil }
            return (field.name, field.value)
        }
        return HostCall(
            method: method, target: path, host: host,
            headers: allowed + [("Authorization", "Bearer \(token)")], body: body)
    }
}

extension UInt8 {
    /// Whether the byte may occur in a method: an ASCII letter or a hyphen, a subset of the token characters
    /// of RFC 9110.
    fileprivate var isMethodCharacter: Bool {
        self == UInt8(ascii: "-") || Unicode.Scalar(self).properties.isAlphabetic && self < 0x80
    }
}

/// The frames for a part of a response.
enum ResponseFrames {
    /// Frames that are followed by more frames.
    ///
    /// - Parameter opensStream: whether a stream of events follows, which may never end.
    case some([HostFrame], opensStream: Bool = false)
    /// The last frames.
    case last([HostFrame])
    /// The response cannot be used.
    case invalid

    /// The frames for a response to a call to the app's own origin.
    init(_ part: HostAnswerPart, to id: UInt32) {
        switch part {
        case .whole(let status, let headers, let body):
            self = .last(
                [Self.head(id, status, headers)] + Self.pieces(of: body, id) + [.end(id: id)])
        case .head(let status, let headers):
            self = .some(
                [Self.head(id, status, headers)],
                opensStream: Self.areEvents(headers))
        case .body(let bytes): self = .some(Self.pieces(of: bytes, id))
        case .end: self = .last([.end(id: id)])
        }
    }

    /// The frames of a whole response of status 200.
    static func content(_ bytes: [UInt8], _ id: UInt32) -> [HostFrame] {
        [head(id, 200, [])] + pieces(of: bytes, id) + [.end(id: id)]
    }

    static func pieces(of bytes: [UInt8], _ id: UInt32) -> [HostFrame] {
        stride(from: 0, to: bytes.count, by: FrameLimits.bodyPiece).map { start in
            let end = min(bytes.count, start + FrameLimits.bodyPiece)
            return .body(id: id, bytes: Array(bytes[start..<end]))
        }
    }

    private static func head(
        _ id: UInt32, _ status: UInt16, _ headers: [(name: String, value: String)]
    ) -> HostFrame {
        let fields = headers.prefix(FrameLimits.headers).map { HeaderField($0.name, $0.value) }
        return .response(id: id, status: status, headers: fields)
    }

    /// Whether a response with this header is a stream of events.
    static func areEvents(_ headers: [(name: String, value: String)]) -> Bool {
        headers.contains {
            $0.name.lowercased() == "content-type" && $0.value.hasPrefix("text/event-stream")
        }
    }
}

/// The address under which an app calls its host; the host fetches all other addresses.
struct OwnOrigin {
    private static let scheme = "http://".utf8
    private static let slash = UInt8(ascii: "/")

    /// The `Host` of its calls.
    let host: String

    init(app: String) {
        host = "\(app).localhost"
    }

    /// Path and query of a call to this origin; `nil` for another origin or an invalid address.
    func path(of target: String) -> String? {
        let bytes = target.utf8
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        if bytes.first == Self.slash {
            return bytes.dropFirst().first == Self.slash ? nil : target
        }
        guard bytes.starts(with: Self.scheme) else { return nil }
        let rest = bytes.dropFirst(Self.scheme.count)
        let authority = rest.prefix {
            $0 != Self.slash && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        }
        let name = authority.prefix { $0 != UInt8(ascii: ":") }
        guard name.elementsEqual(host.utf8) else { return nil }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard authority.dropFirst(name.count + 1).allSatisfy(digits.contains) else { return nil }
        let path = rest.dropFirst(authority.count).prefix { $0 != UInt8(ascii: "#") }
        return path.first == Self.slash ? String(Substring(path)) : "/\(Substring(path))"
    }
}
