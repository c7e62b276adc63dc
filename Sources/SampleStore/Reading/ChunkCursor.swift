import Foundation
import GRDB
import Samples

/// The chunks of one layout that a query touches, one after the other in its order.
struct ChunkCursor {
    private let database: Database
    private let projection: Projection
    private let query: SampleQuery
    private let entries: RowCursor
    /// Ranges of chunks that could not be read.
    private(set) var damage: [TimeRange] = []

    init(_ database: Database, _ projection: Projection, _ query: SampleQuery) throws {
        self.database = database
        self.projection = projection
        self.query = query
        // Behind the place where a page ended, no earlier chunk has anything to say.
        entries = try Self.entries(
            database, projection.layout.id, query.rangeLeft,
            isAscending: query.order == .ascending, isAlone: false)
    }

    /// The chunks that overlap a range.
    ///
    /// They do not overlap each other, so at most one that begins before the range reaches into it.
    static func entries(
        _ database: Database, _ layout: Int64, _ range: TimeRange, isAscending: Bool = true,
        isAlone: Bool = true
    ) throws -> RowCursor {
        let direction = isAscending ? "ASC" : "DESC"
        let sql = """
            SELECT \(ChunkEntry.columns), summary FROM chunk
            WHERE layout = ?1 AND fromTime < ?3 AND toTime >= ?2 AND NOT isDamaged
            AND fromTime >= coalesce((SELECT max(fromTime) FROM chunk
                WHERE layout = ?1 AND fromTime < ?2 AND NOT isDamaged), ?2)
            ORDER BY fromTime \(direction), fromSequence \(direction)
            """
        // One that is read while another of its kind is read needs a statement of its own.
        let statement =
            try isAlone
            ? database.cachedStatement(sql: sql) : database.makeStatement(sql: sql)
        return try Row.fetchCursor(
            statement,
            arguments: [layout, range.from.microseconds, range.to.microseconds])
    }

    /// The matching samples of the next chunk that has any, at most as many as the query wants.
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
        try SampleFile.withContent(of: entry.id, database) { data in
            try data.withUnsafeBytes { raw in
                let reader = try ChunkReader(raw, projection.layout.fields)
                let order = try ChunkOrder(reader, entry)
                let batch = try reader.batch(wanted(order, entry), projection, order)
                return query.order == .ascending ? batch : batch.reversed()
            }
        }
    }

    /// The rows that lie in the range and behind the place where the page before ended.
    private func wanted(_ order: ChunkOrder, _ entry: ChunkEntry) -> Range<Int> {
        var rows = 0..<entry.count
        if !entry.isWithin(query.range) || query.after != nil {
            let (times, sequences) = (order.times, order.sequences)
            var low = times.firstRow(atOrAfter: query.range.from.microseconds)
            var high = times.firstRow(atOrAfter: query.range.to.microseconds)
            if let after = query.after {
                let place = times.firstRow(atOrAfter: after.time.microseconds)
                let end = times.firstRow(
                    atOrAfter: after.time.advanced(byMicroseconds: 1).microseconds)
                let equal = sequences.values(place..<max(place, end))
                if query.order == .ascending {
                    low = max(low, place + equal.count { $0 <= after.sequence })
                } else {
                    high = min(high, place + equal.count { $0 < after.sequence })
                }
            }
            rows = min(low, high)..<high
        }
        guard rows.count > query.limit else { return rows }
        return query.order == .ascending
            ? rows.prefix(query.limit) : rows.suffix(query.limit)
    }
}

extension SampleFile {
    /// Where chunks lie that were found damaged before and are not read any more.
    ///
    /// - Parameter sequence: only those that hold what arrived after it.
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

    /// Lends the bytes of a chunk.
    ///
    /// - Throws: `ByteReader.Damage`, also when they are gone.
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
}

extension IntegerColumnReader {
    /// The first row of an ascending column whose value is not below `bound`; `count` when none is.
    func firstRow(atOrAfter bound: Int64) -> Int {
        var (low, high) = (0, count)
        let size = BitPacking.blockSize
        // Whole blocks first: taking out one value takes out its block.
        var (lowBlock, highBlock) = (0, (count + size - 1) / size)
        while lowBlock < highBlock {
            let middle = (lowBlock + highBlock) / 2
            if value(middle * size) < bound { lowBlock = middle + 1 } else { highBlock = middle }
        }
        low = max(0, (lowBlock - 1) * size)
        high = min(count, lowBlock * size)
        let block = values(low..<high)
        return low + (block.firstIndex { $0 >= bound } ?? block.count)
    }

    private func value(_ row: Int) -> Int64 { values(row..<row + 1).first ?? 0 }
}

extension TimeRange {
    /// The moments from `first` to `last`, both included.
    init(from first: Timestamp, through last: Timestamp) {
        self.init(from: first, to: last.advanced(byMicroseconds: 1))
    }
}
