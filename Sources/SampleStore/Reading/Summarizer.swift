import Foundation
import GRDB
import Samples
import Statistics

/// Computes the summaries of a query; where a group or chunk lies entirely in one window, from its
/// stored summary.
struct Summarizer {
    private let query: SummaryQuery
    private var collected: WindowSummaries
    private var timeline: Timeline
    private(set) var damage: [TimeRange] = []

    init(_ query: SummaryQuery) {
        self.query = query
        collected = WindowSummaries(query)
        timeline = Timeline(query)
    }

    /// Adds the chunks and hourly summaries of one layout.
    mutating func add(_ projection: Projection, _ database: Database) throws {
        var done: SampleQuery.Position?
        for (group, summary) in try groups(projection, database) {
            try addChunks(projection, behind: done, before: group.from, database)
            add(summary, of: group, projection, .group(group, projection.layout))
            done = group.to
        }
        try addChunks(projection, behind: done, before: nil, database)
        try addRollups(projection, database)
    }

    /// Marks time ranges whose samples are excluded because they are damaged.
    mutating func exclude(_ ranges: [TimeRange]) {
        damage += ranges
        for range in ranges { collected.noteGap(in: range) }
    }

    /// Adds the samples that are in no chunk, and returns the windows.
    ///
    /// - Parameter unsealed: in order, with the query's fields.
    mutating func finish(
        _ unsealed: StoredBatch, _ database: Database
    ) throws -> [WindowSummary] {
        collected.add(unsealed, hasTimes: false)
        let times = unsealed.samples.times
        let start = times.indices.partitioningIndex { times[$0] >= query.range.from }
        let end = times.indices.partitioningIndex { times[$0] >= query.range.to }
        try timeline.setSpacings(of: &collected, times[start..<end], database)
        return collected.windows
    }

    // MARK: - Groups

    /// The undamaged groups that fall entirely into one window, in order.
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
            // The chunks of a damaged group are added instead.
            guard let group = try? ChunkEntry(row), isInOneWindow(group),
                let summary = summary(of: group, row, projection)
            else { continue }
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
        _ summary: ChunkSummary, of entry: ChunkEntry, _ projection: Projection,
        _ origin: Timeline.Piece.Origin
    ) {
        // Queries have numeric fields only, and each has a summary.
        collected.merge(
            projection.columns.compactMap { summary.fields[$0.index] }, count: entry.count,
            to: query.window(of: entry.from.time))
        timeline.add(
            Timeline.Piece(
                origin: origin, from: entry.from.time, to: entry.to.time,
                spacing: summary.spacing))
    }

    // MARK: - Hours of pruned samples

    private mutating func addRollups(_ projection: Projection, _ database: Database) throws {
        let rows = try Row.fetchCursor(
            database.cachedStatement(
                sql: """
                    SELECT \(ChunkEntry.columns), summary, hour FROM rollup
                    WHERE layout = ? AND hour >= ? AND hour <= ? ORDER BY hour
                    """),
            arguments: [
                projection.layout.id, Rollup.hour(of: query.range.from),
                Rollup.hour(of: query.range.to),
            ])
        while let row = try rows.next() {
            let hour = try Int64.stored(row, 7)
            let entry = try? ChunkEntry(row)
            let range = entry.map { TimeRange(from: $0.from.time, through: $0.to.time) }
            if let entry, isInOneWindow(entry), let summary = summary(of: entry, row, projection) {
                add(summary, of: entry, projection, .rollup)
                collected.noteSummaries(in: query.window(of: entry.from.time))
            } else {
                collected.noteGap(in: range ?? Rollup.range(of: hour))
            }
        }
    }

    // MARK: - Chunks

    /// Adds the chunks between two groups that were added.
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
            guard let entry = try? ChunkEntry(row) else {
                exclude([.all])
                continue
            }
            if let bound, entry.from >= bound { break }
            if let done, entry.from <= done { continue }
            try add(entry, row, projection, database)
        }
    }

    private mutating func add(
        _ entry: ChunkEntry, _ row: Row, _ projection: Projection, _ database: Database
    ) throws {
        if isInOneWindow(entry), let summary = summary(of: entry, row, projection) {
            return add(summary, of: entry, projection, .chunk(entry, projection.layout))
        }
        do {
            try ChunkTable.withContent(of: entry.id, database) { data in
                try data.withUnsafeBytes { raw in
                    try add(ChunkReader(raw, projection.layout.fields), entry, projection)
                }
            }
        } catch is ByteReader.Damage {
            exclude([TimeRange(from: entry.from.time, through: entry.to.time)])
        }
    }

    /// Adds the samples of a chunk that lie in the range, window by window.
    private mutating func add(
        _ reader: ChunkReader, _ entry: ChunkEntry, _ projection: Projection
    ) throws(ByteReader.Damage) {
        let order = try ChunkOrder(reader, entry)
        let times = order.times
        var columns: [ChunkReader.ColumnReader] = []
        for column in projection.columns { columns.append(try reader.column(column.index)) }
        var row = times.firstRow(atOrAfter: query.range.from.microseconds)
        while row < reader.count {
            let from = order.position(row)
            let time = from.time
            guard time < query.range.to else { break }
            let window = query.window(of: time)
            let end = times.firstRow(atOrAfter: query.span(of: window).to.microseconds)
            // Times that do not ascend are damage.
            guard query.range.contains(time), end > row else { throw ByteReader.Damage() }
            let to = order.position(end - 1)
            let values = zip(projection.columns, columns).map { column, reader in
                column.converted(reader.values(row..<end))
            }
            collected.add(values, 0..<end - row, to: window, from: from, through: to)
            timeline.add(
                Timeline.Piece(
                    origin: .chunk(entry, projection.layout), from: from.time, to: to.time,
                    spacing: times.spacing(row..<end)))
            row = end
        }
    }
}
