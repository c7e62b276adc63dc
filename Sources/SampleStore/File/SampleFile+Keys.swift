import Foundation
import GRDB
import Samples

extension SampleFile {
    /// How long a batch is known by its key, in microseconds.
    static let keyLifetime: Int64 = 24 * 3_600_000_000
    /// How many batches of one client are known by their keys.
    static let keysPerClient = 10_000

    /// The key of a batch on its way to the file.
    struct NamedBatch: Sendable {
        let key: BatchKey
        let receipt: BatchReceipt
        let noted: Timestamp
    }

    static func createKeys(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE batchKey (
                    client TEXT NOT NULL,
                    sensor INTEGER NOT NULL,
                    name TEXT NOT NULL,
                    digest BLOB NOT NULL,
                    accepted INTEGER NOT NULL,
                    last INTEGER NOT NULL,
                    noted INTEGER NOT NULL,
                    PRIMARY KEY (client, sensor, name)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX key_by_time ON batchKey (client, noted);
                """)
    }

    /// Writes the key in the transaction that its samples are written in.
    static func insertKey(
        _ named: NamedBatch, _ sensor: Int64, _ database: Database
    ) throws {
        let client = named.key.client
        // The oldest of a client go first, so that no client can make another's be forgotten.
        try database.cachedStatement(
            sql: "DELETE FROM batchKey WHERE client = ? AND noted <= ?"
        ).execute(arguments: [client, named.noted.microseconds - keyLifetime])
        // Counting them takes longer than all the rest.
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
            client, sensor, named.key.name, Data(named.key.digest), named.receipt.accepted,
            named.receipt.last, named.noted.microseconds,
        ])
    }

    /// What was answered to the batch of a key, and the digest of that batch; `nil` when the key is
    /// not known, or no longer.
    func namedBatch(
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
                    key.client, sensor, key.name, time.microseconds - Self.keyLifetime,
                ])
            guard let row = try rows.next() else { return nil }
            return (
                Array(try Data.stored(row, 0)),
                BatchReceipt(accepted: try .stored(row, 1), last: try .stored(row, 2))
            )
        }
    }
}
