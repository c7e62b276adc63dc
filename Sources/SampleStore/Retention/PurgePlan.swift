import Foundation
import GRDB
import Samples
import Statistics

/// Samples of one chunk that go, and what stays in their place.
struct PurgePlan: Sendable {
    /// What is to go of a layout.
    struct Order: Sendable {
        let layout: Layout
        /// Samples before this moment; `nil` for the oldest chunk, whatever its time.
        var before: Timestamp?
        /// The newest sample of the sensor, which stays.
        var newest: SampleQuery.Position?
        /// Summaries are made of samples that are not older; `nil` for all.
        var summariesFrom: Timestamp?
    }

    private let layout: Layout
    private let chunk: Int64
    /// The last arrival among what goes.
    private let last: Int64
    private let rollups: [Rollup]
    private let rest: PreparedChunk?
    /// Whether the row says how much it is less.
    private let isCounted: Bool

    /// - Returns: `nil` when nothing is to go.
    init?(_ order: Order, hoursAtMost: Int, _ database: Database) throws {
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
            // Nothing can be told of it, not even when it was.
            (rollups, rest, last, isCounted) = ([], nil, 0, false)
            return
        }
        isCounted = true
        let lastArrival: Int64 = try .stored(oldest, 6)
        do {
            let samples = try SampleFile.withContent(of: entry.id, database) { data in
                try SampleFile.decode(data, order.layout)
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
            // Nothing can be told of it any more; the newest sample may be in there all the same.
            guard entry.to != order.newest else { return nil }
            (rollups, rest, last) = ([], nil, lastArrival)
        }
    }

    func carryOut(_ database: Database) throws {
        try SampleFile.removeChunk(chunk, database)
        if !isCounted { try SampleFile.recount(layout.id, database) }
        if let rest { try SampleFile.insertChunk(rest, database) }
        for rollup in rollups { try SampleFile.insert(rollup, layout, database) }
        try SampleFile.note(purgedThrough: last, of: layout.id, database)
    }

    /// The rows that go, hour by hour.
    private static func hours(
        of samples: StoredBatch, _ order: Order, atMost limit: Int
    ) -> ArraySlice<Range<Int>> {
        var end = samples.count
        if let before = order.before {
            end = (0..<samples.count).partitioningIndex { samples.samples.times[$0] >= before }
        }
        let newest = samples.position(samples.count - 1) == order.newest
        if newest {
            // Room is made by whole chunks; only age leaves a single sample.
            end = order.before == nil ? 0 : min(end, samples.count - 1)
        }
        return Rollup.hours(of: samples[0..<end]).prefix(limit)
    }
}
