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
