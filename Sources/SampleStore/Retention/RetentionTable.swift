import Foundation
import GRDB
import Samples

/// The tables `retention`, `budget` and `purge`: retention rules, the budget, and what was pruned.
struct RetentionTable: Sendable {
    /// The name of the rule for all other sensors; no sensor has it.
    private static let standardName = ""

    private let file: SampleFile
    private var pool: DatabasePool { file.pool }

    init(_ file: SampleFile) {
        self.file = file
    }

    /// The last sequence number of a pruned or forgotten sample, by the row of its sensor.
    func prunedThrough() async throws -> [Int64: Int64] {
        try await pool.read { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT sensor, through FROM purge")
            var pruned: [Int64: Int64] = [:]
            while let row = try rows.next() { pruned[try .stored(row, 0)] = try .stored(row, 1) }
            return pruned
        }
    }

    /// Records that samples of a layout up to a sequence number were pruned or forgotten.
    static func mark(prunedThrough last: Int64, of layout: Int64, _ database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO purge SELECT sensor, ?2 FROM layout WHERE id = ?1
                ON CONFLICT (sensor) DO UPDATE SET through = max(through, excluded.through)
                """, arguments: [layout, last])
    }

    /// All retention rules.
    func rules() async throws -> RetentionRules {
        try await pool.read { database in
            let rows = try Row.fetchCursor(
                database, sql: "SELECT sensor, raw, bytes, summaries FROM retention")
            var rules = RetentionRules()
            while let row = try rows.next() {
                // A negative limit is damage and prunes nothing.
                func limit(_ column: Int) throws -> Int64? {
                    try Int64?.stored(row, column).flatMap { $0 < 0 ? nil : $0 }
                }
                let rule = RetentionRule(
                    raw: try limit(1).map { .microseconds($0) }, bytes: try limit(2),
                    summaries: try limit(3).map { .microseconds($0) })
                let name: String = try .stored(row, 0)
                if name == Self.standardName {
                    rules.standard = rule
                } else if let sensor = SensorID(name) {
                    rules.bySensor[sensor] = rule
                }
            }
            return rules
        }
    }

    /// Stores the rule of a sensor.
    ///
    /// - Parameters:
    ///   - rule: `nil` to remove it.
    ///   - sensor: `nil` for the rule of all other sensors.
    func setRule(_ rule: RetentionRule?, for sensor: SensorID?) async throws {
        let name = sensor?.description ?? Self.standardName
        try await pool.write { database in
            guard let rule else {
                return try database.execute(
                    sql: "DELETE FROM retention WHERE sensor = ?", arguments: [name])
            }
            try database.execute(
                sql: "INSERT OR REPLACE INTO retention VALUES (?, ?, ?, ?)",
                arguments: [
                    name, rule.raw?.wholeMicroseconds, rule.bytes,
                    rule.summaries?.wholeMicroseconds,
                ])
        }
    }

    /// Stores the budget in bytes.
    func setBudget(_ budget: Int64) async throws {
        try await pool.write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO budget VALUES (1, ?)", arguments: [budget])
        }
    }

    /// The stored budget in bytes; initially one that fits the disk and the current size of the
    /// file.
    func budget(_ space: SpaceRules) async throws -> Int64 {
        let kept = try await pool.read { database in
            try Int64.fetchOne(database, sql: "SELECT bytes FROM budget")
        }
        if let kept { return kept }
        let budget = max(
            min(space.budget, file.free() / 10), 2 * file.size(), StoreMaintenance.leastBudget)
        do {
            try await setBudget(budget)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            // The next session tries again.
        }
        return budget
    }
}
