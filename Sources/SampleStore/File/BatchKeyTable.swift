import Foundation
import GRDB
import Samples

/// A batch with an idempotency key that is being written.
struct KeyedBatch: Sendable {
    let key: BatchKey
    let receipt: BatchReceipt
    let time: Timestamp
}

/// The table `batchKey`: idempotency keys and the receipts of their batches.
struct BatchKeyTable: Sendable {
    /// How long a key is kept, in microseconds.
    static let lifetime: Int64 = 24 * 3_600_000_000
    /// The maximum number of keys of one client.
    private static let keysPerClient = 10_000

    private let pool: DatabasePool

    init(_ pool: DatabasePool) {
        self.pool = pool
    }

    /// The digest and the receipt of the batch with a key; `nil` when the key is unknown or expired.
    func batch(
        _ key: BatchKey, of sensor: Int64, at time: Timestamp
    ) async throws -> (digest: [UInt8], receipt: BatchReceipt)? {
        try await pool.read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT digest, accepted, last FROM batchKey
                    WHERE client = ? AND sensor = ? AND name = ? AND noted > ?
                    """,
                arguments: [
                    key.client, sensor, key.name, time.microseconds - Self.lifetime,
                ])
            guard let row = try rows.next() else { return nil }
            return (
                Array(try Data.stored(row, 0)),
                BatchReceipt(accepted: try .stored(row, 1), last: try .stored(row, 2))
            )
        }
    }

    /// A key, and the sequence numbers of its batch.
    struct Entry {
        let name: String
        let sequences: ClosedRange<Int64>
    }

    /// The keys of a client for batches of a sensor that were accepted up to a sequence number.
    static func entries(
        of client: String, _ sensor: Int64, through last: Int64, _ database: Database
    ) throws -> [Entry] {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT name, accepted, last FROM batchKey
                WHERE client = ? AND sensor = ? AND last <= ? AND accepted BETWEEN 1 AND last
                """, arguments: [client, sensor, last])
        var entries: [Entry] = []
        while let row = try rows.next() {
            let (count, end): (Int64, Int64) = (try .stored(row, 1), try .stored(row, 2))
            entries.append(Entry(name: try .stored(row, 0), sequences: (end - count + 1)...end))
        }
        return entries
    }

    static func remove(
        _ name: String, of client: String, _ sensor: Int64, _ database: Database
    ) throws {
        try database.execute(
            sql: "DELETE FROM batchKey WHERE client = ? AND sensor = ? AND name = ?",
            arguments: [client, sensor, name])
    }

    /// Inserts a key in the transaction of its samples.
    static func insert(
        _ batch: KeyedBatch, _ sensor: Int64, _ database: Database
    ) throws {
        let client = batch.key.client
        // Each client has its own limit, so that none can evict the keys of another.
        try database.cachedStatement(
            sql: "DELETE FROM batchKey WHERE client = ? AND noted <= ?"
        ).execute(arguments: [client, batch.time.microseconds - lifetime])
        // Counting costs more than the insertion, so it is done rarely.
        if Int.random(in: 0..<256) == 0 {
            try database.cachedStatement(
                sql: """
                    DELETE FROM batchKey WHERE client = ?1 AND noted <= (
                        SELECT noted FROM batchKey WHERE client = ?1
                        ORDER BY noted DESC LIMIT 1 OFFSET ?2)
                    """
            ).execute(arguments: [client, keysPerClient])
        }
        try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO batchKey (client, sensor, name, digest, accepted, last, noted)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            client, sensor, batch.key.name, Data(batch.key.digest), batch.receipt.accepted,
            batch.receipt.last, batch.time.microseconds,
        ])
    }
}
