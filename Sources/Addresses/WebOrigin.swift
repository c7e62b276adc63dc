/// A scheme, a host and a port: what a permission to call another server is about.
public struct WebOrigin: Hashable, Sendable {
    /// The most bytes of one as text: it has to be shown whole to be decided about.
    public static let longest = 120

    /// How a server is spoken to.
    public enum Scheme: String, Hashable, Sendable {
        case http, https

        /// The port where none is named.
        public var port: UInt16 { self == .https ? 443 : 80 }
    }

    public let scheme: Scheme
    public let host: WebHost
    public let port: UInt16

    /// - Returns: `nil` where the text would be longer than `longest`.
    init?(_ scheme: Scheme, _ host: WebHost, _ port: UInt16) {
        self.scheme = scheme
        self.host = host
        self.port = port
        guard description.utf8.count <= Self.longest else { return nil }
    }
}

extension WebOrigin: LosslessStringConvertible {
    /// Reads an origin such as `https://api.example.org` or `http://[::1]:8080`, without a path, not
    /// even `/`.
    public init?(_ text: String) {
        guard let address = WebAddress(text), address.hasBareOrigin else { return nil }
        self = address.origin
    }

    /// In lower case and without the port that the scheme has anyway.
    public var description: String {
        "\(scheme.rawValue)://\(host)" + (port == scheme.port ? "" : ":\(port)")
    }
}
