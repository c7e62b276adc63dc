import Crypto
import Foundation

/// The hash chain of the access log: the hash of an entry is the SHA-256 of the hash before it and of
/// the entry's columns.
///
/// `docs/access-log.md` specifies the bytes; changing them breaks every existing chain.
struct AccessLogChain: Sendable {
    /// The columns in the order in which they are hashed.
    static let columns = [
        "id", "time", "kind", "client", "privilege", "sensor", "access", "operation", "from", "to",
        "calls", "count", "detail",
    ]
    /// The columns that were added later: hashed after the others, and only where they are not `NULL`, so
    /// that earlier entries keep their hashes.
    static let laterColumns = ["clientKind"]
    /// The hash before the first entry.
    static let start = Data(repeating: 0, count: 32)

    /// A column of an entry as stored.
    enum Value: Hashable, Sendable {
        case null
        case integer(Int64)
        case text([UInt8])

        static func text(_ text: String?) -> Value { text.map { .text(Array($0.utf8)) } ?? .null }
        static func integer(_ number: Int64?) -> Value { number.map { .integer($0) } ?? .null }
    }

    /// The hash of the newest entry.
    private(set) var head: Data

    init(after head: Data = AccessLogChain.start) {
        self.head = head
    }

    /// Adds an entry.
    ///
    /// - Parameter values: in the order of `columns`, then those of `laterColumns` that are not `NULL`.
    mutating func add(_ values: [Value]) {
        var bytes = [UInt8](head)
        for value in values { Self.append(value, to: &bytes) }
        head = Data(SHA256.hash(data: bytes))
    }

    private static func append(_ value: Value, to bytes: inout [UInt8]) {
        switch value {
        case .null:
            bytes.append(0)
        case .integer(let number):
            bytes.append(1)
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        case .text(let text):
            bytes.append(2)
            withUnsafeBytes(of: UInt32(clamping: text.count).bigEndian) {
                bytes.append(contentsOf: $0)
            }
            bytes.append(contentsOf: text)
        }
    }
}
