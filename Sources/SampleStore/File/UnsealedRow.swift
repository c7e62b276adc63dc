import Foundation
import GRDB
import Samples

/// Unsealed samples of one layout, encoded as a row of the table `fresh`.
struct UnsealedRow: Sendable {
    let layout: Int64
    let arrivals: ClosedRange<Int64>
    let data: Data
    /// What the row adds to the unsealed samples of its layout.
    let size: UnsealedSize

    /// - Precondition: the samples are ordered by sequence number, and there is at least one.
    init(_ batch: StoredBatch, _ layout: Int64) {
        self.layout = layout
        arrivals = batch.sequences[0]...batch.sequences[batch.count - 1]
        data = Data(ChunkEncoder.encode(batch))
        size = UnsealedSize(of: batch, bytes: data.count)
    }
}

/// The amount of unsealed samples of a layout.
struct UnsealedSize: Sendable {
    var rows = 0
    var samples = 0
    /// Bytes of the rows in the file.
    var bytes = 0
    /// Decoded bytes; for rows of a former session the bytes in the file, which is a lower bound.
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
            row.arrivals.lowerBound, row.arrivals.upperBound, row.layout, row.size.samples,
            row.data,
        ])
    }

    static func remove(_ first: Int64, _ database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM fresh WHERE first = ?")
            .execute(arguments: [first])
    }

    /// The amount of unsealed samples, by layout.
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
        let statement = try database.cachedStatement(
            sql: "SELECT data FROM fresh WHERE layout = ? AND last > ? ORDER BY first")
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
