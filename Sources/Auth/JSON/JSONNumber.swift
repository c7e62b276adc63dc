/// A number of a JSON text, with the digits as they were written.
///
/// Equality is that of the literal: `1.0` and `1` are different numbers here.
public struct JSONNumber: Sendable, Hashable {
    /// The number as it was written.
    public let literal: String
    /// The nearest double; always finite.
    public let double: Double

    /// Reads a number.
    ///
    /// Returns `nil` where the text is no JSON number or lies outside what a double can hold.
    public init?(literal: String) {
        guard Self.isJSON(literal.utf8), let double = Double(literal), double.isFinite else {
            return nil
        }
        self.literal = literal
        self.double = double
    }

    /// Keeps digits that a double holds exactly.
    init(literal: String, digits: Int) {
        self.literal = literal
        double = Double(digits)
    }

    /// The number as an integer, or `nil` where it is not one or cannot be told exactly.
    ///
    /// An integer written without fraction and exponent is exact over the whole range of `Int64`;
    /// `1.0` and `1e3` are integers as long as they are smaller than 2⁵³.
    public var int64: Int64? {
        if let exact = Int64(literal) { return exact }
        guard double.magnitude < 0x1p53 else { return nil }
        return Int64(exactly: double)
    }

    private static func isJSON(_ text: String.UTF8View) -> Bool {
        var rest = text[...]
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let whole = takeDigits(&rest)
        guard whole > 0, whole == 1 || text.first(where: isDigit) != UInt8(ascii: "0") else {
            return false
        }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard takeDigits(&rest) > 0 else { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") {
                rest.removeFirst()
            }
            guard takeDigits(&rest) > 0 else { return false }
        }
        return rest.isEmpty
    }

    private static func takeDigits(_ rest: inout Substring.UTF8View) -> Int {
        let digits = rest.prefix(while: isDigit).count
        rest.removeFirst(digits)
        return digits
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
