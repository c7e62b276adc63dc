import Crypto
import Foundation

/// Links the lines of the access log: the hash of each is the SHA-256 of the hash before it and of
/// the line's own bytes.
///
/// The bytes are those of `docs/access-log.md`, which other programs read; changing them breaks every
/// chain there is.
struct LedgerChain: Sendable {
    /// The columns in the order in which they are hashed.
    static let columns = [
        "id", "time", "kind", "client", "privilege", "sensor", "access", "operation", "from", "to",
        "calls", "count", "detail",
    ]
    /// What stands before the first line.
    static let start = Data(repeating: 0, count: 32)

    /// A column of a line as it stands in the file.
    enum Value: Hashable, Sendable {
        case null
        case integer(Int64)
        case text([UInt8])

        static func text(_ text: String?) -> Value { text.map { .text(Array($0.utf8)) } ?? .null }
        static func integer(_ number: Int64?) -> Value { number.map { .integer($0) } ?? .null }
    }

    /// The hash of the newest line.
    private(set) var head: Data

    init(after head: Data = LedgerChain.start) {
        self.head = head
    }

    /// Adds a line with the values of its columns.
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
