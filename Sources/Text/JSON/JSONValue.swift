/// A value of a JSON text with its position, which messages can name.
///
/// Two values are equal if both their content and their positions are.
///
/// ```swift
/// let name = value["sensors"]?.array?.first?.string
/// ```
public struct JSONValue: Sendable, Hashable {
    /// The content of a value.
    public enum Content: Sendable, Hashable {
        /// `null`.
        case null
        /// `true` or `false`.
        case bool(Bool)
        /// A number in the range of a double.
        case number(JSONNumber)
        /// A string with decoded escapes.
        case string(String)
        /// The elements of a list, in order.
        case array([JSONValue])
        /// The members of an object, in their order in the text; keys are unique.
        case object([JSONMember])
    }

    /// The value itself.
    public let content: Content
    /// The position of its first character.
    public let position: JSONPosition

    /// Creates a value.
    public init(_ content: Content, at position: JSONPosition) {
        self.content = content
        self.position = position
    }

    /// Whether this is `null`.
    public var isNull: Bool { content == .null }

    /// The Boolean, or `nil` for anything else.
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

    /// The value of a key, or `nil` if this is not an object with this key.
    public subscript(key: String) -> JSONValue? {
        object?.first { $0.key == key }?.value
    }
}

extension JSONValue {
    /// The value as JSON, with the original digits of numbers.
    ///
    /// - Parameter indent: the indentation in spaces; each level below has two more.
    public func text(indent: Int = 0) -> String {
        let margin = String(repeating: " ", count: indent)
        switch content {
        case .null: return "null"
        case .bool(let flag): return flag ? "true" : "false"
        case .number(let number): return number.literal
        case .string(let text): return JSONString.literal(text)
        case .array(let items):
            guard !items.isEmpty else { return "[]" }
            let lines = items.map { "\(margin)  \($0.text(indent: indent + 2))" }
            return "[\n\(lines.joined(separator: ",\n"))\n\(margin)]"
        case .object(let members):
            guard !members.isEmpty else { return "{}" }
            let lines = members.map {
                "\(margin)  \(JSONString.literal($0.key)): \($0.value.text(indent: indent + 2))"
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(margin)}"
        }
    }
}

extension JSONValue {
    /// The value as JSON on one line, with the original digits of numbers.
    ///
    /// ```swift
    /// JSONValue(["id": JSONValue(1), "ok": JSONValue(.bool(true))]).line  // {"id":1,"ok":true}
    /// ```
    public var line: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch content {
        case .null: text += "null"
        case .bool(let flag): text += flag ? "true" : "false"
        case .number(let number): text += number.literal
        case .string(let string): text += JSONString.literal(string)
        case .array(let items):
            text += "["
            for (index, item) in items.enumerated() {
                if index > 0 { text += "," }
                item.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                text += (index > 0 ? "," : "") + JSONString.literal(member.key) + ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }
}

/// One key and its value in a JSON object.
public struct JSONMember: Sendable, Hashable {
    /// The key with decoded escapes.
    public let key: String
    /// The position of the key.
    public let position: JSONPosition
    /// The value.
    public let value: JSONValue

    /// Creates a member.
    public init(key: String, position: JSONPosition, value: JSONValue) {
        self.key = key
        self.position = position
        self.value = value
    }
}

/// A number of a JSON text with its original digits.
///
/// Numbers are compared by their digits: `1.0` and `1` are different.
public struct JSONNumber: Sendable, Hashable {
    /// The digits in the text.
    public let literal: String
    /// The nearest double; always finite.
    public let double: Double

    /// Reads a number.
    ///
    /// - Returns: `nil` for invalid JSON, and for numbers out of the range of a double.
    public init?(literal: String) {
        guard Self.isJSON(Array(literal.utf8)), let double = Double(literal), double.isFinite else {
            return nil
        }
        self.literal = literal
        self.double = double
    }

    /// Creates a number that a double represents exactly.
    init(literal: String, digits: Int) {
        self.literal = literal
        double = Double(digits)
    }

    /// The number as an integer, or `nil` if it is not an exact one.
    ///
    /// Without fraction and exponent the whole range of `Int64` is exact; `1.0` and `1e3` are integers below
    /// 2⁵³.
    public var int64: Int64? {
        if let exact = Int64(literal) { return exact }
        guard double.magnitude < 0x1p53 else { return nil }
        return Int64(exactly: double)
    }

    /// Whether the bytes are a number: RFC 8259, section 6.
    private static func isJSON(_ text: [UInt8]) -> Bool {
        var index = text.first == UInt8(ascii: "-") ? 1 : 0
        let start = index
        guard skipDigits(of: text, from: &index) else { return false }
        guard index - start == 1 || text[start] != UInt8(ascii: "0") else { return false }
        if index < text.count, text[index] == UInt8(ascii: ".") {
            index += 1
            guard skipDigits(of: text, from: &index) else { return false }
        }
        if index < text.count, text[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < text.count, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(text[index]) {
                index += 1
            }
            guard skipDigits(of: text, from: &index) else { return false }
        }
        return index == text.count
    }

    /// Skips digits.
    ///
    /// - Returns: whether there was one.
    private static func skipDigits(of text: [UInt8], from index: inout Int) -> Bool {
        let start = index
        while index < text.count, text[index] >= 0x30, text[index] <= 0x39 { index += 1 }
        return index > start
    }
}

/// A position in a JSON text, as editors show it.
public struct JSONPosition: Sendable, Hashable {
    /// The line, from 1; a line ends at a line feed.
    public let line: Int
    /// The column, from 1, counted in Unicode scalars: a tab or an emoji of one scalar is one column.
    public let column: Int

    /// Creates a position.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

extension JSONPosition: CustomStringConvertible {
    /// `line:column`.
    public var description: String { "\(line):\(column)" }
}
