extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits for each byte.
    ///
    /// ```swift
    /// [UInt8]([0xBA, 0x78]).hexadecimal  // "ba78"
    /// ```
    public var hexadecimal: String {
        let digits = Array<UInt8>("0123456789abcdef".utf8)
        return String(
            decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension RangeReplaceableCollection<UInt8> {
    /// Parses lower-case hexadecimal digits.
    ///
    /// - Returns: `nil` for other characters or an odd number of them.
    public init?(hexadecimal text: some StringProtocol) {
        let digits = text.utf8.map { digit -> UInt8? in
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            default: nil
            }
        }
        let values = digits.compactMap(\.self)
        guard values.count == digits.count, values.count.isMultiple(of: 2) else { return nil }
        self.init(
            stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] })
    }
}

/// Short random names that cannot be guessed.
public enum RandomName {
    /// 16 lower-case hexadecimal digits, 64 random bits.
    public static func make() -> String {
        (0..<8).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
    }
}
