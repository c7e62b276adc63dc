extension IPAddress {
    /// What kind of address this is.
    public struct Scope: Hashable, Sendable {
        public let reach: Reach
        /// Such as `a private address`.
        public let name: String
    }

    /// The kind of this address.
    ///
    /// What is not known to be of the Internet is not: IPv6 outside of 2000::/3, forms that hold an
    /// IPv4 address within an IPv6 one, and what the registries keep for special purposes.
    ///
    /// Sources: the IANA registries of special-purpose addresses for IPv4 and IPv6 (RFC 6890), and for
    /// the services of clouds the addresses that their manuals give.
    public var scope: Scope {
        switch self {
        case .v4(let value):
            Self.find(value, in: Self.ranges4) ?? Scope(reach: .internet, name: "public")
        case .v6(let value):
            Self.embedding(value) ?? Self.find(value, in: Self.ranges6)
                ?? (value >> 125 == 1
                    ? Scope(reach: .internet, name: "public")
                    : Scope(reach: .nowhere, name: "a reserved address"))
        }
    }

    /// A range, by its first bits.
    private struct AddressRange<Bits: FixedWidthInteger & Sendable>: Sendable {
        let first: Bits
        let length: Int
        let scope: Scope

        func contains(_ value: Bits) -> Bool {
            (value ^ first) >> (Bits.bitWidth - length) == 0
        }
    }

    private static func find<Bits>(_ value: Bits, in ranges: [AddressRange<Bits>]) -> Scope? {
        ranges.first { $0.contains(value) }?.scope
    }

    /// Interface identifiers of ISATAP (RFC 5214) hold an IPv4 address, in any network.
    private static func embedding(_ value: UInt128) -> Scope? {
        let identifier = value >> 32 & 0xFFFF_FFFF
        return identifier == 0x0000_5EFE || identifier == 0x0200_5EFE ? translated : nil
    }

    private static let translated = Scope(
        reach: .nowhere, name: "an IPv4 address in the form of an IPv6 one")
    private static let cloud = Scope(
        reach: .nowhere, name: "the address of a cloud's metadata service")

    private static func range4(
        _ text: String, _ length: Int, _ reach: Reach, _ name: String
    ) -> AddressRange<UInt32> {
        guard case .v4(let first) = IPAddress(text) else {
            preconditionFailure("not an address: \(text)")
        }
        return AddressRange(first: first, length: length, scope: Scope(reach: reach, name: name))
    }

    private static func range6(
        _ text: String, _ length: Int, _ scope: Scope
    ) -> AddressRange<UInt128> {
        guard case .v6(let first) = IPAddress(text) else {
            preconditionFailure("not an address: \(text)")
        }
        return AddressRange(first: first, length: length, scope: scope)
    }

    private static let ranges4 = [
        range4("169.254.169.254", 32, .nowhere, cloud.name),
        range4("169.254.170.2", 32, .nowhere, cloud.name),
        range4("100.100.100.200", 32, .nowhere, cloud.name),
        range4("168.63.129.16", 32, .nowhere, cloud.name),
        range4("0.0.0.0", 8, .nowhere, "an address that stands for none"),
        range4("10.0.0.0", 8, .ownNetwork, "a private address"),
        range4("100.64.0.0", 10, .ownNetwork, "an address shared by a provider's customers"),
        range4("127.0.0.0", 8, .ownMachine, "a loopback address"),
        range4("169.254.0.0", 16, .ownNetwork, "a link-local address"),
        range4("172.16.0.0", 12, .ownNetwork, "a private address"),
        range4("192.0.0.0", 24, .nowhere, "a reserved address"),
        range4("192.0.2.0", 24, .nowhere, "an address for documentation"),
        range4("192.88.99.0", 24, .nowhere, "the address of a relay"),
        range4("192.168.0.0", 16, .ownNetwork, "a private address"),
        range4("198.18.0.0", 15, .nowhere, "an address for benchmarks"),
        range4("198.51.100.0", 24, .nowhere, "an address for documentation"),
        range4("203.0.113.0", 24, .nowhere, "an address for documentation"),
        range4("224.0.0.0", 4, .nowhere, "a multicast address"),
        range4("255.255.255.255", 32, .nowhere, "the broadcast address"),
        range4("240.0.0.0", 4, .nowhere, "a reserved address"),
    ]

    private static let ranges6 = [
        range6("fd00:ec2::254", 128, cloud),
        range6("fd20:ce::254", 128, cloud),
        range6("::1", 128, Scope(reach: .ownMachine, name: "a loopback address")),
        range6("::", 128, Scope(reach: .nowhere, name: "an address that stands for none")),
        range6("::", 96, translated),
        range6("::ffff:0:0", 96, translated),
        range6("::ffff:0:0:0", 96, translated),
        range6("64:ff9b::", 96, translated),
        range6("64:ff9b:1::", 48, translated),
        range6("100::", 64, Scope(reach: .nowhere, name: "an address that is thrown away")),
        range6("2001::", 32, translated),
        range6("2001::", 23, Scope(reach: .nowhere, name: "a reserved address")),
        range6("2001:db8::", 32, Scope(reach: .nowhere, name: "an address for documentation")),
        range6("2002::", 16, translated),
        range6("3fff::", 20, Scope(reach: .nowhere, name: "an address for documentation")),
        range6("fc00::", 7, Scope(reach: .ownNetwork, name: "a private address")),
        range6("fe80::", 10, Scope(reach: .ownNetwork, name: "a link-local address")),
        range6("fec0::", 10, Scope(reach: .nowhere, name: "a site-local address")),
        range6("ff00::", 8, Scope(reach: .nowhere, name: "a multicast address")),
    ]
}
