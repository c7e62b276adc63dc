/// The host of a web address: a name in lower case, or an address of the Internet Protocol.
public enum WebHost: Hashable, Sendable {
    case name(String)
    case address(IPAddress)

    /// Reads a host as it stands in a URL, an IPv6 address in brackets.
    ///
    /// Names are labels of ASCII letters, digits and inner hyphens; those of other scripts stand in
    /// their `xn--` form. A name whose last label is a number is none: some programs take it for an
    /// address in another spelling. Neither is one with a dot at its end.
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

    /// Where the host is, as far as what stands in the URL tells.
    ///
    /// A name of the Internet can turn out to be elsewhere when it is looked up.
    public var reach: Reach {
        switch self {
        case .address(let address): address.scope.reach
        case .name("localhost"): .ownMachine
        // The origins of apps of this host.
        case .name(let name) where name.hasSuffix(".localhost"): .nowhere
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

    /// Whether some parser takes a name that ends with it for an IPv4 address.
    private static func isNumber(_ label: Substring.UTF8View) -> Bool {
        if label.allSatisfy(\.isDigit) { return true }
        return label.starts(with: "0x".utf8) && label.dropFirst(2).allSatisfy(\.isHexadecimalDigit)
    }
}

extension WebHost: CustomStringConvertible {
    /// As it stands in a URL.
    public var description: String {
        switch self {
        case .name(let name): name
        case .address(.v4(let value)): IPAddress.v4(value).description
        case .address(.v6(let value)): "[\(IPAddress.v6(value))]"
        }
    }
}
