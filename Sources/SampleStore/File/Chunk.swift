import Foundation
import GRDB
import Samples
import Statistics

/// What the file knows of a chunk or of a group of chunks without opening it.
struct ChunkEntry {
    let id: Int64
    let from: SampleQuery.Position
    let to: SampleQuery.Position
    let count: Int

    /// The columns of `chunk` and of `chunkGroup` that make an entry, in order.
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

    /// Rows that are no entry.
    static let isUnreadable = "(fromTime > toTime OR count NOT BETWEEN 1 AND 1 << 40)"

    /// What a chunk or a group can have; sums of them do not overflow.
    private static let counts = 1...1 << 40

    /// Whether every sample lies in the range.
    func isWithin(_ range: TimeRange) -> Bool {
        range.contains(from.time) && range.contains(to.time)
    }
}

extension SampleFile {
    /// Writes samples in order as a new chunk.
    static func insertChunk(
        _ batch: StoredBatch, _ layout: Layout, _ database: Database
    ) throws {
        try insertChunk(PreparedChunk(batch, layout), database)
    }

    static func insertChunk(_ chunk: PreparedChunk, _ database: Database) throws {
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

    /// The bytes of a chunk as the samples that it holds.
    ///
    /// - Throws: `ByteReader.Damage`.
    static func decode(_ data: Data, _ layout: Layout) throws -> StoredBatch {
        try data.withUnsafeBytes { raw in
            let reader = try ChunkReader(raw, layout.fields)
            return try reader.batch(
                0..<reader.count, Projection(whole: layout), ChunkOrder(reader))
        }
    }

    /// The same with the columns of a projection, or `nil` when no sample lies in the range.
    static func decode(
        _ data: Data, _ projection: Projection, touching range: TimeRange
    ) throws -> StoredBatch? {
        try data.withUnsafeBytes { raw in
            let reader = try ChunkReader(raw, projection.layout.fields)
            let order = try ChunkOrder(reader)
            if range != .all {
                let times = order.times.values(0..<reader.count)
                let bounds =
                    range.from
                    .microseconds..<max(
                        range.from.microseconds, range.to.microseconds)
                guard times.contains(where: bounds.contains) else { return nil }
            }
            return try reader.batch(0..<reader.count, projection, order)
        }
    }
}

/// A chunk on its way to the file.
struct PreparedChunk: Sendable {
    let layout: Int64
    let from: SampleQuery.Position
    let to: SampleQuery.Position
    let arrivals: ClosedRange<Int64>
    let count: Int
    let data: Data
    let summary: Data

    /// - Precondition: the samples are in order, and there is one at least.
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

extension Projection {
    /// Every field as it is.
    init(whole layout: Layout) {
        self.init(
            layout: layout,
            columns: layout.fields.indices.map { Column(place: $0, becomesNumber: false) },
            isIdentity: true)
    }
}

extension ChunkReader {
    func batch(
        _ rows: Range<Int>, _ projection: Projection, _ order: ChunkOrder
    ) throws(Damage) -> StoredBatch {
        let times = order.times.values(rows).map(Timestamp.init(microseconds:))
        let sequences = order.sequences.values(rows)
        var columns: [Samples.Column] = []
        for column in projection.columns {
            columns.append(column.seen(try self.column(column.place, rows)))
        }
        return StoredBatch(
            sequences: sequences, samples: SampleBatch(times: times, columns: columns))
    }
}
