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
