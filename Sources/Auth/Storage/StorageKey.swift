/// The name under which an app keeps something: up to 1024 bytes of UTF-8, compared byte by byte.
///
/// It is never part of a path; whatever stands in it is only a name.
public struct StorageKey: Hashable, Sendable {
    /// The most bytes of a key.
    public static let limit = 1024

    /// UTF-8.
    public let bytes: [UInt8]

    /// - Throws: `invalidKey` for a key that is too long.
    public init(_ text: String) throws(AuthError) {
        bytes = Array(text.utf8)
        guard bytes.count <= Self.limit else {
            throw AuthError(
                .invalidKey, "A key has at most \(Self.limit) bytes, and this one \(bytes.count).")
        }
    }

    /// A key as it was kept.
    init(kept bytes: [UInt8]) {
        self.bytes = bytes
    }

    public var text: String { String(decoding: bytes, as: UTF8.self) }
}
