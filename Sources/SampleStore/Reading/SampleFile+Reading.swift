import Foundation
import GRDB
import Samples
import Statistics

/// What was read from a file, and what of it could not be.
struct FileAnswer: Sendable {
    var batch: StoredBatch
    /// The largest arrival number that the file has or had of the sensor, 0 for none.
    var lastArrival: Int64
    var damage: [TimeRange]
}

extension SampleFile {
    /// The samples that match, in the query's order.
    ///
    /// - Parameter waiting: what had been accepted and may not have been written.
    func read(
        _ query: SampleQuery, _ fields: [Field], _ projections: [Int64: Projection],
        waiting: StoredBatch
    ) async throws -> FileAnswer {
        try await pool.read { database in
            let last = try Self.lastArrival(projections, database)
            var damage: [TimeRange] = []
            var sources: [OrderedMerge.Source] = []
            var loose = BatchBuilder(fields)
            loose.append(waiting.filtered { waiting.sequences[$0] > last })
            var cursors: [Boxed<ChunkCursor>] = []
            for projection in projections.values {
                damage += try Self.damagedRanges(projection.layout.id, in: query.range, database)
                try Self.eachFresh(projection, within: query.rangeLeft, database) { batch in
                    loose.append(batch.matching(query).first(query))
                    // What comes behind as many as are wanted is not kept.
                    guard loose.isFarBeyond(query) else { return }
                    loose.append(loose.take().first(query))
                } damage: {
                    damage.append($0)
                }
                let cursor = Boxed(try ChunkCursor(database, projection, query))
                cursors.append(cursor)
                sources.append(try .init({ try cursor.value.next() }, of: fields))
            }
            let ordered = loose.take().first(query).ordered()
            sources.append(.init(query.order == .ascending ? ordered : ordered.reversed()))
            let batch = try OrderedMerge.merge(
                sources, query, of: fields)
            for cursor in cursors { damage += cursor.value.damage }
            return FileAnswer(batch: batch, lastArrival: last, damage: damage)
        }
    }

    /// What came after `sequence`, in the order of arrival.
    func arrivals(
        after sequence: Int64, limit: Int, _ fields: [Field], _ projections: [Int64: Projection],
        waiting: StoredBatch
    ) async throws -> FileAnswer {
        try await pool.read { database in
            let last = try Self.lastArrival(projections, database)
            var damage: [TimeRange] = []
            var found = BatchBuilder(fields)
            func take(_ batch: StoredBatch) {
                found.append(batch.filtered { batch.sequences[$0] > sequence })
            }
            for projection in projections.values {
                damage += try Self.damagedRanges(
                    projection.layout.id, after: sequence, database)
                // The chunk that ends first has the earliest arrivals, but others may reach back.
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
                        let batch = try Self.withContent(of: entry.id, database) { data in
                            projection(try Self.decode(data, projection.layout))
                        }
                        count += batch.sequences.count { $0 > sequence }
                        take(batch)
                    } catch is ByteReader.Damage {
                        damage.append(TimeRange(from: entry.from.time, through: entry.to.time))
                    }
                }
                try Self.eachFresh(projection, after: sequence, database) { batch in
                    take(batch)
                    guard found.count / 2 > limit else { return }
                    found.append(found.take().orderedByArrival()[0..<limit])
                } damage: {
                    damage.append($0)
                }
            }
            take(waiting.filtered { waiting.sequences[$0] > last })
            let ordered = found.take().orderedByArrival()
            return FileAnswer(
                batch: ordered[0..<min(limit, ordered.count)], lastArrival: last, damage: damage)
        }
    }

    /// Hands over the fresh samples of a layout as a projection sees them, row by row in the order of
    /// arrival.
    ///
    /// - Parameter range: rows that have no sample there are passed over, by their times alone.
    static func eachFresh(
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
                    try decode(data ?? Data(), projection, touching: range)
                }
                if let batch { try body(batch) }
            } catch is ByteReader.Damage {
                damage(.all)
            }
        }
    }

    /// The last arrival that the file has of these layouts, or had of their sensor.
    static func lastArrival(
        _ projections: [Int64: Projection], _ database: Database
    ) throws -> Int64 {
        var last: Int64 = 0
        for layout in projections.keys {
            let statement = try database.cachedStatement(
                sql: """
                    SELECT max(coalesce((SELECT max(lastArrival) FROM chunk WHERE layout = ?1), 0),
                        coalesce((SELECT max(last) FROM fresh WHERE layout = ?1), 0),
                        coalesce((SELECT through FROM purge WHERE sensor =
                            (SELECT sensor FROM layout WHERE id = ?1)), 0))
                    """)
            last = max(last, try Int64.fetchOne(statement, arguments: [layout]) ?? 0)
        }
        return last
    }
}

extension SampleQuery {
    /// The part of the range where samples behind the place lie at which the page before ended.
    var rangeLeft: TimeRange {
        guard let after else { return range }
        return range.intersection(
            order == .ascending
                ? TimeRange(from: after.time, to: .distantFuture)
                : TimeRange(from: .distantPast, to: after.time.advanced(byMicroseconds: 1)))
    }
}

extension StoredBatch {
    /// The samples that lie in the query's range and behind the place where the page before ended.
    fileprivate func matching(_ query: SampleQuery) -> StoredBatch {
        filtered { row in
            guard query.range.contains(samples.times[row]) else { return false }
            guard let after = query.after else { return true }
            return query.order.places(after, before: position(row))
        }
    }

    /// Those that come first in the query's order, no more than it wants; in any order.
    fileprivate func first(_ query: SampleQuery) -> StoredBatch {
        let textLimit = query.textBytes.flatMap { samples.textBytes > $0 ? $0 : nil }
        guard count > query.limit || textLimit != nil else { return self }
        let ordered = ordered()
        var number = min(count, query.limit)
        if let textLimit {
            var bytes = 0
            let last = (0..<number).first { place in
                let row = query.order == .ascending ? place : count - 1 - place
                bytes += ordered.samples.textBytes(of: row..<row + 1)
                return bytes >= textLimit
            }
            if let last { number = last + 1 }
        }
        return query.order == .ascending ? ordered[0..<number] : ordered[count - number..<count]
    }
}

extension BatchBuilder {
    /// Whether it has gathered so much more than a query wants that some is better let go.
    fileprivate func isFarBeyond(_ query: SampleQuery) -> Bool {
        if count / 2 > query.limit { return true }
        guard let limit = query.textBytes else { return false }
        return textBytes() / 2 > limit
    }
}

/// A value that a closure changes and its maker reads afterwards.
private final class Boxed<Value> {
    var value: Value
    init(_ value: Value) { self.value = value }
}
