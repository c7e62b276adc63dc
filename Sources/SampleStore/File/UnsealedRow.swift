import Foundation
import GRDB
import Samples

/// Unsealed samples of one layout, encoded as a row of the table `fresh`.
struct UnsealedRow: Sendable {
    /// Identifies a row in the state in which it was read or written: a transaction that extends the
    /// row changes `last`.
    struct Key: Sendable {
        let first: Int64
        let last: Int64
    }

    let layout: Int64
    /// The first and the last sequence number.
    let key: Key
    let data: Data
    /// What the row adds to the unsealed samples of its layout.
    let size: UnsealedSize

    /// - Precondition: the samples are ordered by sequence number, and there is at least one.
    init(_ batch: StoredBatch, _ layout: Int64) {
        self.layout = layout
        key = Key(first: batch.sequences[0], last: batch.sequences[batch.count - 1])
        data = Data(ChunkEncoder.encode(batch))
        size = UnsealedSize(of: batch, bytes: data.count)
    }

    /// A row whose samples are not decoded, so that their decoded size is unknown.
    init(layout: Int64, key: Key, data: Data, samples: Int) {
        (self.layout, self.key, self.data) = (layout, key, data)
        size = UnsealedSize(rows: 1, samples: samples, bytes: data.count, decoded: data.count)
    }
}

/// The size of the unsealed samples of a layout.
struct UnsealedSize: Sendable {
    var rows = 0
    var samples = 0
    /// Bytes of the rows in the file.
    var bytes = 0
    /// Decoded bytes.
    ///
    /// For rows that the file contained when it was opened, their bytes in the file are counted, which is
    /// a lower bound.
    var decoded = 0

    static func += (left: inout Self, right: Self) {
        left.rows += right.rows
        left.samples += right.samples
        left.bytes += right.bytes
        left.decoded += right.decoded
    }

    static func -= (left: inout Self, right: Self) {
        left.rows -= right.rows
        left.samples -= right.samples
        left.bytes = max(0, left.bytes - right.bytes)
        left.decoded = max(0, left.decoded - right.decoded)
    }
}

extension UnsealedSize {
    /// The size of one row.
    init(of batch: StoredBatch, bytes: Int) {
        self.init(rows: 1, samples: batch.count, bytes: bytes, decoded: batch.decodedSize)
    }
}

/// The table `fresh` of unsealed rows.
enum UnsealedTable {
    static func insert(_ row: UnsealedRow, _ database: Database) throws {
        try database.cachedStatement(
            sql: "INSERT INTO fresh (first, last, layout, count, data) VALUES (?, ?, ?, ?, ?)"
        ).execute(arguments: [
            row.key.first, row.key.last, row.layout, row.size.samples, row.data,
        ])
    }

    /// Inserts a row from the journal.
    ///
    /// - Returns: `false` when there is a row that begins with the same sample, or no such layout.
    static func restore(_ row: UnsealedRow, _ database: Database) throws -> Bool {
        try database.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO fresh (first, last, layout, count, data)
                SELECT ?, ?, id, ?, ? FROM layout WHERE id = ?
                """
        ).execute(arguments: [
            row.key.first, row.key.last, row.size.samples, row.data, row.layout,
        ])
        return database.changesCount == 1
    }

    /// Replaces the row that begins with the same sample.
    static func replace(_ row: UnsealedRow, _ database: Database) throws {
        try database.cachedStatement(
            sql: "UPDATE fresh SET last = ?, count = ?, data = ? WHERE first = ?"
        ).execute(arguments: [row.key.last, row.size.samples, row.data, row.key.first])
    }

    /// The samples of a row and their size; `nil` when there is no such row of the layout, or it is damaged.
    static func row(
        _ key: UnsealedRow.Key, of layout: Layout, _ database: Database
    ) throws -> (batch: StoredBatch, size: UnsealedSize)? {
        let statement = try database.cachedStatement(
            sql: "SELECT data FROM fresh WHERE first = ? AND last = ? AND layout = ?")
        guard
            let row = try Row.fetchOne(
                statement, arguments: [key.first, key.last, layout.id]),
            let data = try? Data.stored(row, 0), let batch = try? ChunkReader.decode(data, layout)
        else { return nil }
        return (batch, UnsealedSize(of: batch, bytes: data.count))
    }

    /// Removes a row, unless it has changed.
    ///
    /// - Returns: whether it was removed.
    static func remove(unchanged key: UnsealedRow.Key, _ database: Database) throws -> Bool {
        try database.cachedStatement(sql: "DELETE FROM fresh WHERE first = ? AND last = ?")
            .execute(arguments: [key.first, key.last])
        return database.changesCount == 1
    }

    /// The last sequence number of a layout; `nil` when it has no unsealed rows.
    ///
    /// The rows of a layout do not overlap.
    static func lastArrival(_ layout: Int64, _ database: Database) throws -> Int64? {
        try Int64.fetchOne(
            database.cachedStatement(
                sql: "SELECT last FROM fresh WHERE layout = ? ORDER BY first DESC LIMIT 1"),
            arguments: [layout])
    }

    static func remove(_ first: Int64, _ database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM fresh WHERE first = ?")
            .execute(arguments: [first])
    }

    /// The size of the unsealed samples, by layout.
    static func sizes(_ pool: DatabasePool) async throws -> [Int64: UnsealedSize] {
        try await pool.read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT layout, count(*), coalesce(sum(count), 0),
                        coalesce(sum(length(data)), 0)
                    FROM fresh GROUP BY layout
                    """)
            var counts: [Int64: UnsealedSize] = [:]
            while let row = try rows.next() {
                let bytes: Int = try .stored(row, 3)
                counts[try .stored(row, 0)] = UnsealedSize(
                    rows: try .stored(row, 1), samples: try .stored(row, 2), bytes: bytes,
                    decoded: bytes)
            }
            return counts
        }
    }

    /// Calls `body` with the unsealed samples of a layout, row by row in the order of sequence numbers.
    ///
    /// - Parameter range: rows without any sample in the range are skipped after decoding only their times.
    static func forEach(
        _ projection: Projection, after sequence: Int64 = 0, within range: TimeRange = .all,
        _ database: Database,
        _ body: (StoredBatch) throws -> Void, damage: (TimeRange) -> Void
    ) throws {
        // The first row is the last one that begins at or before `sequence`, because it may also
        // contain later samples.
        let statement = try database.cachedStatement(
            sql: """
                SELECT data FROM fresh WHERE layout = ?1 AND last > ?2 AND first >= coalesce(
                    (SELECT max(first) FROM fresh WHERE layout = ?1 AND first <= ?2), 0)
                ORDER BY first
                """)
        let rows = try Row.fetchCursor(statement, arguments: [projection.layout.id, sequence])
        while let row = try rows.next() {
            do {
                let batch = try row.withUnsafeData(atIndex: 0) { data in
                    try ChunkReader.decode(data ?? Data(), projection, touching: range)
                }
                if let batch { try body(batch) }
            } catch is ByteReader.Damage {
                damage(.all)
            }
        }
    }
}
