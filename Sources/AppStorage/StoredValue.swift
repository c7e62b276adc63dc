/// A value that an app stores under a key.
public struct StoredValue: Hashable, Sendable {
    /// The maximum number of bytes of a value.
    public static let limit = 1 << 20

    /// The media type that the app gave it.
    public let type: String
    /// The content.
    public let bytes: [UInt8]

    /// - Parameter type: a media type such as `application/json`; not checked.
    public init(type: String, bytes: [UInt8]) {
        self.type = type
        self.bytes = bytes
    }
}

/// The name of a stored value: up to 1024 bytes of UTF-8, compared byte by byte.
///
/// It is never part of a path.
public struct StorageKey: Hashable, Sendable {
    /// The maximum number of bytes of a key.
    public static let limit = 1024

    /// UTF-8.
    public let bytes: [UInt8]

    /// - Throws: `invalidKey` for a key that is too long.
    public init(_ text: String) throws(AppStorageError) {
        bytes = Array(text.utf8)
        guard bytes.count <= Self.limit else {
            throw AppStorageError(
                .invalidKey, "A key has at most \(Self.limit) bytes, this one \(bytes.count).")
        }
    }

    /// A key as it is in the database.
    init(stored bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The key as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// The key spaces of an app, which share one limit.
public enum StorageArea: String, Hashable, Sendable {
    /// `nervous.storage`.
    case storage = "named"
    /// `localStorage` of headless runs.
    case local
    /// `indexedDB` of headless runs.
    case indexed
}

/// A change of one key: a new value, or its removal.
public struct StorageChange: Hashable, Sendable {
    /// The key.
    public let key: StorageKey
    /// `nil` removes the key.
    public let value: StoredValue?

    /// - Parameter value: `nil` removes the key.
    public init(_ key: StorageKey, _ value: StoredValue?) {
        self.key = key
        self.value = value
    }
}

/// A stored value in a list, without its content.
public struct StoredItem: Hashable, Sendable {
    /// Its key.
    public let key: StorageKey
    /// The media type that the app gave it.
    public let type: String
    /// Bytes of key and value.
    public let size: Int
}

/// How much an app stores, in all of its areas.
public struct StorageUsage: Hashable, Sendable {
    /// The maximum number of bytes of keys and values.
    public static let limit = 10 << 20
    /// The maximum number of keys.
    public static let itemLimit = 10_000

    /// Bytes of keys and values.
    public let used: Int
    /// The number of keys.
    public let items: Int

    static let zero = StorageUsage(used: 0, items: 0)

    /// Whether more is stored than allowed.
    var exceedsLimit: Bool { used > Self.limit || items > Self.itemLimit }
}
