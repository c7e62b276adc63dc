import Foundation
import GRDB
import Glibc
import Samples

/// The SQLite file: its schema and its statements, and nothing of buffering.
struct SampleFile: Sendable {
    let path: String
    private let pool: DatabasePool

    /// A sample on its way to the file.
    struct Entry: Sendable {
        let sensor: Int64
        let layout: Int64
        let stored: StoredSample
    }

    init(path: String) throws {
        // SQLite gives its companions -wal and -shm the mode of the file itself.
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SampleStoreError(
                .cannotOpen, "Cannot open \(path): \(String(cString: strerror(errno))).")
        }
        Glibc.close(descriptor)
        var configuration = Configuration()
        configuration.label = "samples"
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { database in
            // NORMAL in WAL mode: a commit survives the death of the process; a power cut may take
            // the last ones, never the file.
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
        }
        pool = try DatabasePool(path: path, configuration: configuration)
        self.path = path
        try Self.migrator.migrate(pool)
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("tail") { database in
            try database.execute(
                sql: """
                    CREATE TABLE sensor (
                        id INTEGER PRIMARY KEY,
                        name TEXT NOT NULL UNIQUE
                    ) STRICT;
                    CREATE TABLE layout (
                        id INTEGER PRIMARY KEY,
                        sensor INTEGER NOT NULL REFERENCES sensor(id),
                        fields TEXT NOT NULL,
                        UNIQUE (sensor, fields)
                    ) STRICT;
                    CREATE TABLE tail (
                        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                        sensor INTEGER NOT NULL,
                        layout INTEGER NOT NULL,
                        time INTEGER NOT NULL,
                        payload BLOB NOT NULL
                    ) STRICT;
                    CREATE INDEX tail_by_time ON tail (sensor, time);
                    CREATE TABLE collection (
                        sensor TEXT PRIMARY KEY,
                        level TEXT NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
        return migrator
    }
}

// MARK: - Sensors

extension SampleFile {
    /// The row of the sensor and of its layout, made when they are new.
    func register(_ sensor: SensorID, fields: [Field]) async throws -> (sensor: Int64, Layout) {
        let encoded = try Self.encode(fields)
        return try await pool.write { database in
            try database.execute(
                sql: "INSERT OR IGNORE INTO sensor (name) VALUES (?)",
                arguments: [sensor.description])
            let id = try Int64.fetchOne(
                database, sql: "SELECT id FROM sensor WHERE name = ?",
                arguments: [sensor.description])
            try database.execute(
                sql: "INSERT OR IGNORE INTO layout (sensor, fields) VALUES (?, ?)",
                arguments: [id, encoded])
            let layout = try Int64.fetchOne(
                database, sql: "SELECT id FROM layout WHERE sensor = ? AND fields = ?",
                arguments: [id, encoded])
            guard let id, let layout else {
                throw SampleStoreError(.damaged, "The sample store lost the sensor \(sensor).")
            }
            return (id, Layout(id: layout, fields: fields))
        }
    }

    /// Every layout a sensor ever had.
    func layouts(of sensor: Int64) async throws -> [Int64: Layout] {
        try await pool.read { database in
            let rows = try Row.fetchAll(
                database, sql: "SELECT id, fields FROM layout WHERE sensor = ?",
                arguments: [sensor])
            var layouts: [Int64: Layout] = [:]
            for row in rows {
                let id: Int64 = row["id"]
                layouts[id] = Layout(id: id, fields: try Self.decode(row["fields"]))
            }
            return layouts
        }
    }

    /// The settings kept beside the samples, by sensor.
    func settings() async throws -> [String: String] {
        try await pool.read { database in
            let rows = try Row.fetchAll(database, sql: "SELECT sensor, level FROM collection")
            return Dictionary(rows.map { ($0["sensor"], $0["level"]) }) { $1 }
        }
    }

    func keep(setting: String, for sensor: String) async throws {
        try await pool.write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO collection (sensor, level) VALUES (?, ?)",
                arguments: [sensor, setting])
        }
    }

    private static func encode(_ fields: [Field]) throws -> String {
        let columns = fields.map { [$0.name, $0.kind.rawValue, $0.unit ?? ""] }
        return String(decoding: try JSONEncoder().encode(columns), as: UTF8.self)
    }

    private static func decode(_ text: String) throws -> [Field] {
        let columns = try JSONDecoder().decode([[String]].self, from: Data(text.utf8))
        return try columns.map { column in
            guard column.count == 3, let kind = Field.Kind(rawValue: column[1]) else {
                throw SampleStoreError(.damaged, "The sample store has an unknown field kind.")
            }
            return Field(column[0], unit: column[2].isEmpty ? nil : column[2], kind: kind)
        }
    }
}

// MARK: - Samples

extension SampleFile {
    /// One transaction: all of the entries or none.
    func write(_ entries: [Entry]) async throws {
        try await pool.write { database in
            let statement = try database.cachedStatement(
                sql: """
                    INSERT INTO tail (sequence, sensor, layout, time, payload)
                    VALUES (?, ?, ?, ?, ?)
                    """)
            for entry in entries {
                try statement.execute(arguments: [
                    entry.stored.sequence, entry.sensor, entry.layout,
                    entry.stored.time.microseconds, Layout.encode(entry.stored.values),
                ])
            }
        }
    }

    /// The largest sequence ever given out, also of samples that are gone.
    func lastSequence() async throws -> Int64 {
        try await pool.read { database in
            let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'tail'"
            return try Int64.fetchOne(database, sql: sql) ?? 0
        }
    }

    func read(
        _ query: SampleQuery, sensor: Int64, layouts: [Int64: Layout]
    ) async throws -> [StoredSample] {
        let (comparison, direction) = query.order == .ascending ? (">", "ASC") : ("<", "DESC")
        var sql = "SELECT sequence, layout, time, payload FROM tail WHERE sensor = ?"
        var arguments: StatementArguments = [sensor]
        sql += " AND time >= ? AND time < ?"
        arguments += [query.range.from.microseconds, query.range.to.microseconds]
        if let after = query.after {
            sql += " AND (time, sequence) \(comparison) (?, ?)"
            arguments += [after.time.microseconds, after.sequence]
        }
        sql += " ORDER BY time \(direction), sequence \(direction) LIMIT ?"
        arguments += [query.limit]
        return try await fetch(sql, arguments, layouts: layouts)
    }

    /// What came after `sequence`, in the order of arrival.
    func arrivals(
        of sensor: Int64, after sequence: Int64, limit: Int, layouts: [Int64: Layout]
    ) async throws -> [StoredSample] {
        try await fetch(
            """
            SELECT sequence, layout, time, payload FROM tail NOT INDEXED
            WHERE sequence > ? AND sensor = ? ORDER BY sequence LIMIT ?
            """, [sequence, sensor, limit], layouts: layouts)
    }

    private func fetch(
        _ sql: String, _ arguments: StatementArguments, layouts: [Int64: Layout]
    ) async throws -> [StoredSample] {
        try await pool.read { database in
            let statement = try database.cachedStatement(sql: sql)
            let rows = try Row.fetchCursor(statement, arguments: arguments)
            var samples: [StoredSample] = []
            while let row = try rows.next() {
                let layout: Int64 = row[1]
                guard let values = layouts[layout]?.decode(row[3]) else {
                    throw SampleStoreError(
                        .damaged, "Sample \(row[0] as Int64) of the sample store is damaged.")
                }
                let time = Timestamp(microseconds: row[2])
                samples.append(
                    StoredSample(sequence: row[0], sample: Sample(time: time, values: values)))
            }
            return samples
        }
    }

    /// Bytes of the file and its write-ahead log on disk.
    func size() -> Int64 {
        [path, path + "-wal"].reduce(0) { total, file in
            var information = stat()
            return stat(file, &information) == 0 ? total + Int64(information.st_size) : total
        }
    }

    /// Moves the write-ahead log into the file and ends all use of it.
    func close() async throws {
        try await pool.barrierWriteWithoutTransaction { database in
            _ = try database.checkpoint(.truncate)
        }
        try pool.close()
    }
}
