import GRDB
import Samples

extension AuthDatabase {
    func lastLogID() async throws -> Int64 {
        try await queue.read { database in
            try Int64.fetchOne(database, sql: "SELECT max(id) FROM access_log") ?? 0
        }
    }

    func append(_ entries: [AccessLogEntry]) async throws {
        try await queue.write { database in
            let statement = try database.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO access_log
                    (id, time, client, sensor, access, operation, "from", "to", count, outcome, reason)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """)
            for entry in entries {
                try statement.execute(arguments: [
                    entry.id, entry.time.microseconds, entry.client, entry.sensor?.description,
                    entry.access?.rawValue, entry.operation, entry.range?.from.microseconds,
                    entry.range?.to.microseconds, entry.count, entry.outcome.rawValue, entry.reason,
                ])
            }
        }
    }

    func logEntries(_ query: AccessLogQuery) async throws -> [AccessLogEntry] {
        try await queue.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM access_log
                    WHERE (:client IS NULL OR client = :client)
                      AND (:before IS NULL OR id < :before)
                      AND (NOT :onlyRefused OR outcome = 'refused')
                      AND (NOT :withoutOwner OR client IS NOT :owner)
                    ORDER BY id DESC LIMIT :limit
                    """,
                arguments: [
                    "client": query.client, "before": query.before,
                    "onlyRefused": query.onlyRefused, "limit": query.limit,
                    "withoutOwner": query.withoutOwner, "owner": Client.owner.name,
                ])
            return rows.map(Self.entry)
        }
    }

    private static func entry(_ row: Row) -> AccessLogEntry {
        let from: Int64? = row["from"]
        let to: Int64? = row["to"]
        let sensor: String? = row["sensor"]
        let access: String? = row["access"]
        var range: TimeRange?
        if let from, let to {
            range = TimeRange(
                from: Timestamp(microseconds: from), to: Timestamp(microseconds: to))
        }
        return AccessLogEntry(
            id: row["id"], time: Timestamp(microseconds: row["time"]), client: row["client"],
            sensor: sensor.flatMap { SensorID($0) }, access: access.flatMap(Access.init(rawValue:)),
            operation: row["operation"], range: range, count: row["count"],
            outcome: .init(rawValue: row["outcome"]) ?? .refused, reason: row["reason"])
    }
}
