/// A scheme, a host and a port: the unit of permission for calls to other servers.
///
/// ```swift
/// WebOrigin("https://api.example.org:443")?.description  // "https://api.example.org"
/// ```
public struct WebOrigin: Hashable, Sendable {
    /// The maximum size of its text in bytes: a prompt shows it whole.
    public static let longest = 120

    /// The protocol.
    public enum Scheme: String, Hashable, Sendable {
        /// Without encryption.
        case http
        /// With TLS.
        case https

        /// The default port.
        public var port: UInt16 { self == .https ? 443 : 80 }
    }

    /// The protocol.
    public let scheme: Scheme
    /// The server's name or address.
    public let host: WebHost
    /// The TCP port.
    public let port: UInt16

    /// - Returns: `nil` when the text would be longer than `longest`.
    init?(_ scheme: Scheme, _ host: WebHost, _ port: UInt16) {
        self.scheme = scheme
        self.host = host
        self.port = port
        guard description.utf8.count <= Self.longest else { return nil }
    }
}

extension WebOrigin: LosslessStringConvertible {
    /// Reads an origin such as `https://api.example.org` or `http://[::1]:8080`; a path, even `/`,
    /// is an error.
    public init?(_ text: String) {
        guard let address = WebAddress(text), address.hasBareOrigin else { return nil }
        self = address.origin
    }

    /// In lower case and without the default port.
    public var description: String {
        "\(scheme.rawValue)://\(host)" + (port == scheme.port ? "" : ":\(port)")
    }
}

/// The host of a URL.
public enum WebHost: Hashable, Sendable {
    /// A name in lower case.
    case name(String)
    /// An IPv4 or IPv6 address.
    case address(IPAddress)

    /// Reads the host part of a URL, an IPv6 address in brackets.
    ///
    /// Names are labels of ASCII letters, digits and inner hyphens; internationalised names are in
    /// their `xn--` form.
    ///
    /// - Returns: `nil` for a name that ends with a dot, or whose last label is a number: some
    ///   parsers read it as an IPv4 address.
    public init?(_ text: some StringProtocol) {
        if text.hasPrefix("[") {
            guard text.hasSuffix("]"), text.contains(":"),
                let address = IPAddress(text.dropFirst().dropLast())
            else { return nil }
            self = .address(address)
            return
        }
        if !text.contains(":"), let address = IPAddress(text) {
            self = .address(address)
            return
        }
        guard (1...253).contains(text.utf8.count) else { return nil }
        let name = text.lowercased()
        let labels = name.utf8.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy(Self.isLabel), let last = labels.last, !Self.isNumber(last) else {
            return nil
        }
        self = .name(name)
    }

    /// Where the host is, judged by the URL alone.
    ///
    /// A name can resolve to an address with another reach.
    public var reach: Reach {
        switch self {
        case .address(let address): address.scope.reach
        case .name("localhost"): .ownMachine
        // The origins of apps on this host.
        case .name(let name) where name.hasSuffix(".localhost"): .forbidden
        case .name(let name) where name.hasSuffix(".local") || name.hasSuffix(".home.arpa"):
            .ownNetwork
        case .name: .internet
        }
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
            && label.allSatisfy { $0.isDigit || $0.isLetter || $0 == hyphen }
    }

    /// Whether some parsers read a name that ends with this label as an IPv4 address.
    private static func isNumber(_ label: Substring.UTF8View) -> Bool {
        if label.allSatisfy(\.isDigit) { return true }
        return label.starts(with: "0x".utf8) && label.dropFirst(2).allSatisfy(\.isHexadecimalDigit)
    }
}

extension WebHost: CustomStringConvertible {
    /// As written in a URL.
    public var description: String {
        switch self {
        case .name(let name): name
        case .address(.v4(let value)): IPAddress.v4(value).description
        case .address(.v6(let value)): "[\(IPAddress.v6(value))]"
        }
    }
}
