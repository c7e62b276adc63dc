/// One key set anew, or removed.
public struct StorageChange: Hashable, Sendable {
    public let key: StorageKey
    /// `nil` removes the key.
    public let value: StoredValue?

    public init(_ key: StorageKey, _ value: StoredValue?) {
        self.key = key
        self.value = value
    }
}
