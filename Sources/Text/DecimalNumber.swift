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
