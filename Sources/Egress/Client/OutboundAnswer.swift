public import Addresses
public import NIOCore

/// What another server answered, whatever its status.
public struct OutboundAnswer: Sendable {
    public let status: Int
    /// The fields that a caller gets: names in lower case, none that is about the connection, and no
    /// cookies.
    public let fields: [HeaderLine]
    public let body: ByteBuffer
    /// Where it came from in the end.
    public let address: WebAddress
    /// Whether a redirect led there.
    public let isRedirected: Bool
}

/// Which header fields of another server a caller gets.
enum AnswerRules {
    private static let kept: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-connection", "set-cookie", "set-cookie2", "te", "trailer", "transfer-encoding",
        "upgrade",
    ]

    static func handedOn(_ fields: some Sequence<(name: String, value: String)>) -> [HeaderLine] {
        fields.compactMap { name, value in
            let name = name.lowercased()
            guard !kept.contains(name), !name.hasPrefix("nervous-") else { return nil }
            return HeaderLine(name, value)
        }
    }
}
