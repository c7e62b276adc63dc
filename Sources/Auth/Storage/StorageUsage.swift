/// How much an app keeps, in both of its areas.
public struct StorageUsage: Hashable, Sendable {
    /// The most bytes of keys and values.
    public static let limit = 10 << 20
    /// The most keys.
    public static let itemLimit = 10_000

    /// Bytes of keys and values.
    public let used: Int
    /// Keys.
    public let items: Int

    static let nothing = StorageUsage(used: 0, items: 0)

    /// Whether one more byte or key than allowed is kept.
    var isTooMuch: Bool { used > Self.limit || items > Self.itemLimit }
}
