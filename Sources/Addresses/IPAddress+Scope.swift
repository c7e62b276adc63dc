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
        _ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, bits: Int, _ reach: Reach, _ name: String
    ) -> AddressRange<UInt32> {
        AddressRange(
            first: [a, b, c, d].reduce(0) { $0 << 8 | UInt32($1) }, length: bits,
            scope: Scope(reach: reach, name: name))
    }

    /// - Parameters:
    ///   - a: the first of the four groups of the network.
    ///   - rest: the other half of the address.
    private static func range6(
        _ a: UInt16, _ b: UInt16 = 0, _ c: UInt16 = 0, _ d: UInt16 = 0, rest: UInt64 = 0, bits: Int,
        _ scope: Scope
    ) -> AddressRange<UInt128> {
        let network = [a, b, c, d].reduce(0) { $0 << 16 | UInt128($1) }
        return AddressRange(first: network << 64 | UInt128(rest), length: bits, scope: scope)
    }

    private static let ranges4 = [
        range4(169, 254, 169, 254, bits: 32, .nowhere, cloud.name),
        range4(169, 254, 170, 2, bits: 32, .nowhere, cloud.name),
        range4(100, 100, 100, 200, bits: 32, .nowhere, cloud.name),
        range4(168, 63, 129, 16, bits: 32, .nowhere, cloud.name),
        range4(0, 0, 0, 0, bits: 8, .nowhere, "an address that stands for none"),
        range4(10, 0, 0, 0, bits: 8, .ownNetwork, "a private address"),
        range4(100, 64, 0, 0, bits: 10, .ownNetwork, "an address shared by a provider's customers"),
        range4(127, 0, 0, 0, bits: 8, .ownMachine, "a loopback address"),
        range4(169, 254, 0, 0, bits: 16, .ownNetwork, "a link-local address"),
        range4(172, 16, 0, 0, bits: 12, .ownNetwork, "a private address"),
        range4(192, 0, 0, 0, bits: 24, .nowhere, "a reserved address"),
        range4(192, 0, 2, 0, bits: 24, .nowhere, "an address for documentation"),
        range4(192, 88, 99, 0, bits: 24, .nowhere, "the address of a relay"),
        range4(192, 168, 0, 0, bits: 16, .ownNetwork, "a private address"),
        range4(198, 18, 0, 0, bits: 15, .nowhere, "an address for benchmarks"),
        range4(198, 51, 100, 0, bits: 24, .nowhere, "an address for documentation"),
        range4(203, 0, 113, 0, bits: 24, .nowhere, "an address for documentation"),
        range4(224, 0, 0, 0, bits: 4, .nowhere, "a multicast address"),
        range4(255, 255, 255, 255, bits: 32, .nowhere, "the broadcast address"),
        range4(240, 0, 0, 0, bits: 4, .nowhere, "a reserved address"),
    ]

    private static let ranges6 = [
        range6(0xFD00, 0xEC2, rest: 0x254, bits: 128, cloud),
        range6(0xFD20, 0xCE, rest: 0x254, bits: 128, cloud),
        range6(0, rest: 0x1, bits: 128, Scope(reach: .ownMachine, name: "a loopback address")),
        range6(0, bits: 128, Scope(reach: .nowhere, name: "an address that stands for none")),
        range6(0, bits: 96, translated),
        range6(0, rest: 0xFFFF_0000_0000, bits: 96, translated),
        range6(0, rest: 0xFFFF_0000_0000_0000, bits: 96, translated),
        range6(0x64, 0xFF9B, bits: 96, translated),
        range6(0x64, 0xFF9B, 0x1, bits: 48, translated),
        range6(0x100, bits: 64, Scope(reach: .nowhere, name: "an address that is thrown away")),
        range6(0x2001, bits: 32, translated),
        range6(0x2001, bits: 23, Scope(reach: .nowhere, name: "a reserved address")),
        range6(
            0x2001, 0xDB8, bits: 32, Scope(reach: .nowhere, name: "an address for documentation")),
        range6(0x2002, bits: 16, translated),
        range6(0x3FFF, bits: 20, Scope(reach: .nowhere, name: "an address for documentation")),
        range6(0xFC00, bits: 7, Scope(reach: .ownNetwork, name: "a private address")),
        range6(0xFE80, bits: 10, Scope(reach: .ownNetwork, name: "a link-local address")),
        range6(0xFEC0, bits: 10, Scope(reach: .nowhere, name: "a site-local address")),
        range6(0xFF00, bits: 8, Scope(reach: .nowhere, name: "a multicast address")),
    ]
}
