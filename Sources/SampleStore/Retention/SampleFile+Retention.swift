import Foundation
import GRDB
import Samples

extension SampleFile {
    /// What outlives samples, what is gone, and by which rules.
    static func createRetention(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE rollup (
                    id INTEGER PRIMARY KEY,
                    layout INTEGER NOT NULL REFERENCES layout(id),
                    hour INTEGER NOT NULL,
                    fromTime INTEGER NOT NULL,
                    fromSequence INTEGER NOT NULL,
                    toTime INTEGER NOT NULL,
                    toSequence INTEGER NOT NULL,
                    count INTEGER NOT NULL,
                    summary BLOB NOT NULL,
                    UNIQUE (layout, hour)
                ) STRICT;
                CREATE TABLE purge (
                    sensor INTEGER PRIMARY KEY REFERENCES sensor(id),
                    through INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE retention (
                    sensor TEXT PRIMARY KEY,
                    raw INTEGER,
                    bytes INTEGER,
                    summaries INTEGER
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE budget (
                    id INTEGER PRIMARY KEY CHECK (id = 1),
                    bytes INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE usage (
                    layout INTEGER PRIMARY KEY REFERENCES layout(id),
                    samples INTEGER NOT NULL DEFAULT 0,
                    bytes INTEGER NOT NULL DEFAULT 0,
                    summarised INTEGER NOT NULL DEFAULT 0,
                    summaries INTEGER NOT NULL DEFAULT 0,
                    summaryBytes INTEGER NOT NULL DEFAULT 0
                ) STRICT;
                INSERT INTO usage (layout) SELECT id FROM layout;
                UPDATE usage SET (samples, bytes) = (
                    SELECT coalesce(sum(count), 0), coalesce(sum(bytes + length(summary)), 0)
                    FROM chunk WHERE chunk.layout = usage.layout);
                CREATE TRIGGER usage_of_layout AFTER INSERT ON layout BEGIN
                    INSERT INTO usage (layout) VALUES (new.id);
                END;
                CREATE TRIGGER usage_of_chunk AFTER INSERT ON chunk BEGIN
                    UPDATE usage SET samples = samples + new.count,
                        bytes = bytes + new.bytes + length(new.summary)
                    WHERE layout = new.layout;
                END;
                CREATE TRIGGER usage_without_chunk AFTER DELETE ON chunk BEGIN
                    UPDATE usage SET samples = samples - old.count,
                        bytes = bytes - old.bytes - length(old.summary)
                    WHERE layout = old.layout;
                END;
                CREATE TRIGGER usage_of_rollup AFTER INSERT ON rollup BEGIN
                    UPDATE usage SET summarised = summarised + new.count,
                        summaries = summaries + 1, summaryBytes = summaryBytes + length(new.summary)
                    WHERE layout = new.layout;
                END;
                CREATE TRIGGER usage_without_rollup AFTER DELETE ON rollup BEGIN
                    UPDATE usage SET summarised = summarised - old.count,
                        summaries = summaries - 1, summaryBytes = summaryBytes - length(old.summary)
                    WHERE layout = old.layout;
                END;
                """)
    }

    /// The last arrival of a sample that is gone, by the row of its sensor.
    func purged() async throws -> [Int64: Int64] {
        try await pool.read { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT sensor, through FROM purge")
            var purged: [Int64: Int64] = [:]
            while let row = try rows.next() { purged[try .stored(row, 0)] = try .stored(row, 1) }
            return purged
        }
    }

    static func note(purgedThrough last: Int64, of layout: Int64, _ database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO purge SELECT sensor, ?2 FROM layout WHERE id = ?1
                ON CONFLICT (sensor) DO UPDATE SET through = max(through, excluded.through)
                """, arguments: [layout, last])
    }

    // MARK: - Rules

    /// The name under which the rule of all other sensors is kept; no sensor has it.
    private static let standardName = ""

    func rules() async throws -> RetentionRules {
        try await pool.read { database in
            let rows = try Row.fetchCursor(
                database, sql: "SELECT sensor, raw, bytes, summaries FROM retention")
            var rules = RetentionRules()
            while let row = try rows.next() {
                // What is below zero is damaged, and lets nothing go.
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

    /// - Parameters:
    ///   - rule: `nil` takes the sensor's own away.
    ///   - sensor: `nil` for the rule of all others.
    func keep(_ rule: RetentionRule?, for sensor: SensorID?) async throws {
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

    func keep(budget: Int64) async throws {
        try await pool.write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO budget VALUES (1, ?)", arguments: [budget])
        }
    }

    /// The budget that was kept; the first time a sensible one, which never makes what is there go.
    func budget() async throws -> Int64 {
        let kept = try await pool.read { database in
            try Int64.fetchOne(database, sql: "SELECT bytes FROM budget")
        }
        if let kept { return kept }
        let budget = max(min(space.budget, free() / 10), 2 * size(), 4 << 20)
        do {
            try await keep(budget: budget)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            // A disk that is full now is measured again the next time.
        }
        return budget
    }
}
