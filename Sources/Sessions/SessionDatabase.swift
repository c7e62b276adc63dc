import Databases
import GRDB
import Samples
import Tracks

/// The SQLite file of sessions: its schema and its statements.
struct SessionDatabase: Sendable {
    let queue: DatabaseQueue

    /// Why the content of a file is invalid.
    struct Damage: Error, CustomStringConvertible {
        let description: String
    }

    /// Opens the file, and creates missing tables.
    init(path: String) throws {
        queue = try DatabaseFile.open(path, label: "sessions", migrator: Self.migrator)
    }

    /// - Throws: ``Damage`` unless every session can be read.
    func verify() throws {
        // A write transaction also detects a file whose header marks it as read-only.
        try queue.write { database in
            let orphans = try Row.fetchAll(database, sql: "PRAGMA foreign_key_check")
            guard orphans.isEmpty else {
                throw Damage(description: "rows belong to no session")
            }
            let ids = try String.fetchCursor(database, sql: "SELECT id FROM session")
            // The many points of imported routes are checked when they are read.
            while let id = try ids.next() { _ = try Self.record(id, database) }
        }
    }

    // MARK: - Statements

    /// - Returns: `nil` if there is no such session.
    static func record(_ id: String, _ database: Database) throws -> SessionRecord? {
        guard
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT created, name, description, distance, imported, app, creator
                    FROM session WHERE id = ?
                    """,
                arguments: [id])
        else { return nil }
        let sensors = try Row.fetchAll(
            database, sql: "SELECT sensor FROM session_sensor WHERE session = ? ORDER BY place",
            arguments: [id]
        ).map { row in
            guard let sensor = SensorID(try value(String.self, "sensor", row)) else {
                throw Damage(description: "the name of a sensor is invalid")
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
            isImported: try value(Int64.self, "imported", row) != 0, creator: try creator(row))
        let events = try Row.fetchAll(
            database, sql: "SELECT step, time FROM session_event WHERE session = ? ORDER BY number",
            arguments: [id])
        for row in events {
            guard let step = SessionStep(rawValue: try value(String.self, "step", row)) else {
                throw Damage(description: "a step is invalid")
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
                INSERT INTO session (id, created, name, description, imported, app, creator)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                session.id, session.created.microseconds, session.name, session.description,
                record.isImported ? 1 : 0, record.creator?.name, record.creator?.number,
            ])
        try insertSensors(of: record, database)
    }

    /// Writes its name, description, sensors and length.
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

    /// The identifiers of the sessions of a scope after one of them, the newest first.
    static func ids(
        after id: String?, limit: Int, in scope: SessionScope, _ database: Database
    ) throws -> [String] {
        let creator: String? =
            switch scope {
            case .all: nil
            case .created(let creator): creator.number
            }
        return try String.fetchAll(
            database,
            sql: """
                SELECT id FROM session
                WHERE (:creator IS NULL OR creator = :creator)
                    AND (:after IS NULL OR (created, id) <
                        (SELECT created, id FROM session WHERE id = :after))
                ORDER BY created DESC, id DESC LIMIT :limit
                """, arguments: ["creator": creator, "after": id, "limit": limit])
    }

    private static func creator(_ row: Row) throws -> SessionCreator? {
        let (name, number): (DatabaseValue, DatabaseValue) = (row["app"], row["creator"])
        guard !name.isNull || !number.isNull else { return nil }
        return SessionCreator(
            name: try value(String.self, "app", row),
            number: try value(String.self, "creator", row))
    }

    private static func insertSensors(of record: SessionRecord, _ database: Database) throws {
        for (index, sensor) in record.session.sensors.enumerated() {
            try database.execute(
                sql: "INSERT INTO session_sensor (session, place, sensor) VALUES (?, ?, ?)",
                arguments: [record.session.id, index, sensor.description])
        }
    }

    /// GRDB's own conversion traps on a value of another type, which a damaged file can contain.
    static func value<T: DatabaseValueConvertible>(
        _ type: T.Type, _ column: String, _ row: Row
    ) throws -> T {
        guard let value = T.fromDatabaseValue(row[column]) else {
            throw Damage(description: "a value of \(column) is invalid")
        }
        return value
    }
}

// MARK: - Imported sessions

extension SessionDatabase {
    /// Writes a finished session and its route.
    static func insert(_ record: SessionRecord, _ route: RouteRecord, _ database: Database) throws {
        try insert(record, database)
        for (index, event) in record.events.enumerated() {
            try insert(event, number: index + 1, of: record, database)
        }
        let warnings = RouteRecord.Warning.allCases.filter(route.warnings.contains)
        try database.execute(
            sql: "UPDATE session SET distance = ?, warnings = ? WHERE id = ?",
            arguments: [
                record.enteredDistance, warnings.map(\.rawValue).joined(separator: " "),
                record.session.id,
            ])
        let insertion = try database.cachedStatement(
            sql: """
                INSERT INTO session_point VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        var number = 0
        for (segment, points) in route.segments.enumerated() {
            for point in points {
                number += 1
                let fix = point.fix
                try insertion.execute(arguments: [
                    record.session.id, number, segment, fix.time.microseconds,
                    fix.position.latitude, fix.position.longitude, fix.altitude, fix.accuracy,
                    fix.speed, fix.heading, point.isPausePoint ? 1 : 0,
                ])
            }
        }
    }

    /// The imported sessions with points in a range.
    static func importedSessions(in range: TimeRange, _ database: Database) throws -> [String] {
        try String.fetchAll(
            database,
            sql: """
                SELECT id FROM session WHERE imported <> 0 AND EXISTS (
                    SELECT 1 FROM session_point WHERE session = id AND time >= ? AND time < ?)
                ORDER BY created, id
                """, arguments: [range.from.microseconds, range.to.microseconds])
    }

    /// The route of an imported session.
    ///
    /// - Throws: ``Damage`` for an invalid one.
    static func importedRoute(of id: String, _ database: Database) throws -> RouteRecord {
        let text = try String.fetchOne(
            database, sql: "SELECT warnings FROM session WHERE id = ?", arguments: [id])
        let warnings = try (text ?? "").split(separator: " ").map { name in
            guard let warning = RouteRecord.Warning(rawValue: String(name)) else {
                throw Damage(description: "a warning is invalid")
            }
            return warning
        }
        var segments: [[RoutePoint]] = []
        var last: Int64?
        let rows = try Row.fetchCursor(
            database, sql: "SELECT * FROM session_point WHERE session = ? ORDER BY number",
            arguments: [id])
        while let row = try rows.next() {
            let segment = try value(Int64.self, "segment", row)
            if segment != last { segments.append([]) }
            last = segment
            segments[segments.count - 1].append(try point(row))
        }
        return try RouteRecord(
            segments: segments, distance: Track(segments: segments).distance,
            warnings: Set(warnings))
    }

    private static func point(_ row: Row) throws -> RoutePoint {
        guard
            let position = Position(
                latitude: try value(Double.self, "latitude", row),
                longitude: try value(Double.self, "longitude", row))
        else { throw Damage(description: "a point has invalid coordinates") }
        func optional(_ column: String) throws -> Double? {
            let found: DatabaseValue = row[column]
            return found.isNull ? nil : try value(Double.self, column, row)
        }
        return RoutePoint(
            try Fix(
                time: Timestamp(microseconds: value(Int64.self, "time", row)), position: position,
                altitude: optional("altitude"), accuracy: optional("accuracy"),
                speed: optional("speed"), heading: optional("heading")),
            isPausePoint: try value(Int64.self, "via", row) != 0)
    }
}

// MARK: - Schema

extension SessionDatabase {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("sessions") { database in
            try database.execute(
                sql: """
                    CREATE TABLE session (
                        id TEXT PRIMARY KEY,
                        created INTEGER NOT NULL,
                        name TEXT NOT NULL,
                        description TEXT NOT NULL,
                        distance REAL
                    ) STRICT, WITHOUT ROWID;
                    CREATE UNIQUE INDEX session_by_age ON session (created, id);
                    CREATE TABLE session_sensor (
                        session TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
                        place INTEGER NOT NULL,
                        sensor TEXT NOT NULL,
                        PRIMARY KEY (session, place)
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE session_event (
                        session TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
                        number INTEGER NOT NULL,
                        step TEXT NOT NULL,
                        time INTEGER NOT NULL,
                        PRIMARY KEY (session, number)
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("imports") { database in
            try database.execute(
                sql: """
                    ALTER TABLE session ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE session ADD COLUMN warnings TEXT NOT NULL DEFAULT '';
                    CREATE TABLE session_point (
                        session TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
                        number INTEGER NOT NULL,
                        segment INTEGER NOT NULL,
                        time INTEGER NOT NULL,
                        latitude REAL NOT NULL CHECK (latitude BETWEEN -90 AND 90),
                        longitude REAL NOT NULL CHECK (longitude BETWEEN -180 AND 180),
                        altitude REAL,
                        accuracy REAL,
                        speed REAL,
                        heading REAL,
                        via INTEGER NOT NULL,
                        PRIMARY KEY (session, number)
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("creators") { database in
            try database.execute(
                sql: """
                    ALTER TABLE session ADD COLUMN app TEXT;
                    ALTER TABLE session ADD COLUMN creator TEXT;
                    """)
        }
        return migrator
    }
}
