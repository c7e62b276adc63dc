/// What an app keeps under a key.
public struct StoredValue: Hashable, Sendable {
    /// The most bytes of a value.
    public static let limit = 1 << 20

    /// The media type, as the app named it.
    public let type: String
    public let bytes: [UInt8]

    public init(type: String, bytes: [UInt8]) {
        self.type = type
        self.bytes = bytes
    }
}
