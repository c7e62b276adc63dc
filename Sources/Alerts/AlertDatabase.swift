import API
import Databases
import Files
import Foundation
import GRDB
import Samples
import Text

/// The SQLite file of rules: definitions, states, events and deliveries.
///
/// The state of a rule, its event and the deliveries for it are written in one transaction: after a crash
/// either all of them exist or none.
struct AlertDatabase: Sendable {
    /// A stored rule.
    struct StoredRule: Sendable {
        let rule: AlertRule
        let isEnabled: Bool
        let created: Timestamp
        /// Changes with the definition, so that the state of an earlier definition is not written to it.
        let revision: Int64
        let state: AlertState
    }

    /// A stored event with its deliveries.
    struct Event: Hashable, Sendable {
        let id: Int64
        let time: Timestamp
        let kind: AlertState.Transition.Kind
        let value: Double?
        let isMuted: Bool
        let deliveries: [AlertDelivery]
    }

    /// The maximum number of events of a rule that are kept.
    static let eventLimit = 1000
    /// The maximum number of calls of a rule that wait.
    static let waitingLimit = 100

    private let queue: DatabaseQueue

    /// Opens the file, or creates it; deliveries that an earlier process had started become `unknown`.
    ///
    /// - Throws: `unsafeFile`, `diskFull`, `storeFailed`.
    init(path: String) throws(AlertsError) {
        do {
            try DatabaseFile.create(path) { try Self.open($0).close() }
            try DatabaseFile.verify(path)
            queue = try Self.open(path)
            try queue.write { database in
                try database.execute(
                    sql: "UPDATE delivery SET state = 'unknown' WHERE state = 'started'")
            }
        } catch {
            throw AlertsError(wrapping: error)
        }
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        try DatabaseFile.open(path, label: "alerts", migrator: migrator)
    }

    // MARK: - Rules

    /// All rules, by name, and the names of those that this version cannot read.
    func rules() async throws(AlertsError) -> (rules: [StoredRule], unreadable: [String]) {
        try await read { database in
            var found: (rules: [StoredRule], unreadable: [String]) = ([], [])
            let rows = try Row.fetchAll(database, sql: "SELECT * FROM rule ORDER BY name")
            for row in rows {
                let name: String = try Self.value("name", row)
                do {
                    let definition = try Self.decode(AlertDefinition.self, "definition", row)
                    found.rules.append(
                        StoredRule(
                            rule: try AlertRule(name, definition),
                            isEnabled: try Self.value("enabled", row) as Int64 != 0,
                            created: Timestamp(microseconds: try Self.value("created", row)),
                            revision: try Self.value("revision", row),
                            state: try Self.decode(AlertState.self, "state", row)))
                } catch {
                    found.unreadable.append(name)
                }
            }
            return found
        }
    }

    /// Stores a rule; the events of an earlier rule of its name stay.
    func put(_ stored: StoredRule) async throws(AlertsError) {
        let definition = try Self.encode(stored.rule.definition)
        let state = try Self.encode(stored.state)
        try await write { database in
            try database.execute(
                sql: """
                    INSERT INTO rule (name, definition, enabled, created, revision, state)
                    VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (name) DO UPDATE SET definition = excluded.definition,
                        enabled = excluded.enabled, revision = excluded.revision,
                        state = excluded.state
                    """,
                arguments: [
                    stored.rule.name, definition, stored.isEnabled ? 1 : 0,
                    stored.created.microseconds, stored.revision, state,
                ])
        }
    }

    /// Removes a rule with its events and deliveries.
    func remove(_ name: String) async throws(AlertsError) {
        try await write { database in
            try database.execute(sql: "DELETE FROM rule WHERE name = ?", arguments: [name])
        }
    }

    /// Writes the states of rules, by the revisions of their definitions.
    func save(_ states: [Int64: AlertState]) async throws(AlertsError) {
        var texts: [Int64: String] = [:]
        for (revision, state) in states { texts[revision] = try Self.encode(state) }
        try await write { [texts] database in
            for (revision, text) in texts {
                try database.execute(
                    sql: "UPDATE rule SET state = ? WHERE revision = ?",
                    arguments: [text, revision])
            }
        }
    }

    // MARK: - Events and deliveries

    /// Writes transitions of a rule, the state after them, and the deliveries for those that are not muted.
    ///
    /// Nothing is written if the definition has changed meanwhile.
    ///
    /// - Parameters:
    ///   - messages: one for each transition.
    ///   - revision: of the definition that was evaluated.
    func record(
        _ transitions: [AlertState.Transition], _ messages: [AlertMessage], of name: String,
        revision: Int64, state: AlertState, at now: Timestamp
    ) async throws(AlertsError) {
        let text = try Self.encode(state)
        try await write { database in
            try database.execute(
                sql: "UPDATE rule SET state = ? WHERE name = ? AND revision = ?",
                arguments: [text, name, revision])
            guard database.changesCount > 0 else { return }
            for (transition, message) in zip(transitions, messages) {
                try database.execute(
                    sql: """
                        INSERT INTO event (rule, time, kind, value, muted) VALUES (?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        name, transition.time.microseconds, transition.kind.rawValue,
                        transition.value, transition.isMuted ? 1 : 0,
                    ])
                let event = database.lastInsertedRowID
                guard !transition.isMuted else { continue }
                for (kind, payload) in try message.payloads() {
                    try database.execute(
                        sql: """
                            INSERT INTO delivery
                                (id, rule, event, kind, payload, created, state, attempts, next)
                            VALUES (?, ?, ?, ?, ?, ?, 'waiting', 0, ?)
                            """,
                        arguments: [
                            RandomName.make(), name, event, kind.rawValue, payload,
                            now.microseconds, now.microseconds,
                        ])
                }
            }
            try Self.bound(name, database)
        }
    }

    /// Keeps the numbers of events and of waiting deliveries of a rule within their limits.
    private static func bound(_ name: String, _ database: Database) throws {
        try database.execute(
            sql: """
                UPDATE delivery SET state = 'failed', next = NULL,
                    problem = 'Too many deliveries of the rule waited.'
                WHERE rule = :rule AND state = 'waiting' AND number <= (
                    SELECT number FROM delivery WHERE rule = :rule AND state = 'waiting'
                    ORDER BY number DESC LIMIT 1 OFFSET :limit)
                """, arguments: ["rule": name, "limit": waitingLimit])
        try database.execute(
            sql: """
                DELETE FROM event WHERE rule = :rule AND id <= (
                    SELECT id FROM event WHERE rule = :rule
                    ORDER BY id DESC LIMIT 1 OFFSET :limit)
                """, arguments: ["rule": name, "limit": eventLimit])
    }

    /// The events of a rule, the newest first.
    ///
    /// - Parameter id: the last event of the previous page.
    func events(
        of name: String, before id: Int64?, limit: Int
    ) async throws(AlertsError) -> [Event] {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM event WHERE rule = ? AND id < ? ORDER BY id DESC LIMIT ?
                    """, arguments: [name, id ?? .max, limit])
            return try rows.map { row in
                let id: Int64 = try Self.value("id", row)
                guard let kind = AlertState.Transition.Kind(rawValue: try Self.value("kind", row))
                else { throw Damage() }
                return Event(
                    id: id, time: Timestamp(microseconds: try Self.value("time", row)), kind: kind,
                    value: row["value"], isMuted: try Self.value("muted", row) as Int64 != 0,
                    deliveries: try Self.deliveries(
                        database, "WHERE event = ? ORDER BY number", [id]))
            }
        }
    }

    /// Where the calls of a rule go; `nil` if there is no such rule or it has no webhook now.
    func webhook(of name: String) async throws(AlertsError) -> AlertRule.Action? {
        let found = try await rules().rules.first { $0.rule.name == name }
        return found?.rule.actions.first { action in
            if case .webhook = action { true } else { false }
        }
    }

    /// The deliveries that wait, the oldest first.
    func waiting() async throws(AlertsError) -> [AlertDelivery] {
        try await read { database in
            try Self.deliveries(database, "WHERE state = 'waiting' ORDER BY number")
        }
    }

    /// For each rule with such deliveries: how many wait, and why one that waits or is of the last event has
    /// failed.
    func problems() async throws(AlertsError) -> [String: (waiting: Int, problem: String?)] {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT rule, total(state = 'waiting') AS waiting, max(number * (problem IS NOT NULL)) AS newest,
                        problem
                    FROM delivery AS one
                    WHERE state = 'waiting' OR state IN ('failed', 'unknown')
                        AND event = (SELECT max(id) FROM event WHERE rule = one.rule)
                    GROUP BY rule
                    """)
            var found: [String: (waiting: Int, problem: String?)] = [:]
            for row in rows {
                found[try Self.value("rule", row)] = (
                    waiting: Int(try Self.value("waiting", row) as Double),
                    problem: row["problem"]
                )
            }
            return found
        }
    }

    /// Writes the state of a delivery; one that was removed stays so.
    func save(_ delivery: AlertDelivery) async throws(AlertsError) {
        try await write { database in
            try database.execute(
                sql: """
                    UPDATE delivery SET state = ?, attempts = ?, next = ?, problem = ? WHERE id = ?
                    """,
                arguments: [
                    delivery.state.rawValue, delivery.attempts, delivery.next?.microseconds,
                    delivery.problem, delivery.id,
                ])
        }
    }

    /// Makes the deliveries of a rule that wait or have failed due now.
    ///
    /// - Returns: their number.
    func retry(_ name: String, at now: Timestamp) async throws(AlertsError) -> Int {
        try await write { database in
            try database.execute(
                sql: """
                    UPDATE delivery SET state = 'waiting', next = ?
                    WHERE rule = ? AND kind = 'webhook' AND state IN ('waiting', 'failed')
                    """, arguments: [now.microseconds, name])
            return database.changesCount
        }
    }

    private static func deliveries(
        _ database: Database, _ clause: String, _ arguments: StatementArguments = []
    ) throws -> [AlertDelivery] {
        let rows = try Row.fetchAll(
            database, sql: "SELECT * FROM delivery \(clause)", arguments: arguments)
        return try rows.map { row in
            guard let kind = AlertDelivery.Kind(rawValue: try value("kind", row)),
                let state = AlertDelivery.State(rawValue: try value("state", row))
            else { throw Damage() }
            var delivery = AlertDelivery(
                id: try value("id", row), rule: try value("rule", row), kind: kind,
                payload: try value("payload", row),
                created: Timestamp(microseconds: try value("created", row)))
            delivery.state = state
            delivery.attempts = Int(try value("attempts", row) as Int64)
            delivery.next = (row["next"] as Int64?).map { Timestamp(microseconds: $0) }
            delivery.problem = row["problem"]
            return delivery
        }
    }

    // MARK: - Access

    /// A value that this program does not write.
    private struct Damage: Error, CustomStringConvertible {
        var description: String { "a value is invalid" }
    }

    private func read<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(AlertsError) -> T {
        do {
            return try await queue.read(body)
        } catch {
            throw AlertsError(wrapping: error)
        }
    }

    @discardableResult
    private func write<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(AlertsError) -> T {
        // In a new task, because the calling one may be cancelled when the host stops, and a delivery
        // that was made must still be recorded.
        let task = Task { [queue] in try await queue.write(body) }
        do {
            return try await task.value
        } catch {
            throw AlertsError(wrapping: error)
        }
    }

    private static func encode(_ value: some Encodable) throws(AlertsError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw AlertsError(wrapping: error)
        }
    }

    private static func decode<T: Decodable>(
        _ type: T.Type, _ column: String, _ row: Row
    ) throws -> T {
        let text: String = try value(column, row)
        return try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    /// GRDB's own conversion traps on a value of another type, which a damaged file can contain.
    private static func value<T: DatabaseValueConvertible>(_ column: String, _ row: Row) throws -> T
    {
        guard let value = T.fromDatabaseValue(row[column]) else { throw Damage() }
        return value
    }
}

// MARK: - Schema

extension AlertDatabase {
    static var migrations: [String] { migrator.migrations }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("rules") { database in
            try database.execute(
                sql: """
                    CREATE TABLE rule (
                        name TEXT PRIMARY KEY,
                        definition TEXT NOT NULL,
                        enabled INTEGER NOT NULL,
                        created INTEGER NOT NULL,
                        revision INTEGER NOT NULL UNIQUE,
                        state TEXT NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE event (
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        rule TEXT NOT NULL REFERENCES rule(name) ON DELETE CASCADE,
                        time INTEGER NOT NULL,
                        kind TEXT NOT NULL,
                        value REAL,
                        muted INTEGER NOT NULL
                    ) STRICT;
                    CREATE INDEX event_of_rule ON event (rule, id);
                    CREATE TABLE delivery (
                        number INTEGER PRIMARY KEY AUTOINCREMENT,
                        id TEXT NOT NULL UNIQUE,
                        rule TEXT NOT NULL REFERENCES rule(name) ON DELETE CASCADE,
                        event INTEGER NOT NULL REFERENCES event(id) ON DELETE CASCADE,
                        kind TEXT NOT NULL,
                        payload TEXT NOT NULL,
                        created INTEGER NOT NULL,
                        state TEXT NOT NULL,
                        attempts INTEGER NOT NULL,
                        next INTEGER,
                        problem TEXT
                    ) STRICT;
                    CREATE INDEX delivery_of_rule ON delivery (rule, state, number);
                    CREATE INDEX delivery_of_event ON delivery (event);
                    """)
        }
        return migrator
    }
}
