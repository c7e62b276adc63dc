import Foundation
import GRDB
import Samples
import Text

extension AuthDatabase {
    /// Makes the table of the chained access log and moves the lines of the older one into it.
    static func createLedger(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE ledger (
                    id INTEGER PRIMARY KEY,
                    time INTEGER NOT NULL,
                    kind TEXT NOT NULL,
                    client TEXT,
                    privilege TEXT,
                    sensor TEXT,
                    access TEXT,
                    operation TEXT,
                    "from" INTEGER,
                    "to" INTEGER,
                    calls INTEGER NOT NULL,
                    count INTEGER NOT NULL,
                    detail TEXT,
                    hash BLOB NOT NULL CHECK (length(hash) = 32)
                ) STRICT;
                CREATE INDEX ledger_pruned ON ledger (count) WHERE kind = 'pruned';
                CREATE TRIGGER ledger_is_appended BEFORE INSERT ON ledger
                WHEN NEW.id IS NOT (SELECT ifnull(max(id), 0) + 1 FROM ledger)
                BEGIN SELECT RAISE(ABORT, 'the access log only grows at its end'); END;
                CREATE TRIGGER ledger_is_not_changed BEFORE UPDATE ON ledger
                BEGIN SELECT RAISE(ABORT, 'the access log is not changed'); END;
                CREATE TRIGGER ledger_is_not_cut BEFORE DELETE ON ledger
                WHEN OLD.id > (SELECT ifnull(max(count), 0) FROM ledger WHERE kind = 'pruned')
                BEGIN SELECT RAISE(ABORT, 'the access log is only cut after a line that says so'); END;
                """)
        let rows = try Row.fetchCursor(database, sql: "SELECT * FROM access_log ORDER BY id")
        while let row = try rows.next() { _ = try append([olderLine(row)], to: database) }
        try database.execute(sql: "DROP TABLE access_log")
    }

    private static func olderLine(_ row: Row) -> AccessLogEntry {
        let from: Int64? = row["from"]
        let to: Int64? = row["to"]
        let sensor: String? = row["sensor"]
        let access: String? = row["access"]
        let reason: String? = row["reason"]
        var range: TimeRange?
        if let from, let to {
            range = TimeRange(
                from: Timestamp(microseconds: from), to: Timestamp(microseconds: to))
        }
        return AccessLogEntry(
            id: 0, time: Timestamp(microseconds: row["time"]),
            kind: row["outcome"] == AccessLogEntry.Outcome.allowed.rawValue ? .access : .refusal,
            client: row["client"], privilege: nil, sensor: sensor.flatMap { SensorID($0) },
            access: access.flatMap(Access.init(rawValue:)), operation: row["operation"],
            range: range, calls: 1, count: row["count"],
            detail: reason?.escapedForDisplay(limit: 400))
    }
}
