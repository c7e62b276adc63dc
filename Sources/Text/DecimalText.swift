/// A number in decimal digits with a dot, independent of the locale and without an exponent.
///
/// GPX requires this form (`xsd:decimal`), and so do some readers of JSON.
///
/// ```swift
/// DecimalText(47.3769, digits: 2).description  // "47.38"
/// ```
public struct DecimalText: Hashable, Sendable, CustomStringConvertible {
    /// Such as `-0.5`.
    public let description: String

    /// Formats a number.
    ///
    /// - Parameters:
    ///   - number: rounded, halves away from zero; numbers that are not finite or have more than 15 digits
    ///     are formatted by Swift.
    ///   - digits: after the dot, at most 9.
    ///   - isPadded: whether trailing zeros are written.
    public init(_ number: Double, digits: Int, isPadded: Bool = false) {
        let digits = min(max(digits, 0), 9)
        let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = (number * scale).rounded()
        guard scaled.isFinite, abs(scaled) < 1e15 else {
            description = "\(number)"
            return
        }
        let whole = Int64(scaled).magnitude
        let unit = UInt64(scale)
        var fraction = String(whole % unit)
        fraction = String(repeating: "0", count: max(0, digits - fraction.count)) + fraction
        if !isPadded { while fraction.last == "0" { fraction.removeLast() } }
        let sign = scaled < 0 ? "-" : ""
        description =
            digits == 0 || fraction.isEmpty
            ? "\(sign)\(whole / unit)" : "\(sign)\(whole / unit).\(fraction)"
    }
}

extension Double {
    /// Reads a number in decimal digits with a dot, independent of the locale.
    ///
    /// Unlike `Double(_:)` it rejects `nan`, `inf` and hexadecimal digits.
    ///
    /// - Returns: `nil` for anything else, for more than 64 characters, and for numbers out of range.
    public init?(decimal text: some StringProtocol, allowsExponent: Bool = false) {
        guard (1...64).contains(text.utf8.count) else { return nil }
        var hasDigit = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): hasDigit = true
            case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): break
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                guard allowsExponent else { return nil }
            default: return nil
            }
        }
        guard hasDigit, let number = Double(String(text)), number.isFinite else { return nil }
        self = number
    }
}
