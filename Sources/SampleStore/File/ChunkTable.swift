import Foundation
import GRDB
import Samples
import Statistics

/// The row of a chunk or of a group of chunks, without its content.
struct ChunkEntry {
    let id: Int64
    let from: SampleQuery.Position
    let to: SampleQuery.Position
    let count: Int

    /// The columns of `chunk`, `chunkGroup` and `rollup` that `init` decodes, in order.
    static let columns = "id, fromTime, fromSequence, toTime, toSequence, count"

    init(_ row: Row) throws {
        id = try .stored(row, 0)
        from = SampleQuery.Position(
            time: Timestamp(microseconds: try .stored(row, 1)), sequence: try .stored(row, 2))
        to = SampleQuery.Position(
            time: Timestamp(microseconds: try .stored(row, 3)), sequence: try .stored(row, 4))
        count = try .stored(row, 5)
        guard Self.counts.contains(count), from <= to else {
            throw SampleStoreError(.damaged, "A row of the sample store is damaged.")
        }
    }

    /// The SQL condition for rows that `init` rejects.
    static let isUnreadable = """
        ((fromTime, fromSequence) > (toTime, toSequence) OR count NOT BETWEEN 1 AND 1 << 40)
        """

    /// Valid counts; sums of them do not overflow.
    private static let counts = 1...1 << 40

    /// Whether all samples are in the range.
    func isWithin(_ range: TimeRange) -> Bool {
        range.contains(from.time) && range.contains(to.time)
    }
}

/// An encoded chunk.
struct PreparedChunk: Sendable {
    let layout: Int64
    let from: SampleQuery.Position
    let to: SampleQuery.Position
    let arrivals: ClosedRange<Int64>
    let count: Int
    let data: Data
    let summary: Data

    /// - Precondition: the samples are in order, and there is at least one.
    init(_ batch: StoredBatch, _ layout: Layout) {
        self.layout = layout.id
        from = batch.position(0)
        to = batch.position(batch.count - 1)
        arrivals = (batch.sequences.min() ?? 0)...(batch.sequences.max() ?? 0)
        count = batch.count
        data = Data(ChunkEncoder.encode(batch))
        summary = ChunkSummary(of: batch).encoded()
    }
}

/// The tables `chunk` and `content`.
enum ChunkTable {
    /// Encodes and inserts samples that are in order.
    static func insert(_ batch: StoredBatch, _ layout: Layout, _ database: Database) throws {
        try insert(PreparedChunk(batch, layout), database)
    }

    static func insert(_ chunk: PreparedChunk, _ database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO chunk (layout, fromTime, fromSequence, toTime, toSequence, firstArrival,
                    lastArrival, count, bytes, summary)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        try statement.execute(arguments: [
            chunk.layout, chunk.from.time.microseconds, chunk.from.sequence,
            chunk.to.time.microseconds, chunk.to.sequence, chunk.arrivals.lowerBound,
            chunk.arrivals.upperBound, chunk.count, chunk.data.count, chunk.summary,
        ])
        try database.cachedStatement(sql: "INSERT INTO content (chunk, data) VALUES (?, ?)")
            .execute(arguments: [database.lastInsertedRowID, chunk.data])
    }

    /// Removes a chunk, and the group that contains it.
    static func remove(_ id: Int64, _ database: Database) throws {
        try database.execute(
            sql: "DELETE FROM chunkGroup WHERE id = (SELECT groupID FROM chunk WHERE id = ?)",
            arguments: [id])
        try database.execute(
            sql: """
                UPDATE chunk SET groupID = NULL
                WHERE groupID = (SELECT groupID FROM chunk WHERE id = ?)
                """, arguments: [id])
        try database.execute(sql: "DELETE FROM content WHERE chunk = ?", arguments: [id])
        try database.execute(sql: "DELETE FROM chunk WHERE id = ?", arguments: [id])
    }

    /// The time ranges of chunks that are marked as damaged and no longer read.
    ///
    /// - Parameter sequence: only chunks with samples after this sequence number.
    static func damagedRanges(
        _ layout: Int64, in range: TimeRange = .all, after sequence: Int64 = .min,
        _ database: Database
    ) throws -> [TimeRange] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT fromTime, toTime FROM chunk
                WHERE layout = ? AND isDamaged AND fromTime < ? AND toTime >= ?
                AND lastArrival > ?
                """)
        return try Row.fetchAll(
            statement,
            arguments: [layout, range.to.microseconds, range.from.microseconds, sequence]
        ).map { row in
            TimeRange(
                from: Timestamp(microseconds: try .stored(row, 0)),
                through: Timestamp(microseconds: try .stored(row, 1)))
        }
    }

    /// Calls `body` with the bytes of a chunk.
    ///
    /// - Throws: `ByteReader.Damage` when the content is missing.
    static func withContent<Result>(
        of chunk: Int64, _ database: Database, _ body: (Data) throws -> Result
    ) throws -> Result {
        let statement = try database.cachedStatement(
            sql: "SELECT data FROM content WHERE chunk = ?")
        let rows = try Row.fetchCursor(statement, arguments: [chunk])
        guard let row = try rows.next() else { throw ByteReader.Damage() }
        return try row.withUnsafeData(atIndex: 0) { data in
            guard let data else { throw ByteReader.Damage() }
            return try body(data)
        }
    }

    /// The spacing of the samples of a chunk, computed from their times.
    ///
    /// - Throws: `ByteReader.Damage`.
    static func spacing(
        of entry: ChunkEntry, _ layout: Layout, _ database: Database
    ) throws -> Spacing? {
        try withTimes(of: entry, layout, database) { $0.spacing(0..<$0.count) }
    }

    /// Calls `body` with the times of a chunk.
    ///
    /// - Throws: `ByteReader.Damage`, also when the content is missing.
    static func withTimes<Result>(
        of entry: ChunkEntry, _ layout: Layout, _ database: Database,
        _ body: (IntegerColumnReader) throws -> Result
    ) throws -> Result {
        try withContent(of: entry.id, database) { data in
            try data.withUnsafeBytes { raw in
                try body(ChunkOrder(ChunkReader(raw, layout.fields), entry).times)
            }
        }
    }
}
