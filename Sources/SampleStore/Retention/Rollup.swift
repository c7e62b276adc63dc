import Foundation
import GRDB
import Samples
import Statistics

/// The summary of pruned samples of one hour.
struct Rollup: Sendable {
    static let microsecondsPerHour: Int64 = 3_600_000_000

    /// Hours since 1970 UTC.
    let hour: Int64
    var from: SampleQuery.Position
    var to: SampleQuery.Position
    var count: Int
    var summary: ChunkSummary

    /// - Precondition: the samples are in order and in one hour, and there is at least one.
    init(_ batch: StoredBatch) {
        from = batch.position(0)
        to = batch.position(batch.count - 1)
        hour = Self.hour(of: from.time)
        count = batch.count
        summary = ChunkSummary(of: batch)
    }

    init(hour: Int64, _ entry: ChunkEntry, _ summary: ChunkSummary) {
        self.hour = hour
        (from, to, count) = (entry.from, entry.to, entry.count)
        self.summary = summary
    }

    /// The hour of a time, in hours since 1970 UTC.
    static func hour(of time: Timestamp) -> Int64 {
        let (quotient, rest) = time.microseconds.quotientAndRemainder(
            dividingBy: microsecondsPerHour)
        return rest < 0 ? quotient - 1 : quotient
    }

    /// The start of the hour that contains a time.
    static func start(of time: Timestamp) -> Timestamp {
        let (start, overflow) = hour(of: time).multipliedReportingOverflow(by: microsecondsPerHour)
        return overflow ? .distantPast : Timestamp(microseconds: start)
    }

    /// The time range of an hour.
    static func range(of hour: Int64) -> TimeRange {
        let (start, overflow) = hour.multipliedReportingOverflow(by: microsecondsPerHour)
        guard !overflow else { return .all }
        let from = Timestamp(microseconds: start)
        return TimeRange(from: from, to: from.advanced(byMicroseconds: microsecondsPerHour))
    }

    /// The rows of each hour, of samples that are in order.
    static func hours(of batch: StoredBatch) -> [Range<Int>] {
        var hours: [Range<Int>] = []
        var row = 0
        while row < batch.count {
            let hour = hour(of: batch.samples.times[row])
            let end = (row..<batch.count).partitioningIndex {
                Self.hour(of: batch.samples.times[$0]) > hour
            }
            hours.append(row..<end)
            row = end
        }
        return hours
    }

    mutating func merge(_ other: Rollup) {
        summary.merge(other.summary)
        from = min(from, other.from)
        to = max(to, other.to)
        count += other.count
    }
}

/// The table `rollup` of hourly summaries.
enum RollupTable {
    /// Merges a summary into the summary of its hour.
    ///
    /// A damaged summary is left unchanged, so that the hour is never reported as complete.
    static func insert(_ rollup: Rollup, _ layout: Layout, _ database: Database) throws {
        var whole = rollup
        do {
            if let known = try Self.rollup(of: rollup.hour, layout, database) { whole.merge(known) }
        } catch is ByteReader.Damage {
            return
        }
        try database.cachedStatement(sql: "DELETE FROM rollup WHERE layout = ? AND hour = ?")
            .execute(arguments: [layout.id, rollup.hour])
        try database.cachedStatement(
            sql: """
                INSERT INTO rollup
                    (layout, hour, fromTime, fromSequence, toTime, toSequence, count, summary)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            layout.id, whole.hour, whole.from.time.microseconds, whole.from.sequence,
            whole.to.time.microseconds, whole.to.sequence, whole.count, whole.summary.encoded(),
        ])
    }

    /// - Throws: `ByteReader.Damage`.
    private static func rollup(
        of hour: Int64, _ layout: Layout, _ database: Database
    ) throws -> Rollup? {
        let rows = try Row.fetchCursor(
            database.cachedStatement(
                sql: """
                    SELECT \(ChunkEntry.columns), summary FROM rollup WHERE layout = ? AND hour = ?
                    """), arguments: [layout.id, hour])
        guard let row = try rows.next() else { return nil }
        guard let entry = try? ChunkEntry(row) else { throw ByteReader.Damage() }
        let summary = try row.withUnsafeData(atIndex: 6) { data in
            try ChunkSummary(data ?? Data(), layout.fields, entry)
        }
        return Rollup(hour: hour, entry, summary)
    }
}
