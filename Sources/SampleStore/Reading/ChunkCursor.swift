import Foundation
import GRDB
import Samples

/// Iterates over the chunks of one layout that intersect a query, in its order.
struct ChunkCursor {
    private let database: Database
    private let projection: Projection
    private let query: SampleQuery
    private let entries: RowCursor
    /// The time ranges of chunks that could not be read.
    private(set) var damage: [TimeRange] = []

    init(_ database: Database, _ projection: Projection, _ query: SampleQuery) throws {
        self.database = database
        self.projection = projection
        self.query = query
        entries = try Self.entries(
            database, projection.layout.id, query.remainingRange,
            isAscending: query.order == .ascending, isExclusive: false)
    }

    /// The rows of the chunks that intersect a range.
    ///
    /// Chunks do not overlap, so at most one that starts before the range extends into it.
    static func entries(
        _ database: Database, _ layout: Int64, _ range: TimeRange, isAscending: Bool = true,
        isExclusive: Bool = true
    ) throws -> RowCursor {
        let direction = isAscending ? "ASC" : "DESC"
        let sql = """
            SELECT \(ChunkEntry.columns), summary FROM chunk
            WHERE layout = ?1 AND fromTime < ?3 AND toTime >= ?2 AND NOT isDamaged
            AND fromTime >= coalesce((SELECT max(fromTime) FROM chunk
                WHERE layout = ?1 AND fromTime < ?2 AND NOT isDamaged), ?2)
            ORDER BY fromTime \(direction), fromSequence \(direction)
            """
        // Cursors that are iterated concurrently cannot share a cached statement.
        let statement =
            try isExclusive
            ? database.cachedStatement(sql: sql) : database.makeStatement(sql: sql)
        return try Row.fetchCursor(
            statement,
            arguments: [layout, range.from.microseconds, range.to.microseconds])
    }

    /// The matching samples of the next chunk that has any, up to the limit of the query.
    mutating func next() throws -> StoredBatch? {
        while let row = try entries.next() {
            guard let entry = try? ChunkEntry(row) else {
                damage.append(.all)
                continue
            }
            do {
                let batch = try samples(of: entry)
                if !batch.isEmpty { return batch }
            } catch is ByteReader.Damage {
                damage.append(TimeRange(from: entry.from.time, through: entry.to.time))
            }
        }
        return nil
    }

    private func samples(of entry: ChunkEntry) throws -> StoredBatch {
        try ChunkTable.withContent(of: entry.id, database) { data in
            try data.withUnsafeBytes { raw in
                let reader = try ChunkReader(raw, projection.layout.fields)
                let order = try ChunkOrder(reader, entry)
                let batch = try reader.batch(wanted(order, entry), projection, order)
                return query.order == .ascending ? batch : batch.reversed()
            }
        }
    }

    /// The rows in the query's range, after its position `after`.
    private func wanted(_ order: ChunkOrder, _ entry: ChunkEntry) -> Range<Int> {
        var rows = 0..<entry.count
        if !entry.isWithin(query.range) || query.after != nil {
            let (times, sequences) = (order.times, order.sequences)
            var low = times.firstRow(atOrAfter: query.range.from.microseconds)
            var high = times.firstRow(atOrAfter: query.range.to.microseconds)
            if let after = query.after {
                let start = times.firstRow(atOrAfter: after.time.microseconds)
                let end = times.firstRow(
                    atOrAfter: after.time.advanced(byMicroseconds: 1).microseconds)
                let equal = sequences.values(start..<max(start, end))
                if query.order == .ascending {
                    low = max(low, start + equal.count { $0 <= after.sequence })
                } else {
                    high = min(high, start + equal.count { $0 < after.sequence })
                }
            }
            rows = min(low, high)..<high
        }
        guard rows.count > query.limit else { return rows }
        return query.order == .ascending
            ? rows.prefix(query.limit) : rows.suffix(query.limit)
    }
}

extension TimeRange {
    /// The range from `first` to `last`, both included.
    init(from first: Timestamp, through last: Timestamp) {
        self.init(from: first, to: last.advanced(byMicroseconds: 1))
    }
}
