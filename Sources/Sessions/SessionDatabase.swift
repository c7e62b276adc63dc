import GRDB
import Samples

/// The SQLite file of sessions: its schema and its statements.
struct SessionDatabase: Sendable {
    let queue: DatabaseQueue

    /// Why the content of a file is no book of sessions.
    struct Damage: Error, CustomStringConvertible {
        let description: String
    }

    /// Opens the file, and makes its tables where it has none.
    init(path: String) throws {
        var configuration = Configuration()
        configuration.label = "sessions"
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(5)
        configuration.foreignKeysEnabled = true
        queue = try DatabaseQueue(path: path, configuration: configuration)
        do {
            try Self.migrator.migrate(queue)
        } catch {
            // What is set aside is open no longer.
            try? queue.close()
            throw error
        }
    }

    /// What SQLite finds wrong in a file, reading only.
    static func faults(inFile path: String) throws -> [String] {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let lines = try queue.read { try String.fetchAll($0, sql: "PRAGMA quick_check(10)") }
        return lines == ["ok"] ? [] : lines
    }

    /// - Throws: ``Damage`` unless every session can be read.
    func verify() throws {
        // A file whose head says that it is for reading only shows so as soon as one would write.
        try queue.write { database in
            let orphans = try Row.fetchAll(database, sql: "PRAGMA foreign_key_check")
            guard orphans.isEmpty else {
                throw Damage(description: "what belongs to no session is there")
            }
            let ids = try String.fetchCursor(database, sql: "SELECT id FROM session")
            // The points of imported routes are many, and are looked at when they are asked for.
            while let id = try ids.next() { _ = try Self.record(id, database) }
        }
    }

    // MARK: - Statements

    /// - Returns: `nil` where there is none.
    static func record(_ id: String, _ database: Database) throws -> SessionRecord? {
        guard
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT created, name, description, distance, imported FROM session
                    WHERE id = ?
                    """,
                arguments: [id])
        else { return nil }
        let sensors = try Row.fetchAll(
            database, sql: "SELECT sensor FROM session_sensor WHERE session = ? ORDER BY place",
            arguments: [id]
        ).map { row in
            guard let sensor = SensorID(try value(String.self, "sensor", row)) else {
                throw Damage(description: "a name of a sensor is none")
            }
            return sensor
        }
        let draft = try SessionDraft(
            name: value(String.self, "name", row),
            description: value(String.self, "description", row), sensors: sensors)
        var record = SessionRecord(
            try Session(
                id: id, draft,
                created: Timestamp(microseconds: value(Int64.self, "created", row))),
            isImported: try value(Int64.self, "imported", row) != 0)
        let events = try Row.fetchAll(
            database, sql: "SELECT step, time FROM session_event WHERE session = ? ORDER BY number",
            arguments: [id])
        for row in events {
            guard let step = SessionStep(rawValue: try value(String.self, "step", row)) else {
                throw Damage(description: "a step is none")
            }
            try record.apply(
                step, at: Timestamp(microseconds: value(Int64.self, "time", row)))
        }
        let distance: DatabaseValue = row["distance"]
        if !distance.isNull {
            try record.update(SessionChange(distance: value(Double.self, "distance", row)))
        }
        return record
    }

    static func insert(_ record: SessionRecord, _ database: Database) throws {
        let session = record.session
        try database.execute(
            sql: """
                INSERT INTO session (id, created, name, description, imported)
                VALUES (?, ?, ?, ?, ?)
                """,
            arguments: [
                session.id, session.created.microseconds, session.name, session.description,
                record.isImported ? 1 : 0,
            ])
        try insertSensors(of: record, database)
    }

    /// Writes its words, sensors and length.
    static func update(_ record: SessionRecord, _ database: Database) throws {
        let session = record.session
        try database.execute(
            sql: "UPDATE session SET name = ?, description = ?, distance = ? WHERE id = ?",
            arguments: [session.name, session.description, record.enteredDistance, session.id])
        try database.execute(
            sql: "DELETE FROM session_sensor WHERE session = ?", arguments: [session.id])
        try insertSensors(of: record, database)
        if record.isImported, record.enteredDistance != nil {
            try database.execute(
                sql: "DELETE FROM session_point WHERE session = ?", arguments: [session.id])
        }
    }

    /// Writes its last step.
    static func addEvent(of record: SessionRecord, _ database: Database) throws {
        guard let event = record.events.last else { return }
        try insert(event, number: record.events.count, of: record, database)
    }

    static func insert(
        _ event: SessionRecord.Event, number: Int, of record: SessionRecord, _ database: Database
    ) throws {
        try database.execute(
            sql: "INSERT INTO session_event (session, number, step, time) VALUES (?, ?, ?, ?)",
            arguments: [
                record.session.id, number, event.step.rawValue, event.time.microseconds,
            ])
    }

    /// The identifiers of sessions, the newest first, after one of them.
    static func ids(
        after id: String?, limit: Int, _ database: Database
    ) throws -> [String] {
        try String.fetchAll(
            database,
            sql: """
                SELECT id FROM session
                WHERE :after IS NULL OR (created, id) <
                    (SELECT created, id FROM session WHERE id = :after)
                ORDER BY created DESC, id DESC LIMIT :limit
                """, arguments: ["after": id, "limit": limit])
    }

    private static func insertSensors(of record: SessionRecord, _ database: Database) throws {
        for (place, sensor) in record.session.sensors.enumerated() {
            try database.execute(
                sql: "INSERT INTO session_sensor (session, place, sensor) VALUES (?, ?, ?)",
                arguments: [record.session.id, place, sensor.description])
        }
    }

    /// GRDB's own conversion would trap on a value of another type, as a damaged file can hold.
    static func value<T: DatabaseValueConvertible>(
        _ type: T.Type, _ column: String, _ row: Row
    ) throws -> T {
        guard let value = T.fromDatabaseValue(row[column]) else {
            throw Damage(description: "a value of \(column) is none")
        }
        return value
    }
}
