import Foundation
import GRDB
import Samples
import Text

/// The table of the access log, a hash chain.
struct AccessLogStore: Sendable {
    let writer: AuthWriter
    /// Seals the entries, if the owner has set that up.
    let seal: LogSeal

    /// Appends entries to the chain.
    ///
    /// - Returns: their numbers.
    func append(_ entries: [AccessLogEntry]) async throws -> [Int64] {
        let (ids, key) = try await writer.write { database in
            try Self.append(entries, to: database, sealedFrom: seal.key)
        }
        if let key { seal.advance(to: key) }
        return ids
    }

    /// Seals the log from a new entry on, which says so.
    func beginSeal(at time: Timestamp) async throws -> AccessLogKey {
        let (begun, key) = try await writer.write { database in
            let begun = try seal.begin(at: try Self.head(database).id + 1, time: time)
            let entry = AccessLogEntry(
                id: 0, time: time, kind: .sealed, client: nil, privilege: nil, sensor: nil,
                access: nil, operation: nil, range: nil, calls: 1, count: 0,
                detail: begun.signer)
            let (_, key) = try Self.append([entry], to: database, sealedFrom: seal.key)
            return (begun, key)
        }
        if let key { seal.advance(to: key) }
        return begun
    }

    /// Why the newest entries are not sealed as they should be, in a sentence; `nil` if they are.
    ///
    /// Entries are missing at the end if the key has moved further than the log has grown: it moves only after
    /// entries were committed and synced.
    func sealFault() async throws -> String? {
        if let fault = seal.fault { return fault }
        let (head, isSealed) = try await writer.read { database in
            let isSealed = try Bool.fetchOne(
                database, sql: "SELECT seal IS NOT NULL FROM ledger ORDER BY id DESC LIMIT 1")
            return (try Self.head(database).id, isSealed ?? false)
        }
        guard let key = seal.key else { return isSealed ? "access-log.seal is missing" : nil }
        guard key.entry > head + 1 else { return nil }
        return "entries \(head + 1) to \(key.entry - 1) are missing"
    }

    /// The number and the hash of the newest entry; 0 and zero bytes if there is none.
    func head() async throws -> (id: Int64, hash: Data) {
        try await writer.read { try Self.head($0) }
    }

    /// The entries that match, newest first.
    func entries(_ query: AccessLogQuery) async throws -> [AccessLogEntry] {
        try await writer.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM ledger
                    WHERE (:client IS NULL OR client = :client)
                      AND (:before IS NULL OR id < :before)
                      AND (:kind IS NULL OR kind = :kind)
                      AND (:clientKind IS NULL OR clientKind = :clientKind)
                      AND (NOT :onlyRefused OR kind IN ('refusal', 'notice'))
                      AND (NOT :withoutOwner OR kind NOT IN ('access', 'refusal', 'notice')
                           OR clientKind NOT IN (:command, :dashboard)
                           OR clientKind IS NULL AND (kind <> 'access' OR client IS NOT :owner))
                    ORDER BY id DESC LIMIT :limit
                    """,
                arguments: [
                    "client": query.client, "before": query.before, "kind": query.kind?.rawValue,
                    "clientKind": query.clientKind?.rawValue, "onlyRefused": query.onlyRefused,
                    "limit": query.limit,
                    "withoutOwner": query.withoutOwner,
                    "command": AccessLogEntry.ClientKind.command.rawValue,
                    "dashboard": AccessLogEntry.ClientKind.dashboard.rawValue,
                    // Entries of earlier versions have only the name.
                    "owner": Client.owner.name,
                ])
            return rows.compactMap(Self.entry)
        }
    }

    /// Verifies the chain on a connection of its own, so that entries can be written meanwhile.
    func verify(
        expecting expected: String?, _ onProgress: @escaping @Sendable (Int, Int) -> Void
    ) async throws(AuthError) -> AccessLogReport {
        try await AccessLogVerification(path: writer.path, expecting: expected)
            .run(onProgress: onProgress)
    }

    /// The bytes of the pages in use; pages of pruned entries do not count, because they are reused.
    func size() async throws -> Int64 {
        try await writer.read { database in
            func value(_ pragma: String) throws -> Int64 {
                try Int64.fetchOne(database, sql: "PRAGMA " + pragma) ?? 0
            }
            return try (value("page_count") - value("freelist_count")) * value("page_size")
        }
    }

    /// The end of the day, in UTC, of the oldest entry; `nil` if there is none.
    ///
    /// - Parameter now: entries with a later time, from a clock that was wrong, are ignored.
    func endOfOldestDay(before now: Timestamp) async throws -> Timestamp? {
        let day: Int64 = 86_400_000_000
        let oldest = try await writer.read { database in
            try Int64.fetchOne(
                database, sql: "SELECT time FROM ledger WHERE time <= ? ORDER BY id LIMIT 1",
                arguments: [now.microseconds])
        }
        return oldest.map { time in
            let number = time >= 0 ? time / day : (time - day + 1) / day
            return Timestamp(microseconds: (number + 1) * day)
        }
    }

    /// Deletes the entries before the first that is not older than `time`, and records the hash of the
    /// last deleted one.
    ///
    /// - Parameter now: entries with a later time, from a clock that was wrong, do not prevent pruning.
    /// - Returns: how many were deleted.
    func prune(before time: Timestamp, at now: Timestamp) async throws -> Int {
        let (count, key) = try await writer.write { database -> (Int, LogSealKey?) in
            let kept = try Int64.fetchOne(
                database,
                sql: "SELECT id FROM ledger WHERE time BETWEEN ? AND ? ORDER BY id LIMIT 1",
                arguments: [time.microseconds, now.microseconds])
            let last = try kept.map { $0 - 1 } ?? Self.head(database).id
            guard
                let hash = try Data.fetchOne(
                    database, sql: "SELECT hash FROM ledger WHERE id = ?", arguments: [last])
            else { return (0, nil) }
            let cut = AccessLogEntry(
                id: 0, time: now, kind: .pruned, client: nil, privilege: nil, sensor: nil,
                access: nil, operation: nil, range: nil, calls: 1, count: Int(last),
                detail: hash.hexadecimal)
            let (_, key) = try Self.append([cut], to: database, sealedFrom: seal.key)
            try database.execute(sql: "DELETE FROM ledger WHERE id <= ?", arguments: [last])
            return (database.changesCount, key)
        }
        if let key { seal.advance(to: key) }
        return count
    }

    /// Creates the table of the chained access log and copies the entries of the older table into
    /// it.
    static func create(_ database: Database) throws {
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
                    hash BLOB NOT NULL CHECK (length(hash) = 32),
                    clientKind TEXT,
                    seal BLOB CHECK (seal IS NULL OR length(seal) = \(LogSealKey.tagSize))
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
        while let row = try rows.next() {
            _ = try append([olderEntry(row)], to: database, sealedFrom: nil)
        }
        try database.execute(sql: "DROP TABLE access_log")
    }

    /// Adds the column `clientKind` to a table that was created without it.
    static func addClientKinds(_ database: Database) throws {
        let columns = try database.columns(in: "ledger").map(\.name)
        guard !columns.contains("clientKind") else { return }
        try database.execute(sql: "ALTER TABLE ledger ADD COLUMN clientKind TEXT")
    }

    /// Adds the column `seal`.
    static func addSeals(_ database: Database) throws {
        guard try !database.columns(in: "ledger").map(\.name).contains("seal") else { return }
        try database.execute(
            sql: """
                ALTER TABLE ledger ADD COLUMN seal BLOB
                    CHECK (seal IS NULL OR length(seal) = \(LogSealKey.tagSize))
                """)
    }

    // MARK: - Private

    private static func olderEntry(_ row: Row) -> AccessLogEntry {
        let sensor: String? = row["sensor"]
        let access: String? = row["access"]
        let reason: String? = row["reason"]
        return AccessLogEntry(
            id: 0, time: Timestamp(microseconds: row["time"]),
            kind: row["outcome"] == AccessLogEntry.Outcome.allowed.rawValue ? .access : .refusal,
            client: row["client"], privilege: nil, sensor: sensor.flatMap { SensorID($0) },
            access: access.flatMap(Access.init(rawValue:)), operation: row["operation"],
            range: range(row), calls: 1, count: row["count"],
            detail: reason?.escapedForDisplay(limit: 400))
    }

    /// - Parameter key: a key whose entry is the next one, or an earlier one; `nil` for an unsealed log.
    /// - Returns: the numbers of the entries, and the key of the entry after them.
    static func append(
        _ entries: [AccessLogEntry], to database: Database, sealedFrom key: LogSealKey?
    ) throws -> ([Int64], LogSealKey?) {
        let head = try head(database)
        var (id, chain, key) = (head.id, AccessLogChain(after: head.hash), key)
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO ledger (id, time, kind, client, privilege, sensor, access, operation,
                                    "from", "to", calls, count, detail, hash, clientKind, seal)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        let ids = try entries.map { entry in
            id += 1
            let later = entry.clientKind.map { [AccessLogChain.Value.text($0.rawValue)] } ?? []
            let values: [AccessLogChain.Value] = [
                .integer(id), .integer(entry.time.microseconds), .text(entry.kind.rawValue),
                .text(entry.client), .text(entry.privilege), .text(entry.sensor?.description),
                .text(entry.access?.rawValue), .text(entry.operation),
                .integer(entry.range?.from.microseconds), .integer(entry.range?.to.microseconds),
                .integer(Int64(entry.calls)), .integer(Int64(entry.count)), .text(entry.detail),
            ]
            chain.add(values + later)
            var tag: Data?
            // The keys of entries that were removed at the end no longer exist.
            if var current = key, current.entry <= id {
                current.move(to: id)
                tag = current.tag(of: chain.head)
                current.move()
                key = current
            }
            try statement.execute(arguments: [
                id, entry.time.microseconds, entry.kind.rawValue, entry.client, entry.privilege,
                entry.sensor?.description, entry.access?.rawValue, entry.operation,
                entry.range?.from.microseconds, entry.range?.to.microseconds, entry.calls,
                entry.count, entry.detail, chain.head, entry.clientKind?.rawValue, tag,
            ])
            return id
        }
        return (ids, key)
    }

    private static func head(_ database: Database) throws -> (id: Int64, hash: Data) {
        let row = try Row.fetchOne(
            database, sql: "SELECT id, hash FROM ledger ORDER BY id DESC LIMIT 1")
        return row.map { ($0["id"], $0["hash"]) } ?? (0, AccessLogChain.start)
    }

    private static func range(_ row: Row) -> TimeRange? {
        let from: Int64? = row["from"]
        let to: Int64? = row["to"]
        guard let from, let to else { return nil }
        return TimeRange(
            from: Timestamp(microseconds: from), to: Timestamp(microseconds: to))
    }

    private static func entry(_ row: Row) -> AccessLogEntry? {
        guard let kind = AccessLogEntry.Kind(rawValue: row["kind"]) else { return nil }
        let sensor: String? = row["sensor"]
        let access: String? = row["access"]
        let clientKind: String? = row["clientKind"]
        return AccessLogEntry(
            id: row["id"], time: Timestamp(microseconds: row["time"]), kind: kind,
            client: row["client"], privilege: row["privilege"],
            sensor: sensor.flatMap { SensorID($0) }, access: access.flatMap(Access.init(rawValue:)),
            operation: row["operation"], range: range(row), calls: row["calls"],
            count: row["count"],
            detail: row["detail"],
            clientKind: clientKind.flatMap(AccessLogEntry.ClientKind.init(rawValue:)))
    }
}
