import Foundation
import GRDB
import Samples

/// Makes the summaries of a query, from the summaries of groups and chunks wherever a whole one falls
/// into a window.
struct Summarizer {
    private let query: SummaryQuery
    private(set) var windows: [WindowSummary]
    private(set) var damage: [TimeRange] = []

    init(_ query: SummaryQuery) {
        self.query = query
        windows = Array(repeating: WindowSummary(query), count: query.windowCount)
    }

    /// Adds what a file has of one layout in chunks.
    mutating func add(_ projection: Projection, _ database: Database) throws {
        var done: SampleQuery.Position?
        for (group, summary) in try groups(projection, database) {
            try addChunks(projection, behind: done, before: group.from, database)
            add(summary, of: group, projection)
            done = group.to
        }
        try addChunks(projection, behind: done, before: nil, database)
        try addRollups(projection, database)
    }

    /// Adds samples that are in order and have the query's fields.
    mutating func add(_ batch: StoredBatch) {
        guard !batch.isEmpty else { return }
        let times = batch.samples.times
        var row = times.firstIndex { $0 >= query.range.from } ?? times.count
        while row < times.count, times[row] < query.range.to {
            let window = query.window(of: times[row])
            let end = query.span(of: window).to
            var (low, high) = (row, times.count)
            while low < high {
                let middle = (low + high) / 2
                if times[middle] < end { low = middle + 1 } else { high = middle }
            }
            windows[window].count += low - row
            for (place, column) in batch.samples.columns.enumerated() {
                insert(
                    column, row..<low, window, place, batch.position(row), batch.position(low - 1))
            }
            row = low
        }
    }

    // MARK: - Groups

    /// The groups that fall whole into one window, in order, none of them damaged.
    private func groups(
        _ projection: Projection, _ database: Database
    ) throws -> [(ChunkEntry, ChunkSummary)] {
        let rows = try Row.fetchCursor(
            database.cachedStatement(
                sql: """
                    SELECT \(ChunkEntry.columns), summary FROM chunkGroup
                    WHERE layout = ? AND fromTime >= ? AND fromTime < ?
                    ORDER BY fromTime, fromSequence
                    """),
            arguments: [
                projection.layout.id, query.range.from.microseconds, query.range.to.microseconds,
            ])
        var groups: [(ChunkEntry, ChunkSummary)] = []
        while let row = try rows.next() {
            let group = try ChunkEntry(row)
            guard isInOneWindow(group), let summary = summary(of: group, row, projection) else {
                continue
            }
            groups.append((group, summary))
        }
        return groups
    }

    private func isInOneWindow(_ entry: ChunkEntry) -> Bool {
        entry.isWithin(query.range)
            && query.window(of: entry.from.time) == query.window(of: entry.to.time)
    }

    /// - Returns: `nil` when the summary is damaged.
    private func summary(
        of entry: ChunkEntry, _ row: Row, _ projection: Projection
    ) -> ChunkSummary? {
        try? row.withUnsafeData(atIndex: 6) { data in
            try ChunkSummary(
                data ?? Data(), projection.layout.fields, entry, hasSketch: query.hasSketch)
        }
    }

    private mutating func add(
        _ summary: ChunkSummary, of entry: ChunkEntry, _ projection: Projection
    ) {
        let window = query.window(of: entry.from.time)
        windows[window].count += entry.count
        for (place, column) in projection.columns.enumerated() {
            if let field = summary.fields[column.place] {
                windows[window].fields[place].merge(field)
            }
        }
    }

    // MARK: - Hours whose samples are gone

    private mutating func addRollups(_ projection: Projection, _ database: Database) throws {
        let rows = try Row.fetchCursor(
            database.cachedStatement(
                sql: """
                    SELECT \(ChunkEntry.columns), summary FROM rollup
                    WHERE layout = ? AND hour >= ? AND hour <= ? ORDER BY hour
                    """),
            arguments: [
                projection.layout.id, Rollup.hour(of: query.range.from),
                Rollup.hour(of: query.range.to),
            ])
        while let row = try rows.next() {
            let entry = try ChunkEntry(row)
            let reach = TimeRange(from: entry.from.time, through: entry.to.time)
                .intersection(query.range)
            guard !reach.isEmpty else { continue }
            let touched =
                query.window(
                    of: reach.from)...query.window(
                    of: reach.to.advanced(byMicroseconds: -1))
            if isInOneWindow(entry), let summary = summary(of: entry, row, projection) {
                add(summary, of: entry, projection)
                windows[touched.lowerBound].isFromSummaries = true
            } else {
                for window in touched { windows[window].isPartial = true }
            }
        }
    }

    // MARK: - Chunks

    /// Adds the chunks between two groups that are taken whole.
    private mutating func addChunks(
        _ projection: Projection, behind done: SampleQuery.Position?,
        before bound: SampleQuery.Position?, _ database: Database
    ) throws {
        let from = done?.time ?? query.range.from
        let end = bound?.time.advanced(byMicroseconds: 1) ?? query.range.to
        guard from < query.range.to else { return }
        let rows = try ChunkCursor.entries(
            database, projection.layout.id, TimeRange(from: from, to: min(end, query.range.to)))
        while let row = try rows.next() {
            let entry = try ChunkEntry(row)
            if let bound, entry.from >= bound { break }
            if let done, entry.from <= done { continue }
            try add(entry, row, projection, database)
        }
    }

    private mutating func add(
        _ entry: ChunkEntry, _ row: Row, _ projection: Projection, _ database: Database
    ) throws {
        if isInOneWindow(entry), let summary = summary(of: entry, row, projection) {
            return add(summary, of: entry, projection)
        }
        do {
            try SampleFile.withContent(of: entry.id, database) { data in
                guard let data else { return }
                try data.withUnsafeBytes { raw in
                    try add(ChunkReader(raw, projection.layout.fields), projection)
                }
            }
        } catch is ByteReader.Damage {
            damage.append(TimeRange(from: entry.from.time, through: entry.to.time))
        }
    }

    /// Adds the samples of a chunk that lie in the range, window by window.
    private mutating func add(
        _ reader: ChunkReader, _ projection: Projection
    ) throws(ByteReader.Damage) {
        let times = try reader.times()
        let sequences = try reader.sequences()
        var row = times.firstRow(atOrAfter: query.range.from.microseconds)
        while row < reader.count {
            let time = Timestamp(microseconds: times.values(row..<row + 1)[0])
            guard time < query.range.to else { break }
            let window = query.window(of: time)
            let end = times.firstRow(atOrAfter: query.span(of: window).to.microseconds)
            let last = Timestamp(microseconds: times.values(end - 1..<end)[0])
            let from = SampleQuery.Position(
                time: time, sequence: sequences.values(row..<row + 1)[0])
            let to = SampleQuery.Position(time: last, sequence: sequences.values(end - 1..<end)[0])
            windows[window].count += end - row
            for (place, column) in projection.columns.enumerated() {
                insert(
                    column.seen(try reader.column(column.place, row..<end)), 0..<end - row, window,
                    place, from, to)
            }
            row = end
        }
    }

    private mutating func insert(
        _ column: Samples.Column, _ rows: Range<Int>, _ window: Int, _ place: Int,
        _ from: SampleQuery.Position, _ to: SampleQuery.Position
    ) {
        switch column {
        case .numbers(let values):
            values.withUnsafeBufferPointer { numbers in
                windows[window].fields[place].insert(
                    UnsafeBufferPointer(rebasing: numbers[rows]), from: from, to: to)
            }
        case .integers(let values):
            let numbers = values[rows].map(Double.init)
            numbers.withUnsafeBufferPointer {
                windows[window].fields[place].insert($0, from: from, to: to)
            }
        case .texts: break
        }
    }
}
