/// An address of the Internet Protocol.
public enum IPAddress: Hashable, Sendable {
    /// Four bytes, the first in the highest bits.
    case v4(UInt32)
    /// Sixteen bytes, the first in the highest bits.
    case v6(UInt128)

    /// Reads the one strict form of each: four decimal numbers without leading zeros, or RFC 4291
    /// without a zone.
    ///
    /// Octal, hexadecimal, short and single-number forms of IPv4 are none.
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
        // Longer ones have a zone or something else that does not belong there.
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

    /// - Parameter isEnd: whether the last 32 bits may stand as an IPv4 address.
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
    /// As RFC 5952 writes it, without brackets.
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

    /// The first of the longest, where it is of two groups or more.
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
