import Foundation
import GRDB
import Samples
import Statistics

/// What a read needs besides the file: the fields of the result, the projections to them, and the samples
/// that were accepted but may not have been written.
struct ReadSource: Sendable {
    let fields: [Field]
    /// The projections by the row of their layout.
    let projections: [Int64: Projection]
    /// The unwritten samples, ordered by sequence number, with ``fields``.
    let unwritten: StoredBatch

    /// The unwritten samples that a snapshot of the file does not contain.
    ///
    /// - Parameter last: the last sequence number in the snapshot.
    func unwritten(after last: Int64) -> StoredBatch {
        unwritten.filtered { unwritten.sequences[$0] > last }
    }
}

/// Samples that were read, and the time ranges in which some could not be.
struct ReadResult: Sendable {
    var batch: StoredBatch
    var damage: [TimeRange]
}

/// Reads samples in the order of time or of sequence numbers.
struct RangeReader: Sendable {
    private let pool: DatabasePool

    init(_ pool: DatabasePool) {
        self.pool = pool
    }

    /// The samples that match a query, in its order.
    func read(
        _ query: SampleQuery, _ source: ReadSource
    ) async throws -> ReadResult {
        try await pool.read { database in
            let last = try RangeReader.lastArrival(source.projections, database)
            var damage: [TimeRange] = []
            var sources: [OrderedMerge.Source] = []
            var unordered = BatchBuilder(source.fields)
            unordered.append(source.unwritten(after: last))
            var cursors: [Boxed<ChunkCursor>] = []
            for projection in source.projections.values {
                damage += try ChunkTable.damagedRanges(
                    projection.layout.id, in: query.range, database)
                try UnsealedTable.forEach(projection, within: query.remainingRange, database) {
                    batch in
                    unordered.append(batch.matching(query).first(query))
                    // Samples beyond the limit are discarded early.
                    guard unordered.exceedsLimits(of: query) else { return }
                    unordered.append(unordered.take().first(query))
                } damage: {
                    damage.append($0)
                }
                let cursor = Boxed(try ChunkCursor(database, projection, query))
                cursors.append(cursor)
                sources.append(try .init({ try cursor.value.next() }, of: source.fields))
            }
            let ordered = unordered.take().first(query).ordered()
            sources.append(.init(query.order == .ascending ? ordered : ordered.reversed()))
            let batch = try OrderedMerge.merge(sources, query, of: source.fields)
            for cursor in cursors { damage += cursor.value.damage }
            return ReadResult(batch: batch, damage: damage)
        }
    }

    /// The samples after a sequence number, in the order of sequence numbers.
    func arrivals(
        after sequence: Int64, limit: Int, _ source: ReadSource
    ) async throws -> ReadResult {
        try await pool.read { database in
            let last = try RangeReader.lastArrival(source.projections, database)
            var damage: [TimeRange] = []
            var found = BatchBuilder(source.fields)
            func take(_ batch: StoredBatch) {
                found.append(batch.filtered { batch.sequences[$0] > sequence })
            }
            for projection in source.projections.values {
                damage += try ChunkTable.damagedRanges(
                    projection.layout.id, after: sequence, database)
                // Chunks come in the order of their last sequence numbers; a later chunk can still
                // contain lower sequence numbers.
                var bound = Int64.max
                var count = 0
                let rows = try Row.fetchCursor(
                    database.makeStatement(
                        sql: """
                            SELECT \(ChunkEntry.columns), firstArrival, lastArrival FROM chunk
                            WHERE layout = ? AND lastArrival > ? AND NOT isDamaged
                            ORDER BY lastArrival
                            """), arguments: [projection.layout.id, sequence])
                while let row = try rows.next() {
                    let (first, end) = (try Int64.stored(row, 6), try Int64.stored(row, 7))
                    if count >= limit { if first > bound { continue } } else { bound = end }
                    guard let entry = try? ChunkEntry(row) else {
                        damage.append(.all)
                        continue
                    }
                    do {
                        let batch = try ChunkTable.withContent(of: entry.id, database) { data in
                            projection(try ChunkReader.decode(data, projection.layout))
                        }
                        count += batch.sequences.count { $0 > sequence }
                        take(batch)
                    } catch is ByteReader.Damage {
                        damage.append(TimeRange(from: entry.from.time, through: entry.to.time))
                    }
                }
                try UnsealedTable.forEach(projection, after: sequence, database) { batch in
                    take(batch)
                    guard found.count / 2 > limit else { return }
                    found.append(found.take().orderedByArrival()[0..<limit])
                } damage: {
                    damage.append($0)
                }
            }
            take(source.unwritten(after: last))
            let ordered = found.take().orderedByArrival()
            return ReadResult(
                batch: ordered[0..<min(limit, ordered.count)], damage: damage)
        }
    }

    /// The last sequence number of these layouts in the file, or of pruned samples of their sensor.
    static func lastArrival(
        _ projections: [Int64: Projection], _ database: Database
    ) throws -> Int64 {
        var last: Int64 = 0
        for layout in projections.keys {
            let statement = try database.cachedStatement(
                sql: """
                    SELECT max(coalesce((SELECT max(lastArrival) FROM chunk WHERE layout = ?1), 0),
                        coalesce((SELECT through FROM purge WHERE sensor =
                            (SELECT sensor FROM layout WHERE id = ?1)), 0))
                    """)
            last = max(
                last, try Int64.fetchOne(statement, arguments: [layout]) ?? 0,
                try UnsealedTable.lastArrival(layout, database) ?? 0)
        }
        return last
    }
}

/// Merges sorted sources in runs instead of one sample at a time.
private struct OrderedMerge {
    /// Consecutive batches in the query's order.
    struct Source {
        private var batch: StoredBatch
        private var row = 0
        private var refill: () throws -> StoredBatch?

        init(_ batch: StoredBatch) {
            self.batch = batch
            refill = { nil }
        }

        init(_ refill: @escaping () throws -> StoredBatch?, of fields: [Field]) throws {
            self.refill = refill
            batch = try refill() ?? StoredBatch(of: fields)
        }

        var head: SampleQuery.Position? { row < batch.count ? batch.position(row) : nil }

        /// Moves samples before `bound` to `builder`.
        mutating func move(
            to builder: inout BatchBuilder, before bound: SampleQuery.Position?, atMost limit: Int,
            _ order: SampleQuery.Order
        ) throws {
            var end = min(batch.count, row + min(limit, batch.count))
            if let bound, !order.isBefore(batch.position(end - 1), bound) {
                var (low, high) = (row, end)
                while low < high {
                    let middle = (low + high) / 2
                    if order.isBefore(batch.position(middle), bound) {
                        low = middle + 1
                    } else {
                        high = middle
                    }
                }
                // Equal positions exist only in damaged files; moving one makes progress.
                end = max(low, row + 1)
            }
            builder.append(batch, row..<end)
            row = end
            if row == batch.count, let more = try refill() { (batch, row) = (more, 0) }
        }
    }

    static func merge(
        _ sources: [Source], _ query: SampleQuery, of fields: [Field]
    ) throws -> StoredBatch {
        let (order, limit) = (query.order, query.limit)
        var sources = sources
        var builder = BatchBuilder(fields)
        var textBytes = 0
        while builder.count < limit, textBytes < query.textBytes ?? .max {
            let before = builder.count
            let heads = sources.indices.compactMap { index in
                sources[index].head.map { (index, $0) }
            }.sorted { order.isBefore($0.1, $1.1) }
            guard let (index, _) = heads.first else { break }
            try sources[index].move(
                to: &builder, before: heads.dropFirst().first?.1,
                atMost: limit - builder.count, order)
            if query.textBytes != nil { textBytes += builder.textBytes(from: before) }
        }
        return builder.take()
    }
}

extension SampleQuery {
    /// The part of the range that can contain samples after the position `after`.
    var remainingRange: TimeRange {
        guard let after else { return range }
        return range.intersection(
            order == .ascending
                ? TimeRange(from: after.time, to: .distantFuture)
                : TimeRange(from: .distantPast, to: after.time.advanced(byMicroseconds: 1)))
    }
}

extension StoredBatch {
    /// The samples in the query's range, after its position `after`.
    fileprivate func matching(_ query: SampleQuery) -> StoredBatch {
        filtered { row in
            guard query.range.contains(samples.times[row]) else { return false }
            guard let after = query.after else { return true }
            return query.order.isBefore(after, position(row))
        }
    }

    /// The samples that come first in the query's order, up to its limits; the result may be in any order.
    fileprivate func first(_ query: SampleQuery) -> StoredBatch {
        let textLimit = query.textBytes.flatMap { samples.textBytes > $0 ? $0 : nil }
        guard count > query.limit || textLimit != nil else { return self }
        let ordered = ordered()
        var number = min(count, query.limit)
        if let textLimit {
            var bytes = 0
            let last = (0..<number).first { index in
                let row = query.order == .ascending ? index : count - 1 - index
                bytes += ordered.samples.textBytes(of: row..<row + 1)
                return bytes >= textLimit
            }
            if let last { number = last + 1 }
        }
        return query.order == .ascending ? ordered[0..<number] : ordered[count - number..<count]
    }
}

extension BatchBuilder {
    /// Whether it has collected so many samples beyond the limit that discarding some pays.
    fileprivate func exceedsLimits(of query: SampleQuery) -> Bool {
        if count / 2 > query.limit { return true }
        guard let limit = query.textBytes else { return false }
        return textBytes() / 2 > limit
    }
}

/// A value shared with a closure that modifies it.
private final class Boxed<Value> {
    var value: Value
    init(_ value: Value) { self.value = value }
}
