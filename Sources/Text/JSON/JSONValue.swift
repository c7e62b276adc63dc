/// A value of a JSON text that remembers where it stood, so that a later complaint can name the place.
///
/// Two values are equal when their content and their places are.
public struct JSONValue: Sendable, Hashable {
    /// What a value can be.
    public enum Content: Sendable, Hashable {
        /// `null`.
        case null
        /// `true` or `false`.
        case bool(Bool)
        /// A number that a double can hold.
        case number(JSONNumber)
        /// A string, its escapes decoded.
        case string(String)
        /// The elements of a list, in order.
        case array([JSONValue])
        /// The members of an object, in the order in which they were written; no key stands twice.
        case object([JSONMember])
    }

    /// The value itself.
    public let content: Content
    /// Where its first character stands.
    public let position: JSONPosition

    /// Places a value.
    public init(_ content: Content, at position: JSONPosition) {
        self.content = content
        self.position = position
    }

    /// Whether this is `null`.
    public var isNull: Bool { content == .null }

    /// The truth value, or `nil` for anything else.
    public var bool: Bool? {
        if case .bool(let value) = content { value } else { nil }
    }

    /// The number, or `nil` for anything else.
    public var number: JSONNumber? {
        if case .number(let value) = content { value } else { nil }
    }

    /// The string, or `nil` for anything else.
    public var string: String? {
        if case .string(let value) = content { value } else { nil }
    }

    /// The elements, or `nil` for anything but a list.
    public var array: [JSONValue]? {
        if case .array(let elements) = content { elements } else { nil }
    }

    /// The members, or `nil` for anything but an object.
    public var object: [JSONMember]? {
        if case .object(let members) = content { members } else { nil }
    }

    /// The value of a key, or `nil` where this is no object or has no such key.
    public subscript(key: String) -> JSONValue? {
        object?.first { $0.key == key }?.value
    }
}

/// One key and its value in a JSON object.
public struct JSONMember: Sendable, Hashable {
    /// The key, its escapes decoded.
    public let key: String
    /// Where the key stands.
    public let position: JSONPosition
    /// The value.
    public let value: JSONValue

    /// Pairs a key with a value.
    public init(key: String, position: JSONPosition, value: JSONValue) {
        self.key = key
        self.position = position
        self.value = value
    }
}

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

/// A place in a JSON text, as an editor shows it.
public struct JSONPosition: Sendable, Hashable {
    /// The line, from 1; a line ends at a line feed.
    public let line: Int
    /// The column, from 1, counted in Unicode scalars: a tab or an emoji of one scalar is one column.
    public let column: Int

    /// Names a place.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

extension JSONPosition: CustomStringConvertible {
    /// `line:column`.
    public var description: String { "\(line):\(column)" }
}
