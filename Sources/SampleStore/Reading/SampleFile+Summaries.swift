import Foundation
import GRDB
import Samples
import Statistics

extension SampleFile {
    /// - Parameter waiting: what had been accepted and may not have been written.
    func summaries(
        _ query: SummaryQuery, _ projections: [Int64: Projection], waiting: StoredBatch
    ) async throws -> ([WindowSummary], damage: [TimeRange]) {
        try await pool.read { database in
            var summarizer = Summarizer(query)
            var loose = BatchBuilder(query.fields)
            let last = try Self.lastArrival(projections, database)
            loose.append(waiting.filtered { waiting.sequences[$0] > last })
            for projection in projections.values {
                summarizer.leaveOut(
                    try Self.damagedRanges(projection.layout.id, in: query.range, database))
                try summarizer.add(projection, database)
                try Self.eachFresh(projection, within: query.range, database) { batch in
                    loose.append(batch)
                } damage: {
                    summarizer.leaveOut([$0])
                }
            }
            let windows = try summarizer.finish(loose.take().ordered(), database)
            return (windows, summarizer.damage)
        }
    }

    /// The stretch of time of the samples that are gone and known by summaries, as far as it lies in a
    /// range; `nil` when there are none.
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

    /// Hands the numbers of the only field of the projections over.
    func reduce<State: Sendable>(
        _ range: TimeRange, _ projections: [Int64: Projection], waiting: StoredBatch,
        into initial: State,
        _ body: @escaping @Sendable (inout State, UnsafeBufferPointer<Double>) -> Void
    ) async throws -> (State, damage: [TimeRange]) {
        try await pool.read { database in
            var state = initial
            var damage: [TimeRange] = []
            let last = try Self.lastArrival(projections, database)
            waiting.filtered { waiting.sequences[$0] > last }.numbers(in: range) { numbers in
                body(&state, numbers)
            }
            for projection in projections.values {
                damage += try Self.damagedRanges(projection.layout.id, in: range, database)
                try Self.eachFresh(projection, within: range, database) { batch in
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
                        try Self.eachNumber(of: entry, range, projection, database) {
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

    private static func eachNumber(
        of entry: ChunkEntry, _ range: TimeRange, _ projection: Projection, _ database: Database,
        _ body: (UnsafeBufferPointer<Double>) -> Void
    ) throws {
        guard let column = projection.columns.first else { return }
        try withContent(of: entry.id, database) { data in
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
                if projection.layout.fields[column.place].kind == .integer {
                    let numbers = try reader.integers(column.place).values(rows).map(Double.init)
                    return numbers.withUnsafeBufferPointer(body)
                }
                let numbers = try reader.numbers(column.place)
                withUnsafeTemporaryAllocation(of: Double.self, capacity: rows.count) { room in
                    guard let start = room.baseAddress else { return }
                    numbers.decode(rows, into: start)
                    body(UnsafeBufferPointer(start: start, count: rows.count))
                }
            }
        }
    }
}

extension StoredBatch {
    /// The numbers of the only column whose samples lie in the range.
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
