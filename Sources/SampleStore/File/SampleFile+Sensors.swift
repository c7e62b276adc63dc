import GRDB
import Samples

extension SampleFile {
    /// The row of the sensor and of its layout, made when they are new.
    func register(_ sensor: SensorID, fields: [Field]) async throws -> (sensor: Int64, Layout) {
        let encoded = try Layout.encode(fields)
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

    /// Every layout a sensor ever had whose fields can be read.
    func layouts(of sensor: Int64) async throws -> [Int64: Layout] {
        try await pool.read { database in
            let rows = try Row.fetchCursor(
                database, sql: "SELECT id, fields FROM layout WHERE sensor = ?",
                arguments: [sensor])
            var layouts: [Int64: Layout] = [:]
            while let row = try rows.next() {
                let id = try Int64.stored(row, 0)
                layouts[id] = try? Layout(id: id, encoded: .stored(row, 1))
            }
            return layouts
        }
    }

    /// The settings kept beside the samples, by sensor.
    func settings() async throws -> [String: String] {
        try await pool.read { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT sensor, level FROM collection")
            var settings: [String: String] = [:]
            while let row = try rows.next() {
                settings[try .stored(row, 0)] = try .stored(row, 1)
            }
            return settings
        }
    }

    /// Keeps one setting for several sensors, for all or none.
    func keep(setting: String, for sensors: [String]) async throws {
        try await pool.write { database in
            for sensor in sensors {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO collection (sensor, level) VALUES (?, ?)",
                    arguments: [sensor, setting])
            }
        }
    }
}

extension DatabaseValueConvertible {
    /// A column of a row, or an error where damage to the file gave it another type.
    ///
    /// The subscript of a row would trap.
    static func stored(_ row: Row, _ column: Int) throws(SampleStoreError) -> Self {
        let value: DatabaseValue = row[column]
        guard let converted = Self.fromDatabaseValue(value) else {
            throw SampleStoreError(.damaged, "A row of the sample store is damaged.")
        }
        return converted
    }
}
