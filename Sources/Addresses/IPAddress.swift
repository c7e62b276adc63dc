/// Where an address or a host name is.
public enum Reach: Hashable, Sendable, CaseIterable {
    /// On the Internet.
    case internet
    /// In the local network.
    case ownNetwork
    /// On this machine.
    case ownMachine
    /// Not allowed for any app: reserved, multicast, documentation, cloud metadata and the like.
    case forbidden
}

/// An IPv4 or IPv6 address.
///
/// ```swift
/// let address = IPAddress("192.168.1.20")
/// address?.scope.reach  // .ownNetwork
/// ```
public enum IPAddress: Hashable, Sendable {
    /// Four bytes, the first in the highest bits.
    case v4(UInt32)
    /// Sixteen bytes, the first in the highest bits.
    case v6(UInt128)

    /// Reads dotted decimal without leading zeros, or the text forms of RFC 4291 without a zone.
    ///
    /// - Returns: `nil` for anything else, such as the octal, hexadecimal and short forms of IPv4.
    public init?(_ text: some StringProtocol) {
        if text.contains(":") {
            guard let value = Self.v6(in: text) else { return nil }
            self = .v6(value)
        } else {
            guard let value = Self.v4(in: text) else { return nil }
            self = .v4(value)
        }
    }

    private static func v4(in text: some StringProtocol) -> UInt32? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var value: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.count), part.allSatisfy(\.isDigit),
                part.count == 1 || part.first != UInt8(ascii: "0"),
                let byte = UInt8(String(decoding: part, as: UTF8.self))
            else { return nil }
            value = value << 8 | UInt32(byte)
        }
        return value
    }

    private static func v6(in text: some StringProtocol) -> UInt128? {
        // The longest valid text has 45 bytes.
        guard text.utf8.count <= 45 else { return nil }
        let text = String(text)
        guard let gap = text.firstRange(of: "::") else {
            return groups(in: text, isEnd: true).flatMap { $0.count == 8 ? joined($0) : nil }
        }
        let (before, after) = (text[..<gap.lowerBound], text[gap.upperBound...])
        guard let head = before.isEmpty ? [] : groups(in: before, isEnd: false),
            let tail = after.isEmpty ? [] : groups(in: after, isEnd: true),
            head.count + tail.count < 8
        else { return nil }
        let zeros = [UInt16](repeating: 0, count: 8 - head.count - tail.count)
        return joined(head + zeros + tail)
    }

    /// - Parameter isEnd: whether the last 32 bits may be written as an IPv4 address.
    private static func groups(in text: some StringProtocol, isEnd: Bool) -> [UInt16]? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if isEnd, index == parts.count - 1, part.contains(".") {
                guard let value = v4(in: part) else { return nil }
                groups += [UInt16(value >> 16), UInt16(value & 0xFFFF)]
                continue
            }
            guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy(\.isHexadecimalDigit),
                let group = UInt16(part, radix: 16)
            else { return nil }
            groups.append(group)
        }
        return groups
    }

    private static func joined(_ groups: [UInt16]) -> UInt128 {
        groups.reduce(0) { $0 << 16 | UInt128($1) }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The canonical form of RFC 5952, without brackets.
    public var description: String {
        switch self {
        case .v4(let value):
            return stride(from: 24, through: 0, by: -8).map { String(value >> $0 & 0xFF) }
                .joined(separator: ".")
        case .v6(let value):
            let groups = stride(from: 112, through: 0, by: -16).map { UInt16(value >> $0 & 0xFFFF) }
            func text(_ part: some Sequence<UInt16>) -> String {
                part.map { String($0, radix: 16) }.joined(separator: ":")
            }
            guard let gap = Self.longestRunOfZeros(groups) else { return text(groups) }
            return text(groups[..<gap.lowerBound]) + "::" + text(groups[gap.upperBound...])
        }
    }

    /// The first of the longest runs of at least two zero groups.
    private static func longestRunOfZeros(_ groups: [UInt16]) -> Range<Int>? {
        var best: Range<Int>?
        var start = 0
        for index in 0...groups.count {
            if index < groups.count, groups[index] == 0 { continue }
            if index - start >= 2, index - start > best?.count ?? 0 { best = start..<index }
            start = index + 1
        }
        return best
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isHexadecimalDigit: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
    }

    var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}

extension IPAddress {
    /// The purpose of an address range.
    public struct Scope: Hashable, Sendable {
        /// Where addresses of the range are.
        public let reach: Reach
        /// A phrase such as `a private address`.
        public let name: String
    }

    /// The scope of this address.
    ///
    /// IPv6 addresses outside of 2000::/3, those that embed an IPv4 address and those reserved by the
    /// registries are not on the Internet.
    ///
    /// Sources: the IANA special-purpose address registries for IPv4 and IPv6 (RFC 6890), and the
    /// manuals of cloud providers for their metadata services.
    public var scope: Scope {
        switch self {
        case .v4(let value):
            Self.find(value, in: Self.ranges4) ?? Scope(reach: .internet, name: "public")
        case .v6(let value):
            Self.embedding(value) ?? Self.find(value, in: Self.ranges6)
                ?? (value >> 125 == 1
                    ? Scope(reach: .internet, name: "public")
                    : Scope(reach: .forbidden, name: "a reserved address"))
        }
    }

    /// A range, by its prefix.
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

    /// ISATAP interface identifiers (RFC 5214) embed an IPv4 address, in any network.
    private static func embedding(_ value: UInt128) -> Scope? {
        let identifier = value >> 32 & 0xFFFF_FFFF
        return identifier == 0x0000_5EFE || identifier == 0x0200_5EFE ? translated : nil
    }

    private static let translated = Scope(
        reach: .forbidden, name: "an IPv4 address embedded in IPv6")
    private static let cloud = Scope(
        reach: .forbidden, name: "the address of a cloud's metadata service")

    private static func range4(
        _ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, bits: Int, _ reach: Reach, _ name: String
    ) -> AddressRange<UInt32> {
        AddressRange(
            first: [a, b, c, d].reduce(0) { $0 << 8 | UInt32($1) }, length: bits,
            scope: Scope(reach: reach, name: name))
    }

    /// - Parameters:
    ///   - a: the first of the four groups of the network prefix.
    ///   - rest: the interface identifier.
    private static func range6(
        _ a: UInt16, _ b: UInt16 = 0, _ c: UInt16 = 0, _ d: UInt16 = 0, rest: UInt64 = 0, bits: Int,
        _ scope: Scope
    ) -> AddressRange<UInt128> {
        let network = [a, b, c, d].reduce(0) { $0 << 16 | UInt128($1) }
        return AddressRange(first: network << 64 | UInt128(rest), length: bits, scope: scope)
    }

    private static let ranges4 = [
        range4(169, 254, 169, 254, bits: 32, .forbidden, cloud.name),
        range4(169, 254, 170, 2, bits: 32, .forbidden, cloud.name),
        range4(100, 100, 100, 200, bits: 32, .forbidden, cloud.name),
        range4(168, 63, 129, 16, bits: 32, .forbidden, cloud.name),
        range4(0, 0, 0, 0, bits: 8, .forbidden, "an unspecified address"),
        range4(10, 0, 0, 0, bits: 8, .ownNetwork, "a private address"),
        range4(100, 64, 0, 0, bits: 10, .ownNetwork, "an address shared by a provider's customers"),
        range4(127, 0, 0, 0, bits: 8, .ownMachine, "a loopback address"),
        range4(169, 254, 0, 0, bits: 16, .ownNetwork, "a link-local address"),
        range4(172, 16, 0, 0, bits: 12, .ownNetwork, "a private address"),
        range4(192, 0, 0, 0, bits: 24, .forbidden, "a reserved address"),
        range4(192, 0, 2, 0, bits: 24, .forbidden, "an address for documentation"),
        range4(192, 88, 99, 0, bits: 24, .forbidden, "the address of a relay"),
        range4(192, 168, 0, 0, bits: 16, .ownNetwork, "a private address"),
        range4(198, 18, 0, 0, bits: 15, .forbidden, "an address for benchmarks"),
        range4(198, 51, 100, 0, bits: 24, .forbidden, "an address for documentation"),
        range4(203, 0, 113, 0, bits: 24, .forbidden, "an address for documentation"),
        range4(224, 0, 0, 0, bits: 4, .forbidden, "a multicast address"),
        range4(255, 255, 255, 255, bits: 32, .forbidden, "the broadcast address"),
        range4(240, 0, 0, 0, bits: 4, .forbidden, "a reserved address"),
    ]

    private static let ranges6 = [
        range6(0xFD00, 0xEC2, rest: 0x254, bits: 128, cloud),
        range6(0xFD20, 0xCE, rest: 0x254, bits: 128, cloud),
        range6(0, rest: 0x1, bits: 128, Scope(reach: .ownMachine, name: "a loopback address")),
        range6(0, bits: 128, Scope(reach: .forbidden, name: "an unspecified address")),
        range6(0, bits: 96, translated),
        range6(0, rest: 0xFFFF_0000_0000, bits: 96, translated),
        range6(0, rest: 0xFFFF_0000_0000_0000, bits: 96, translated),
        range6(0x64, 0xFF9B, bits: 96, translated),
        range6(0x64, 0xFF9B, 0x1, bits: 48, translated),
        range6(0x100, bits: 64, Scope(reach: .forbidden, name: "a discard-only address")),
        range6(0x2001, bits: 32, translated),
        range6(0x2001, bits: 23, Scope(reach: .forbidden, name: "a reserved address")),
        range6(
            0x2001, 0xDB8, bits: 32, Scope(reach: .forbidden, name: "an address for documentation")),
        range6(0x2002, bits: 16, translated),
        range6(0x3FFF, bits: 20, Scope(reach: .forbidden, name: "an address for documentation")),
        range6(0xFC00, bits: 7, Scope(reach: .ownNetwork, name: "a private address")),
        range6(0xFE80, bits: 10, Scope(reach: .ownNetwork, name: "a link-local address")),
        range6(0xFEC0, bits: 10, Scope(reach: .forbidden, name: "a site-local address")),
        range6(0xFF00, bits: 8, Scope(reach: .forbidden, name: "a multicast address")),
    ]
}
