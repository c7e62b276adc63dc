/// A number in decimal digits with a dot, whatever the locale, and never with an exponent.
///
/// `xsd:decimal` of GPX allows nothing else, and some readers of JSON are as strict.
public struct DecimalText: Hashable, Sendable, CustomStringConvertible {
    /// Such as `-0.5`; trailing zeros are left out unless they were asked for.
    public let description: String

    /// - Parameters:
    ///   - number: rounded to so many digits, halves away from zero; what is not finite or has more
    ///     than 15 digits in all is written as Swift does.
    ///   - digits: after the dot, at most 9.
    ///   - isPadded: whether zeros are written at the end.
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
    /// Reads a number in decimal digits with a dot, whatever the locale.
    ///
    /// Unlike `Double(_:)` it takes no `nan`, `inf` or hexadecimal digits.
    /// - Returns: `nil` for anything else, for more than 64 characters, and for what is too large.
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
