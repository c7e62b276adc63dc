import Databases
import Files
import Foundation
import GRDB
import Samples
import Text

/// The SQLite file of the health store: its schema and its statements.
struct HealthDatabase: Sendable {
    let queue: DatabaseQueue
    private let seal: HealthSeal

    /// The encrypted values of a row.
    private struct Payload: Codable {
        var number: Double?
        var text: String?
        var activity: WorkoutActivity?
        /// Microseconds.
        var active: Int64?
        var metadata: [String: JSONScalar]?
    }

    /// Opens the file, or creates it and its key.
    init(path: String, key: HealthKeyPlace) throws {
        let isNew = !FileManager.default.fileExists(atPath: path)
        let seal = try HealthSeal(key, mayCreate: isNew)
        try DatabaseFile.create(path) { draft in
            let queue = try Self.open(draft)
            try queue.write { database in
                try database.execute(
                    sql: "INSERT INTO seal (proof) VALUES (?)",
                    arguments: [try seal.seal(Self.proof, of: Self.proof)])
            }
            try queue.close()
        }
        try DatabaseFile.verify(path)
        queue = try Self.open(path)
        self.seal = seal
        // Another key must not add values that this file's key cannot open.
        let proof = try queue.read { try Data.fetchOne($0, sql: "SELECT proof FROM seal") }
        guard let proof else { throw HealthError(damaged: "is incomplete") }
        _ = try seal.open(proof, as: String.self, of: Self.proof)
    }

    private static let proof = "nervous health store"

    private static func open(_ path: String) throws -> DatabaseQueue {
        try DatabaseFile.open(path, label: "health", erasing: true, migrator: migrator)
    }

    // MARK: - Objects

    /// Adds an object.
    ///
    /// - Parameter parent: the number of the row that it belongs to.
    /// - Returns: the number of its row.
    func insert(
        _ object: HealthObject, digest: Data?, parent: Int64?, saved: Timestamp,
        _ database: Database
    ) throws -> Int64 {
        var payload = Payload(metadata: object.metadata.isEmpty ? nil : object.metadata)
        switch object.content {
        case .number(let number): payload.number = number
        case .text(let text): payload.text = text
        case .workout(let activity, let active):
            payload.activity = activity
            payload.active = active.wholeMicroseconds
        case .correlation: break
        }
        let row = Self.row(
            object.id, object.type.description, object.start, object.end,
            object.source?.number ?? "")
        try database.cachedStatement(
            sql: """
                INSERT INTO object
                    (id, type, start, end, parent, app, creator, key, digest, saved, sealed)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            object.id, object.type.description, object.start.microseconds,
            object.end.microseconds, parent, object.source?.name, object.source?.number ?? "",
            object.key, digest, saved.microseconds, try seal.seal(payload, of: row),
        ])
        return database.lastInsertedRowID
    }

    /// The object of an identifier; `nil` if there is none.
    func object(_ id: String, _ database: Database) throws -> HealthObject? {
        try Row.fetchOne(
            database, sql: Self.selection + " WHERE object.id = ?", arguments: [id]
        ).map(object)
    }

    /// The object that a source saved with a key, and what its content was.
    func object(
        withKey key: String, of source: HealthSource?, _ database: Database
    ) throws -> (object: HealthObject, digest: Data)? {
        let found = try Row.fetchOne(
            database,
            sql: Self.selection + " WHERE object.creator = ? AND object.key = ?",
            arguments: [source?.number ?? "", key])
        return try found.map { row in
            (try object(row), try Self.value(Data.self, "digest", row))
        }
    }

    /// The objects of a type that a view has, in the order of the query, one more than its limit.
    ///
    /// - Parameter includes: whether an object is wanted.
    func objects(
        of type: HealthType, _ query: HealthQuery, in view: HealthView, _ database: Database,
        where includes: (HealthObject) -> Bool = { _ in true }
    ) throws -> [HealthObject] {
        let isOwnOnly = query.isOwnOnly || !view.reads(type)
        let cursor = try query.cursor.map(HealthCursor.init)
        let (order, sign) = query.isNewestFirst ? ("DESC", "<") : ("ASC", ">")
        let rows = try Row.fetchCursor(
            database,
            sql: """
                \(Self.selection)
                WHERE object.type = :type AND object.start >= :from AND object.start < :to
                    AND (:creator IS NULL OR object.creator = :creator)
                    AND (:start IS NULL OR (object.start, object.id) \(sign) (:start, :id))
                ORDER BY object.start \(order), object.id \(order)
                """,
            arguments: [
                "type": type.description, "from": query.range.from.microseconds,
                "to": query.range.to.microseconds,
                "creator": isOwnOnly ? view.source?.number ?? "" : nil,
                "start": cursor?.start, "id": cursor?.id,
            ])
        var found: [HealthObject] = []
        while found.count <= query.limit, let row = try rows.next() {
            let object = try object(row)
            if includes(object) { found.append(object) }
        }
        return found
    }

    /// The samples of an object that a view has, the oldest first.
    ///
    /// - Parameter totalsOnly: whether only samples that can be added up are wanted.
    func samples(
        of parent: HealthObject, in view: HealthView, totalsOnly: Bool = false,
        _ database: Database
    ) throws -> [HealthObject] {
        // A group is saved as a whole: who saved it sees all of its samples.
        let seen = HealthType.all.filter { type in
            type.isSample && (!totalsOnly || type.isTotal)
                && (view.isOwn(parent) || view.reads(type))
        }
        let marks = databaseQuestionMarks(count: seen.count)
        let rows = try Row.fetchCursor(
            database,
            sql: """
                \(Self.selection)
                WHERE parent.id = ? AND object.type IN (\(marks)) ORDER BY object.start, object.number
                """,
            arguments: StatementArguments([parent.id] + seen.map(\.description)))
        var found: [HealthObject] = []
        while let row = try rows.next() { found.append(try object(row)) }
        return found
    }

    /// Removes an object and what belongs to it.
    func remove(_ id: String, _ database: Database) throws {
        try database.execute(sql: "DELETE FROM object WHERE id = ?", arguments: [id])
    }

    /// Removes the objects that match, and what belongs to them.
    ///
    /// - Returns: how many rows were removed.
    func remove(_ filter: HealthFilter, _ database: Database) throws -> Int {
        let before = try Int.fetchOne(database, sql: "SELECT count(*) FROM object") ?? 0
        let condition = """
            (:type IS NULL OR type = :type) AND (:app IS NULL OR app = :app)
                AND start >= :from AND start < :to
            """
        let arguments: StatementArguments = [
            "type": filter.type?.description, "app": filter.app,
            "from": filter.range.from.microseconds, "to": filter.range.to.microseconds,
        ]
        // A correlation does not remain without one of its parts.
        let correlations = HealthType.all.filter { $0.kind == .correlation }
            .map { "'\($0)'" }.joined(separator: ", ")
        try database.execute(
            sql: """
                DELETE FROM object WHERE type IN (\(correlations)) AND number IN
                    (SELECT parent FROM object WHERE parent IS NOT NULL AND \(condition))
                """, arguments: arguments)
        try database.execute(sql: "DELETE FROM object WHERE \(condition)", arguments: arguments)
        return before - (try Int.fetchOne(database, sql: "SELECT count(*) FROM object") ?? 0)
    }

    /// How many objects a source has saved.
    func count(of source: HealthSource?, _ database: Database) throws -> Int {
        try Int.fetchOne(
            database, sql: "SELECT count(*) FROM object WHERE creator = ?",
            arguments: [source?.number ?? ""]) ?? 0
    }

    /// What is stored, by type and source.
    func counts(_ database: Database) throws -> [HealthCount] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT type, app, count(*) AS count, min(start) AS oldest, max(start) AS newest
                FROM object GROUP BY type, app ORDER BY type, app
                """)
        return try rows.map { row in
            HealthCount(
                type: try Self.type(row), app: row["app"],
                count: try Self.value(Int.self, "count", row),
                oldest: Timestamp(microseconds: try Self.value(Int64.self, "oldest", row)),
                newest: Timestamp(microseconds: try Self.value(Int64.self, "newest", row)))
        }
    }

    // MARK: - Characteristics

    /// The value of a characteristic; `nil` if there is none.
    func characteristic(
        _ type: HealthType, _ database: Database
    ) throws -> HealthObject.Content? {
        let sealed = try Data.fetchOne(
            database, sql: "SELECT sealed FROM characteristic WHERE type = ?",
            arguments: [type.description])
        guard let sealed else { return nil }
        let payload = try seal.open(sealed, as: Payload.self, of: type.description)
        return try Self.content(of: payload)
    }

    /// Sets or, with `nil`, removes a characteristic.
    func set(
        _ type: HealthType, to content: HealthObject.Content?, at time: Timestamp,
        _ database: Database
    ) throws {
        try database.execute(
            sql: "DELETE FROM characteristic WHERE type = ?", arguments: [type.description])
        guard let content else { return }
        var payload = Payload()
        if case .number(let number) = content { payload.number = number }
        if case .text(let text) = content { payload.text = text }
        try database.execute(
            sql: "INSERT INTO characteristic (type, changed, sealed) VALUES (?, ?, ?)",
            arguments: [
                type.description, time.microseconds,
                try seal.seal(payload, of: type.description),
            ])
    }

    func removeCharacteristics(_ database: Database) throws {
        try database.execute(sql: "DELETE FROM characteristic")
    }

    // MARK: - Private

    private static let selection = """
        SELECT object.*, parent.id AS parent_id, parent.type AS parent_type
        FROM object LEFT JOIN object AS parent ON parent.number = object.parent
        """

    /// The additional authenticated data of a row: what identifies it.
    private static func row(
        _ id: String, _ type: String, _ start: Timestamp, _ end: Timestamp, _ creator: String
    ) -> String {
        "\(id) \(type) \(start.microseconds) \(end.microseconds) \(creator)"
    }

    private func object(_ row: Row) throws -> HealthObject {
        let id = try Self.value(String.self, "id", row)
        let type = try Self.type(row)
        let start = Timestamp(microseconds: try Self.value(Int64.self, "start", row))
        let end = Timestamp(microseconds: try Self.value(Int64.self, "end", row))
        let creator = try Self.value(String.self, "creator", row)
        let sealed = try Self.value(Data.self, "sealed", row)
        let payload = try seal.open(
            sealed, as: Payload.self, of: Self.row(id, type.description, start, end, creator))
        var parent: HealthObject.Parent?
        if let found = row["parent_id"] as String? {
            parent = HealthObject.Parent(id: found, type: try Self.type(row, "parent_type"))
        }
        let source =
            creator.isEmpty
            ? nil : HealthSource(name: try Self.value(String.self, "app", row), number: creator)
        return HealthObject(
            id: id, type: type, start: start, end: end, content: try Self.content(of: payload),
            source: source, parent: parent, key: row["key"], metadata: payload.metadata ?? [:])
    }

    private static func content(of payload: Payload) throws -> HealthObject.Content {
        if let number = payload.number { return .number(number) }
        if let text = payload.text { return .text(text) }
        guard let activity = payload.activity else { return .correlation }
        return .workout(activity, active: .microseconds(payload.active ?? 0))
    }

    private static func type(_ row: Row, _ column: String = "type") throws -> HealthType {
        guard let type = HealthType(try value(String.self, column, row)) else {
            throw HealthError(damaged: "has an object of an unknown type")
        }
        return type
    }

    /// GRDB's own conversion traps on a value of another type, which a damaged file can contain.
    private static func value<T: DatabaseValueConvertible>(
        _ type: T.Type, _ column: String, _ row: Row
    ) throws -> T {
        guard let value = T.fromDatabaseValue(row[column]) else {
            throw HealthError(damaged: "has an invalid value of \(column)")
        }
        return value
    }
}

/// Where a page begins: after an object.
struct HealthCursor: CustomStringConvertible {
    let start: Int64
    let id: String

    init(after object: HealthObject) {
        (start, id) = (object.start.microseconds, object.id)
    }

    init(_ text: String) throws(HealthError) {
        let parts = text.split(separator: "_", maxSplits: 1)
        guard parts.count == 2, let start = Int64(parts[0]) else {
            throw HealthError(.invalid, "The cursor is not one that the host returned.")
        }
        (self.start, id) = (start, String(parts[1]))
    }

    var description: String { "\(start)_\(id)" }
}

// MARK: - Schema

extension HealthDatabase {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("objects") { database in
            try database.execute(
                sql: """
                    CREATE TABLE object (
                        number INTEGER PRIMARY KEY,
                        id TEXT NOT NULL UNIQUE,
                        type TEXT NOT NULL,
                        start INTEGER NOT NULL,
                        end INTEGER NOT NULL CHECK (end >= start),
                        parent INTEGER REFERENCES object(number) ON DELETE CASCADE,
                        app TEXT,
                        creator TEXT NOT NULL,
                        key TEXT,
                        digest BLOB,
                        saved INTEGER NOT NULL,
                        sealed BLOB NOT NULL
                    ) STRICT;
                    CREATE INDEX object_by_start ON object (type, start, id);
                    CREATE UNIQUE INDEX object_by_key ON object (creator, key);
                    CREATE INDEX object_by_parent ON object (parent) WHERE parent IS NOT NULL;
                    CREATE TABLE characteristic (
                        type TEXT PRIMARY KEY,
                        changed INTEGER NOT NULL,
                        sealed BLOB NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE seal (proof BLOB NOT NULL) STRICT;
                    """)
        }
        return migrator
    }
}
