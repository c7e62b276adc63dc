import GRDB
import Samples

/// What one sensor takes, and how fast that grows.
struct StorageAccount: Sendable {
    let kept: SampleFile.Kept
    var samples: Int64
    var bytes: Int64
    let oldest: Timestamp?
    let bytesPerDay: Double?

    /// Days until the sensor's own rule removes samples.
    func daysLeft(_ rule: RetentionRule, at now: Timestamp) -> Double? {
        var days: Double?
        if let raw = rule.raw, let oldest {
            let age = Double(now.microseconds) - Double(oldest.microseconds)
            days = max(0, (Double(raw.wholeMicroseconds) - age) / Self.microsecondsPerDay)
        }
        if let limit = rule.bytes, let bytesPerDay, bytesPerDay > 0 {
            let left = max(0, Double(limit - kept.usage.bytes) / bytesPerDay)
            days = min(days ?? left, left)
        }
        return days
    }

    static let microsecondsPerDay = 24 * Double(Rollup.microsecondsPerHour)
}

extension SampleFile {
    /// Chunks from which a rate is taken.
    private static let chunksForRate = 8
    /// Microseconds that they have to reach over.
    private static let shortestForRate = Double(Rollup.microsecondsPerHour) / 6

    func accounts() async throws -> [StorageAccount] {
        try await pool.read { database in
            try Self.kept(database).map { kept in
                var account = StorageAccount(
                    kept: kept, samples: kept.usage.samples, bytes: kept.usage.total,
                    oldest: try kept.layouts.compactMap { try Self.oldest($0, database) }.min(),
                    bytesPerDay: try kept.layouts.compactMap { try Self.rate($0, database) }.max())
                for layout in kept.layouts {
                    let fresh = try Row.fetchOne(
                        database,
                        sql: """
                            SELECT coalesce(sum(count), 0), coalesce(sum(length(data)), 0)
                            FROM fresh WHERE layout = ?
                            """, arguments: [layout.id])
                    guard let fresh else { continue }
                    account.samples += try .stored(fresh, 0)
                    account.bytes += try .stored(fresh, 1)
                }
                return account
            }
        }
    }

    private static func oldest(_ layout: Layout, _ database: Database) throws -> Timestamp? {
        try Int64.fetchOne(
            database, sql: "SELECT min(fromTime) FROM chunk WHERE layout = ?",
            arguments: [layout.id]
        ).map(Timestamp.init(microseconds:))
    }

    /// Bytes a day that the last chunks of a layout take.
    private static func rate(_ layout: Layout, _ database: Database) throws -> Double? {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT fromTime, toTime, bytes + length(summary) FROM chunk WHERE layout = ?
                ORDER BY fromTime DESC, fromSequence DESC LIMIT ?
                """, arguments: [layout.id, chunksForRate])
        var (from, to, bytes) = (Double.infinity, -Double.infinity, 0.0)
        for row in rows {
            from = min(from, Double(try Int64.stored(row, 0)))
            to = max(to, Double(try Int64.stored(row, 1)))
            bytes += Double(try Int64.stored(row, 2))
        }
        // What a shorter time brings says nothing of a day.
        guard to - from >= shortestForRate else { return nil }
        return bytes / (to - from) * StorageAccount.microsecondsPerDay
    }
}
