import Foundation
import GRDB
import Samples
import Statistics

/// Prunes samples and summaries in small steps, each in one transaction.
///
/// Nothing else may modify chunks during a step.
struct SamplePruner: Sendable {
    /// The samples of a layout to prune.
    struct Order: Sendable {
        let layout: Layout
        /// Prunes samples before this time; `nil` prunes the oldest chunk, whatever its time.
        var before: Timestamp?
        /// The newest sample of the sensor, which is kept.
        var newest: SampleQuery.Position?
        /// Older samples are not summarised; `nil` to summarise all.
        var summariesFrom: Timestamp?
        /// Prunes the older half of the oldest chunk if it contains the newest sample.
        var splitsNewest = false
    }

    private let pool: DatabasePool
    private let hoursPerStep: Int

    init(_ pool: DatabasePool, _ space: SpaceRules) {
        self.pool = pool
        hoursPerStep = space.hoursPerStep
    }

    /// Prunes some samples of a layout and inserts summaries of their hours.
    ///
    /// - Returns: whether there were any.
    func prune(_ order: Order) async throws -> Bool {
        let plan = try await pool.read { try PrunePlan(order, hoursAtMost: hoursPerStep, $0) }
        guard let plan else { return false }
        try await pool.write { try plan.apply($0) }
        return true
    }

    /// Prunes the oldest chunk of a sensor.
    ///
    /// - Parameter splitsNewest: whether to prune the older half of the chunk with the newest sample.
    /// - Returns: `false` when only the chunk with the newest sample is left, or only that sample.
    func pruneOldest(
        of sensor: StoredSensor, summariesFrom: Timestamp?, splitsNewest: Bool
    ) async throws -> Bool {
        let (layout, newest) = try await pool.read { database in
            (try Self.oldest(of: sensor, database), try Self.newest(of: sensor, database))
        }
        guard let layout else { return false }
        return try await prune(
            Order(
                layout: layout, before: nil, newest: newest, summariesFrom: summariesFrom,
                splitsNewest: splitsNewest))
    }

    /// The newest sample of the sensor that is in a chunk.
    func newest(of sensor: StoredSensor) async throws -> SampleQuery.Position? {
        try await pool.read { try Self.newest(of: sensor, $0) }
    }

    /// Removes the oldest hourly summaries of a sensor, a few of each layout.
    ///
    /// - Parameter before: only summaries of samples before this time.
    /// - Returns: whether there were any.
    func pruneSummaries(of sensor: StoredSensor, before: Timestamp = .distantFuture) async throws
        -> Bool
    {
        try await pool.write { database in
            var count = 0
            for layout in sensor.layouts {
                try database.execute(
                    sql: """
                        DELETE FROM rollup WHERE id IN (
                            SELECT id FROM rollup WHERE layout = ? AND toTime < ?
                            ORDER BY hour LIMIT ?)
                        """, arguments: [layout.id, before.microseconds, hoursPerStep])
                count += database.changesCount
            }
            return count > 0
        }
    }

    /// Removes some rows of a layout whose fields are damaged, so that its samples cannot be
    /// decoded.
    ///
    /// - Returns: the number of rows; 0 when nothing is left.
    func remove(unreadable layout: Int64, isForgotten: Bool = false) async throws -> Int {
        try await pool.write { database in
            var count = 0
            let chunks = try Int64.fetchAll(
                database, sql: "SELECT id FROM chunk WHERE layout = ? LIMIT 16",
                arguments: [layout])
            for chunk in chunks { try ChunkTable.remove(chunk, database) }
            count += chunks.count
            for (table, id) in [("fresh", "first"), ("rollup", "id"), ("chunkGroup", "id")] {
                try database.execute(
                    sql: """
                        DELETE FROM \(table) WHERE \(id) IN (
                            SELECT \(id) FROM \(table) WHERE layout = ? LIMIT 64)
                        """, arguments: [layout])
                count += database.changesCount
            }
            if count > 0, isForgotten { try TraceEraser.markDue(database) }
            if count == 0 || !chunks.isEmpty { try UsageTable.recount(layout, database) }
            return count
        }
    }

    private static func newest(
        of sensor: StoredSensor, _ database: Database
    ) throws -> SampleQuery.Position? {
        try edges(of: sensor, "DESC", "NOT \(ChunkEntry.isUnreadable)", database)
            .compactMap(\.entry?.to).max()
    }

    /// The layout with the oldest chunk, or with a damaged chunk row.
    private static func oldest(of sensor: StoredSensor, _ database: Database) throws -> Layout? {
        let edges = try edges(of: sensor, "ASC", "TRUE", database)
        if let damaged = edges.first(where: { $0.entry == nil }) { return damaged.layout }
        return edges.compactMap { layout, entry in entry.map { (layout, $0.from) } }
            .min { $0.1 < $1.1 }?.0
    }

    private static func edges(
        of sensor: StoredSensor, _ order: String, _ condition: String, _ database: Database
    ) throws -> [(layout: Layout, entry: ChunkEntry?)] {
        try sensor.layouts.compactMap { layout in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT \(ChunkEntry.columns) FROM chunk WHERE layout = ? AND \(condition)
                    ORDER BY fromTime \(order), fromSequence \(order) LIMIT 1
                    """)
            return try Row.fetchOne(statement, arguments: [layout.id]).map {
                (layout, try? ChunkEntry($0))
            }
        }
    }
}

/// The samples of one chunk that are pruned, and the summaries and the chunk that replace them.
private struct PrunePlan: Sendable {
    private let layout: Layout
    private let chunk: Int64
    /// The last sequence number among the pruned samples.
    private let last: Int64
    private let rollups: [Rollup]
    private let rest: PreparedChunk?
    /// Whether the chunk's row has a valid count.
    private let isCounted: Bool

    /// - Returns: `nil` when there is nothing to prune.
    init?(_ order: SamplePruner.Order, hoursAtMost: Int, _ database: Database) throws {
        let oldest = try Row.fetchOne(
            database,
            sql: """
                SELECT \(ChunkEntry.columns), lastArrival FROM chunk
                WHERE layout = ? AND fromTime < ? ORDER BY fromTime, fromSequence LIMIT 1
                """,
            arguments: [
                order.layout.id, (order.before ?? .distantFuture).microseconds,
            ])
        guard let oldest else { return nil }
        layout = order.layout
        chunk = try .stored(oldest, 0)
        guard let entry = try? ChunkEntry(oldest) else {
            (rollups, rest, last, isCounted) = ([], nil, 0, false)
            return
        }
        isCounted = true
        let lastArrival: Int64 = try .stored(oldest, 6)
        do {
            let samples = try ChunkTable.withContent(of: entry.id, database) { data in
                try ChunkReader.decode(data, order.layout)
            }
            let hours = Self.hours(of: samples, order, atMost: hoursAtMost)
            guard let end = hours.last?.upperBound else { return nil }
            let kept = order.summariesFrom ?? .distantPast
            rollups = hours.filter {
                Rollup.start(of: samples.samples.times[$0.lowerBound]) >= kept
            }
            .map { Rollup(samples[$0]) }
            last = samples.sequences[0..<end].max() ?? lastArrival
            let rest = samples[end..<samples.count]
            self.rest = rest.isEmpty ? nil : PreparedChunk(rest, layout)
        } catch is ByteReader.Damage {
            // A damaged chunk is removed whole, unless it contains the newest sample.
            guard entry.to != order.newest else { return nil }
            (rollups, rest, last) = ([], nil, lastArrival)
        }
    }

    func apply(_ database: Database) throws {
        try ChunkTable.remove(chunk, database)
        if !isCounted { try UsageTable.recount(layout.id, database) }
        if let rest { try ChunkTable.insert(rest, database) }
        for rollup in rollups { try RollupTable.insert(rollup, layout, database) }
        try RetentionTable.mark(prunedThrough: last, of: layout.id, database)
    }

    /// The pruned rows, hour by hour.
    private static func hours(
        of samples: StoredBatch, _ order: SamplePruner.Order, atMost limit: Int
    ) -> ArraySlice<Range<Int>> {
        var end = samples.count
        if let before = order.before {
            end = (0..<samples.count).partitioningIndex { samples.samples.times[$0] >= before }
        }
        let newest = samples.position(samples.count - 1) == order.newest
        if newest {
            if order.before != nil {
                end = min(end, samples.count - 1)
            } else {
                // The budget prunes whole chunks, except for a client beyond its share.
                end = order.splitsNewest ? samples.count / 2 : 0
            }
        }
        return Rollup.hours(of: samples[0..<end]).prefix(limit)
    }
}
