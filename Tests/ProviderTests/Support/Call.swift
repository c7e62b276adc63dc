import Foundation

/// A request that a test sends as text.
struct Call: Sendable {
    var method: String
    var target: String
    var host: String?
    var token: String?
    var headers: [(String, String)]
    var body: [UInt8]?

    init(
        _ method: String = "GET", _ target: String, token: String? = nil, host: String? = nil,
        headers: [(String, String)] = [], json: String? = nil, body: [UInt8]? = nil
    ) {
        self.method = method
        self.target = target
        self.host = host
        self.token = token
        self.headers = headers
        self.body = body ?? json.map { Array($0.utf8) }
        let hasType = headers.contains { $0.0.lowercased() == "content-type" }
        if json != nil, !hasType { self.headers.append(("Content-Type", "application/json")) }
    }

    /// - Parameter standardHost: the `Host` of calls that specify none.
    func bytes(standardHost: String) -> [UInt8] {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: \(host ?? standardHost)\r\n"
        head += "Connection: close\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + (body ?? [])
    }
}
