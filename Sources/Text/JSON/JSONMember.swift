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
