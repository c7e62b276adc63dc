import Foundation
import GRDB
import Samples
import Statistics

/// Computes summaries and other reductions of samples.
struct SummaryReader: Sendable {
    private let pool: DatabasePool

    init(_ pool: DatabasePool) {
        self.pool = pool
    }

    /// The summaries of all windows of a query.
    func summaries(
        _ query: SummaryQuery, _ source: ReadSource
    ) async throws -> ([WindowSummary], damage: [TimeRange]) {
        try await pool.read { database in
            var summarizer = Summarizer(query)
            var unordered = BatchBuilder(query.fields)
            let last = try RangeReader.lastArrival(source.projections, database)
            unordered.append(source.unwritten(after: last))
            for projection in source.projections.values {
                summarizer.exclude(
                    try ChunkTable.damagedRanges(projection.layout.id, in: query.range, database))
                try summarizer.add(projection, database)
                try UnsealedTable.forEach(projection, within: query.range, database) { batch in
                    unordered.append(batch)
                } damage: {
                    summarizer.exclude([$0])
                }
            }
            let windows = try summarizer.finish(unordered.take().ordered(), database)
            return (windows, summarizer.damage)
        }
    }

    /// The time range of pruned samples that summaries cover, clipped to `range`; `nil` when there are none.
    func summarised(
        in range: TimeRange, _ projections: [Int64: Projection]
    ) async throws -> TimeRange? {
        try await pool.read { database in
            var found: TimeRange?
            for layout in projections.keys {
                func hour(_ order: String) throws -> ChunkEntry? {
                    try Row.fetchOne(
                        database.cachedStatement(
                            sql: """
                                SELECT \(ChunkEntry.columns) FROM rollup
                                WHERE layout = ? AND hour BETWEEN ? AND ? AND toTime >= ?
                                    AND fromTime < ? AND NOT \(ChunkEntry.isUnreadable)
                                ORDER BY hour \(order) LIMIT 1
                                """),
                        arguments: [
                            layout, Rollup.hour(of: range.from), Rollup.hour(of: range.to),
                            range.from.microseconds, range.to.microseconds,
                        ]
                    ).map(ChunkEntry.init)
                }
                guard let first = try hour("ASC"), let last = try hour("DESC") else { continue }
                let reach = TimeRange(from: first.from.time, through: last.to.time)
                found = TimeRange(
                    from: min(reach.from, found?.from ?? reach.from),
                    to: max(reach.to, found?.to ?? reach.to))
            }
            return found?.intersection(range)
        }
    }

    /// Calls `body` with runs of numbers of the only field of the source, in no particular order.
    func reduce<State: Sendable>(
        _ range: TimeRange, _ source: ReadSource, into initial: State,
        _ body: @escaping @Sendable (inout State, UnsafeBufferPointer<Double>) -> Void
    ) async throws -> (State, damage: [TimeRange]) {
        try await pool.read { database in
            var state = initial
            var damage: [TimeRange] = []
            let last = try RangeReader.lastArrival(source.projections, database)
            source.unwritten(after: last).numbers(in: range) { numbers in
                body(&state, numbers)
            }
            for projection in source.projections.values {
                damage += try ChunkTable.damagedRanges(projection.layout.id, in: range, database)
                try UnsealedTable.forEach(projection, within: range, database) { batch in
                    batch.numbers(in: range) { body(&state, $0) }
                } damage: {
                    damage.append($0)
                }
                let entries = try ChunkCursor.entries(database, projection.layout.id, range)
                while let row = try entries.next() {
                    guard let entry = try? ChunkEntry(row) else {
                        damage.append(.all)
                        continue
                    }
                    do {
                        try Self.forEachRun(of: entry, range, projection, database) {
                            body(&state, $0)
                        }
                    } catch is ByteReader.Damage {
                        damage.append(TimeRange(from: entry.from.time, through: entry.to.time))
                    }
                }
            }
            return (state, damage)
        }
    }

    /// Calls `body` with the numbers of one chunk.
    private static func forEachRun(
        of entry: ChunkEntry, _ range: TimeRange, _ projection: Projection, _ database: Database,
        _ body: (UnsafeBufferPointer<Double>) -> Void
    ) throws {
        guard let column = projection.columns.first else { return }
        try ChunkTable.withContent(of: entry.id, database) { data in
            try data.withUnsafeBytes { raw in
                let reader = try ChunkReader(raw, projection.layout.fields)
                guard reader.count == entry.count else { throw ByteReader.Damage() }
                var rows = 0..<reader.count
                if !entry.isWithin(range) {
                    let times = try reader.times()
                    let low = times.firstRow(atOrAfter: range.from.microseconds)
                    rows = low..<max(low, times.firstRow(atOrAfter: range.to.microseconds))
                }
                guard !rows.isEmpty else { return }
                if projection.layout.fields[column.index].kind == .integer {
                    let numbers = try reader.integers(column.index).values(rows).map(Double.init)
                    return numbers.withUnsafeBufferPointer(body)
                }
                let numbers = try reader.numbers(column.index)
                withUnsafeTemporaryAllocation(of: Double.self, capacity: rows.count) { buffer in
                    guard let start = buffer.baseAddress else { return }
                    numbers.decode(rows, into: start)
                    body(UnsafeBufferPointer(start: start, count: rows.count))
                }
            }
        }
    }
}

extension StoredBatch {
    /// Calls `body` with the numbers of the only column in a range.
    fileprivate func numbers(
        in range: TimeRange, _ body: (UnsafeBufferPointer<Double>) -> Void
    ) {
        let kept = filtered { range.contains(samples.times[$0]) }
        switch kept.samples.columns.first {
        case .numbers(let values): values.withUnsafeBufferPointer(body)
        case .integers(let values): values.map(Double.init).withUnsafeBufferPointer(body)
        case .texts, nil: break
        }
    }
}
