import GRDB
import Samples

/// A sensor in the file, whether it is registered now or not.
struct StoredSensor: Sendable {
    let row: Int64
    let sensor: SensorID
    var layouts: [Layout] = []
    /// The rows of layouts whose fields are damaged, so that their samples cannot be decoded.
    var unreadable: [Int64] = []
    var usage = Usage()

    /// The chunks and summaries of a sensor.
    struct Usage: Sendable {
        var samples: Int64 = 0
        var bytes: Int64 = 0
        var summarised: Int64 = 0
        var summaries: Int64 = 0
        var summaryBytes: Int64 = 0

        var total: Int64 { bytes + summaryBytes }

        fileprivate static func += (left: inout Self, right: Self) {
            left.samples += right.samples
            left.bytes += right.bytes
            left.summarised += right.summarised
            left.summaries += right.summaries
            left.summaryBytes += right.summaryBytes
        }
    }

    /// Adds other layouts of the same sensor.
    fileprivate mutating func add(_ other: StoredSensor) {
        layouts += other.layouts
        unreadable += other.unreadable
        usage += other.usage
    }
}

/// The storage that a sensor uses, and its growth.
struct StorageAccount: Sendable {
    let stored: StoredSensor
    var samples: Int64
    var bytes: Int64
    let oldest: Timestamp?
    let bytesPerDay: Double?

    static let microsecondsPerDay = 24 * Double(Rollup.microsecondsPerHour)

    /// The storage of all sensors, sorted by identifier, with estimates of when samples are pruned.
    ///
    /// - Parameters:
    ///   - used: bytes of the pages in use.
    ///   - limit: the bytes that the file may use.
    static func report(
        _ accounts: [StorageAccount], _ rules: RetentionRules, at now: Timestamp, used: Int64,
        limit: Int64
    ) -> [SensorStorage] {
        let growth = accounts.compactMap(\.bytesPerDay).reduce(0, +)
        let share = limit / Int64(max(1, accounts.count))
        let sensors = accounts.map { account in
            let rule = rules.rule(for: account.stored.sensor)
            var days = account.daysLeft(rule, at: now)
            // This estimate ignores the shares of clients: once the budget is exceeded, the sensors
            // that use more than an equal share are pruned.
            if growth > 0, let rate = account.bytesPerDay {
                let left = max(0, Double(limit - used) / growth)
                if Double(account.bytes) + rate * left >= Double(share) {
                    days = min(days ?? left, left)
                }
            }
            return SensorStorage(
                sensor: account.stored.sensor, rule: rule, samples: account.samples,
                bytes: account.bytes, summarised: account.stored.usage.summarised,
                summaries: account.stored.usage.summaries, oldest: account.oldest,
                bytesPerDay: account.bytesPerDay, daysLeft: days)
        }
        return sensors.sorted { $0.sensor < $1.sensor }
    }

    /// The estimated days until the sensor's own rule prunes samples.
    private func daysLeft(_ rule: RetentionRule, at now: Timestamp) -> Double? {
        var days: Double?
        if let raw = rule.raw, let oldest {
            let age = Double(now.microseconds) - Double(oldest.microseconds)
            days = max(0, (Double(raw.wholeMicroseconds) - age) / Self.microsecondsPerDay)
        }
        if let limit = rule.bytes, let bytesPerDay, bytesPerDay > 0 {
            let left = max(0, Double(limit - stored.usage.bytes) / bytesPerDay)
            days = min(days ?? left, left)
        }
        return days
    }
}

/// The table `usage`: the space used by each layout, which triggers keep up to date.
struct UsageTable: Sendable {
    /// The number of recent chunks from which growth is estimated.
    private static let chunksForRate = 8
    /// The shortest time that these chunks have to cover, in microseconds.
    private static let shortestForRate = Double(Rollup.microsecondsPerHour) / 6

    private let pool: DatabasePool

    init(_ pool: DatabasePool) {
        self.pool = pool
    }

    /// All sensors in the file.
    func sensors() async throws -> [StoredSensor] {
        try await pool.read { try Self.sensors($0) }
    }

    /// The samples of each sensor and publisher, without the sizes of unsealed rows.
    func byPublisher() async throws -> [PublisherUsage] {
        try await pool.read { database in
            try Self.byPublisher(database).map { usage in
                var whole = usage
                // Damage must not keep space from being freed.
                whole.lastArrival =
                    usage.sensor.layouts.map { layout in
                        (try? Self.lastArrival(layout, database)) ?? 0
                    }.max() ?? 0
                return whole
            }
        }
    }

    /// The accounts of all sensors.
    func accounts() async throws -> [StorageAccount] {
        try await pool.read { database in
            try Self.sensors(database).map { sensor in
                var account = StorageAccount(
                    stored: sensor, samples: sensor.usage.samples, bytes: sensor.usage.total,
                    oldest: try sensor.layouts.compactMap { try Self.oldest($0, database) }.min(),
                    bytesPerDay: try sensor.layouts.compactMap { try Self.rate($0, database) }.max()
                )
                for layout in sensor.layouts {
                    let unsealed = try Row.fetchOne(
                        database,
                        sql: """
                            SELECT coalesce(sum(count), 0), coalesce(sum(length(data)), 0)
                            FROM fresh WHERE layout = ?
                            """, arguments: [layout.id])
                    guard let unsealed else { continue }
                    account.samples += try .stored(unsealed, 0)
                    account.bytes += try .stored(unsealed, 1)
                }
                return account
            }
        }
    }

    /// Recounts layouts whose counts are impossible, which only damage causes.
    func recount() async throws {
        let limits = "BETWEEN 0 AND 1 << 50"
        let layouts = try await pool.read { database in
            try Int64.fetchAll(
                database,
                sql: """
                    SELECT layout FROM usage WHERE NOT (samples \(limits) AND bytes \(limits)
                    AND summarised \(limits) AND summaries \(limits) AND summaryBytes \(limits))
                    """)
        }
        guard !layouts.isEmpty else { return }
        try await pool.write { database in
            for layout in layouts { try UsageTable.recount(layout, database) }
        }
    }

    /// Recounts a layout after a damaged row was removed.
    static func recount(_ layout: Int64, _ database: Database) throws {
        try database.execute(
            sql: """
                UPDATE usage SET (samples, bytes) = (
                    SELECT coalesce(sum(count), 0), coalesce(sum(bytes + length(summary)), 0)
                    FROM chunk WHERE chunk.layout = usage.layout),
                    (summarised, summaries, summaryBytes) = (
                    SELECT coalesce(sum(count), 0), count(*), coalesce(sum(length(summary)), 0)
                    FROM rollup WHERE rollup.layout = usage.layout)
                WHERE layout = ?
                """, arguments: [layout])
    }

    private static func sensors(_ database: Database) throws -> [StoredSensor] {
        var sensors: [StoredSensor] = []
        for usage in try byPublisher(database) {
            if sensors.last?.row == usage.sensor.row {
                sensors[sensors.count - 1].add(usage.sensor)
            } else {
                sensors.append(usage.sensor)
            }
        }
        return sensors
    }

    private static func byPublisher(_ database: Database) throws -> [PublisherUsage] {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT sensor.id, name, layout.id, fields, samples, bytes, summarised, summaries,
                    summaryBytes, publisher
                FROM sensor JOIN layout ON layout.sensor = sensor.id
                    JOIN usage ON usage.layout = layout.id
                ORDER BY sensor.id, publisher, layout.id
                """)
        var usages: [PublisherUsage] = []
        while let row = try rows.next() {
            guard let name = SensorID(try String.stored(row, 1)) else { continue }
            var sensor = StoredSensor(row: try .stored(row, 0), sensor: name)
            let layout: Int64 = try .stored(row, 2)
            if let whole = try? Layout(id: layout, encoded: .stored(row, 3)) {
                sensor.layouts.append(whole)
            } else {
                sensor.unreadable.append(layout)
            }
            // Clamped, so that sums do not overflow.
            func amount(_ column: Int) throws -> Int64 {
                min(max(0, try .stored(row, column)), 1 << 50)
            }
            sensor.usage.samples = try amount(4)
            sensor.usage.bytes = try amount(5)
            sensor.usage.summarised = try amount(6)
            sensor.usage.summaries = try amount(7)
            sensor.usage.summaryBytes = try amount(8)
            let publisher: String = try .stored(row, 9)
            if let last = usages.last, last.sensor.row == sensor.row,
                last.publisher == publisher
            {
                usages[usages.count - 1].sensor.add(sensor)
            } else {
                usages.append(PublisherUsage(publisher: publisher, sensor: sensor))
            }
        }
        return usages
    }

    private static func lastArrival(_ layout: Layout, _ database: Database) throws -> Int64 {
        let sealed = try Int64.fetchOne(
            database, sql: "SELECT max(lastArrival) FROM chunk WHERE layout = ?",
            arguments: [layout.id])
        return max(sealed ?? 0, try UnsealedTable.lastArrival(layout.id, database) ?? 0)
    }

    private static func oldest(_ layout: Layout, _ database: Database) throws -> Timestamp? {
        try Int64.fetchOne(
            database, sql: "SELECT min(fromTime) FROM chunk WHERE layout = ?",
            arguments: [layout.id]
        ).map(Timestamp.init(microseconds:))
    }

    /// The recent growth of a layout in bytes per day.
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
        // A shorter time is not representative of a day.
        guard to - from >= shortestForRate else { return nil }
        return bytes / (to - from) * StorageAccount.microsecondsPerDay
    }
}
