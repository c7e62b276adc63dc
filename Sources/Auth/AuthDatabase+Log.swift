import Foundation
import GRDB
import Samples

extension AuthDatabase {
    /// Adds lines at the end of the chain.
    ///
    /// - Returns: their places.
    func append(_ entries: [AccessLogEntry]) async throws -> [Int64] {
        try await queue.write { try Self.append(entries, to: $0) }
    }

    /// The place and the hash of the newest line.
    func logHead() async throws -> (id: Int64, hash: Data) {
        try await queue.read(Self.head)
    }

    func logEntries(_ query: AccessLogQuery) async throws -> [AccessLogEntry] {
        try await queue.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM ledger
                    WHERE (:client IS NULL OR client = :client)
                      AND (:before IS NULL OR id < :before)
                      AND (:kind IS NULL OR kind = :kind)
                      AND (NOT :onlyRefused OR kind IN ('refusal', 'notice'))
                      AND (NOT :withoutOwner OR client IS NOT :owner)
                    ORDER BY id DESC LIMIT :limit
                    """,
                arguments: [
                    "client": query.client, "before": query.before, "kind": query.kind?.rawValue,
                    "onlyRefused": query.onlyRefused, "limit": query.limit,
                    "withoutOwner": query.withoutOwner, "owner": Client.owner.name,
                ])
            return rows.compactMap(Self.entry)
        }
    }

    /// Cuts off the lines before the first that is not older than `time`.
    ///
    /// - Returns: how many were cut off.
    func pruneLog(before time: Timestamp, at now: Timestamp) async throws -> Int {
        try await queue.write { database in
            let kept = try Int64.fetchOne(
                database, sql: "SELECT min(id) FROM ledger WHERE time >= ?",
                arguments: [time.microseconds])
            let last = try kept.map { $0 - 1 } ?? Self.head(database).id
            guard
                let hash = try Data.fetchOne(
                    database, sql: "SELECT hash FROM ledger WHERE id = ?", arguments: [last])
            else { return 0 }
            let cut = AccessLogEntry(
                id: 0, time: now, kind: .pruned, client: nil, privilege: nil, sensor: nil,
                access: nil, operation: nil, range: nil, calls: 1, count: Int(last),
                detail: hash.hexadecimal)
            _ = try Self.append([cut], to: database)
            try database.execute(sql: "DELETE FROM ledger WHERE id <= ?", arguments: [last])
            return database.changesCount
        }
    }

    static func append(
        _ entries: [AccessLogEntry], to database: Database
    ) throws -> [Int64] {
        let head = try head(database)
        var (id, chain) = (head.id, LedgerChain(after: head.hash))
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO ledger (id, time, kind, client, privilege, sensor, access, operation,
                                    "from", "to", calls, count, detail, hash)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        return try entries.map { entry in
            id += 1
            chain.add([
                .integer(id), .integer(entry.time.microseconds), .text(entry.kind.rawValue),
                .text(entry.client), .text(entry.privilege), .text(entry.sensor?.description),
                .text(entry.access?.rawValue), .text(entry.operation),
                .integer(entry.range?.from.microseconds), .integer(entry.range?.to.microseconds),
                .integer(Int64(entry.calls)), .integer(Int64(entry.count)), .text(entry.detail),
            ])
            try statement.execute(arguments: [
                id, entry.time.microseconds, entry.kind.rawValue, entry.client, entry.privilege,
                entry.sensor?.description, entry.access?.rawValue, entry.operation,
                entry.range?.from.microseconds, entry.range?.to.microseconds, entry.calls,
                entry.count, entry.detail, chain.head,
            ])
            return id
        }
    }

    private static func head(_ database: Database) throws -> (id: Int64, hash: Data) {
        let row = try Row.fetchOne(
            database, sql: "SELECT id, hash FROM ledger ORDER BY id DESC LIMIT 1")
        return row.map { ($0["id"], $0["hash"]) } ?? (0, LedgerChain.start)
    }

    private static func entry(_ row: Row) -> AccessLogEntry? {
        guard let kind = AccessLogEntry.Kind(rawValue: row["kind"]) else { return nil }
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
            id: row["id"], time: Timestamp(microseconds: row["time"]), kind: kind,
            client: row["client"], privilege: row["privilege"],
            sensor: sensor.flatMap { SensorID($0) }, access: access.flatMap(Access.init(rawValue:)),
            operation: row["operation"], range: range, calls: row["calls"], count: row["count"],
            detail: row["detail"])
    }
}
