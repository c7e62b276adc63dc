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
        guard Self.isJSON(Array(literal.utf8)), let double = Double(literal), double.isFinite else {
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

    /// Whether some bytes are a number by the grammar of RFC 8259, section 6.
    private static func isJSON(_ text: [UInt8]) -> Bool {
        var place = text.first == UInt8(ascii: "-") ? 1 : 0
        let start = place
        guard skipDigits(of: text, from: &place) else { return false }
        guard place - start == 1 || text[start] != UInt8(ascii: "0") else { return false }
        if place < text.count, text[place] == UInt8(ascii: ".") {
            place += 1
            guard skipDigits(of: text, from: &place) else { return false }
        }
        if place < text.count, text[place] | 0x20 == UInt8(ascii: "e") {
            place += 1
            if place < text.count, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(text[place]) {
                place += 1
            }
            guard skipDigits(of: text, from: &place) else { return false }
        }
        return place == text.count
    }

    /// Steps over digits; returns whether there was one.
    private static func skipDigits(of text: [UInt8], from place: inout Int) -> Bool {
        let start = place
        while place < text.count, text[place] >= 0x30, text[place] <= 0x39 { place += 1 }
        return place > start
    }
}
