/// One entry of a list of what an app keeps.
public struct StoredItem: Hashable, Sendable {
    public let key: StorageKey
    public let type: String
    /// Bytes of key and value.
    public let size: Int
}
