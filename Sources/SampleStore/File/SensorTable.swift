import GRDB
import Samples

/// The tables `sensor`, `layout` and `collection`.
struct SensorTable: Sendable {
    private let pool: DatabasePool

    init(_ pool: DatabasePool) {
        self.pool = pool
    }

    /// The row of a sensor and its layout with these fields, inserted when they are new.
    ///
    /// - Parameter publisher: the client that publishes the samples; empty for the host.
    func register(
        _ sensor: SensorID, fields: [Field], publisher: String = ""
    ) async throws -> (sensor: Int64, Layout) {
        let encoded = try Layout.encode(fields)
        return try await pool.write { database in
            try database.execute(
                sql: "INSERT OR IGNORE INTO sensor (name) VALUES (?)",
                arguments: [sensor.description])
            let id = try Int64.fetchOne(
                database, sql: "SELECT id FROM sensor WHERE name = ?",
                arguments: [sensor.description])
            try database.execute(
                sql: "INSERT OR IGNORE INTO layout (sensor, fields, publisher) VALUES (?, ?, ?)",
                arguments: [id, encoded, publisher])
            let layout = try Int64.fetchOne(
                database,
                sql: "SELECT id FROM layout WHERE sensor = ? AND fields = ? AND publisher = ?",
                arguments: [id, encoded, publisher])
            guard let id, let layout else {
                throw SampleStoreError(
                    .damaged, "The sample store has no row for the sensor \(sensor).")
            }
            return (id, Layout(id: layout, fields: fields))
        }
    }

    /// All readable layouts that a sensor has had, by row.
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

    /// The collection levels, by sensor.
    func levels() async throws -> [String: String] {
        try await pool.read { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT sensor, level FROM collection")
            var levels: [String: String] = [:]
            while let row = try rows.next() {
                levels[try .stored(row, 0)] = try .stored(row, 1)
            }
            return levels
        }
    }

    /// Stores one collection level for several sensors in one transaction.
    func setLevel(_ level: String, for sensors: [String]) async throws {
        try await pool.write { database in
            for sensor in sensors {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO collection (sensor, level) VALUES (?, ?)",
                    arguments: [sensor, level])
            }
        }
    }
}
