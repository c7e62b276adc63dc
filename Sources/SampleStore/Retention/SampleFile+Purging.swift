import Foundation
import GRDB
import Samples

extension SampleFile {
    /// A sensor in the file, whether the machine has it now or not.
    struct Kept: Sendable {
        let row: Int64
        let sensor: SensorID
        var layouts: [Layout] = []
        /// Layouts whose fields are damaged, so that nothing of them can be read.
        var unreadable: [Int64] = []
        var usage = Usage()
    }

    /// What is kept of a sensor in chunks and summaries.
    struct Usage: Sendable {
        var samples: Int64 = 0
        var bytes: Int64 = 0
        var summarised: Int64 = 0
        var summaries: Int64 = 0
        var summaryBytes: Int64 = 0

        var total: Int64 { bytes + summaryBytes }
    }

    func kept() async throws -> [Kept] {
        try await pool.read { try Self.kept($0) }
    }

    static func kept(_ database: Database) throws -> [Kept] {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT sensor.id, name, layout.id, fields, samples, bytes, summarised, summaries,
                    summaryBytes
                FROM sensor JOIN layout ON layout.sensor = sensor.id
                    JOIN usage ON usage.layout = layout.id
                ORDER BY sensor.id, layout.id
                """)
        var kept: [Kept] = []
        while let row = try rows.next() {
            guard let sensor = SensorID(try String.stored(row, 1)) else { continue }
            let id: Int64 = try .stored(row, 0)
            if kept.last?.row != id { kept.append(Kept(row: id, sensor: sensor)) }
            let last = kept.count - 1
            let layout: Int64 = try .stored(row, 2)
            if let whole = try? Layout(id: layout, encoded: .stored(row, 3)) {
                kept[last].layouts.append(whole)
            } else {
                kept[last].unreadable.append(layout)
            }
            // Sums of them do not overflow.
            func amount(_ column: Int) throws -> Int64 {
                min(max(0, try .stored(row, column)), 1 << 50)
            }
            kept[last].usage.samples += try amount(4)
            kept[last].usage.bytes += try amount(5)
            kept[last].usage.summarised += try amount(6)
            kept[last].usage.summaries += try amount(7)
            kept[last].usage.summaryBytes += try amount(8)
        }
        return kept
    }

    /// Takes some samples of a layout out, in one transaction, and keeps summaries of their hours.
    ///
    /// Nothing else may change chunks meanwhile.
    /// - Returns: whether there were any.
    func purge(_ order: PurgePlan.Order) async throws -> Bool {
        let hours = space.hoursPerStep
        let plan = try await pool.read { try PurgePlan(order, hoursAtMost: hours, $0) }
        guard let plan else { return false }
        try await pool.write { try plan.carryOut($0) }
        return true
    }

    /// The oldest chunk of the sensor gives way.
    ///
    /// - Returns: `false` when only the chunk with the newest sample is left.
    func purgeOldest(of kept: Kept, summariesFrom: Timestamp?) async throws -> Bool {
        let (layout, newest) = try await pool.read { database in
            (try Self.oldest(of: kept, database), try Self.newest(of: kept, database))
        }
        guard let layout else { return false }
        return try await purge(
            PurgePlan.Order(
                layout: layout, before: nil, newest: newest, summariesFrom: summariesFrom))
    }

    /// The newest sample of the sensor that is in a chunk.
    func newest(of kept: Kept) async throws -> SampleQuery.Position? {
        try await pool.read { try Self.newest(of: kept, $0) }
    }

    private static func newest(
        of kept: Kept, _ database: Database
    ) throws -> SampleQuery.Position? {
        try edges(of: kept, "DESC", "NOT \(ChunkEntry.isUnreadable)", database)
            .compactMap(\.entry?.to).max()
    }

    /// The layout whose chunks reach farthest back, or whose first cannot be told of.
    private static func oldest(of kept: Kept, _ database: Database) throws -> Layout? {
        let edges = try edges(of: kept, "ASC", "TRUE", database)
        if let damaged = edges.first(where: { $0.entry == nil }) { return damaged.layout }
        return edges.compactMap { layout, entry in entry.map { (layout, $0.from) } }
            .min { $0.1 < $1.1 }?.0
    }

    private static func edges(
        of kept: Kept, _ order: String, _ condition: String, _ database: Database
    ) throws -> [(layout: Layout, entry: ChunkEntry?)] {
        try kept.layouts.compactMap { layout in
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

    /// Takes the oldest summaries of a sensor out, a few of each layout.
    ///
    /// - Parameter before: only those of samples before this moment.
    /// - Returns: whether there were any.
    func purgeSummaries(of kept: Kept, before: Timestamp = .distantFuture) async throws -> Bool {
        let limit = space.hoursPerStep
        return try await pool.write { database in
            var count = 0
            for layout in kept.layouts {
                try database.execute(
                    sql: """
                        DELETE FROM rollup WHERE id IN (
                            SELECT id FROM rollup WHERE layout = ? AND toTime < ?
                            ORDER BY hour LIMIT ?)
                        """, arguments: [layout.id, before.microseconds, limit])
                count += database.changesCount
            }
            return count > 0
        }
    }
}
