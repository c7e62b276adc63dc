import Foundation
import GRDB
import Samples

extension SampleFile {
    /// A sample on its way to the file.
    struct Entry: Sendable {
        let sensor: Int64
        let layout: Int64
        let stored: StoredSample
    }

    /// One transaction: all of the entries or none.
    func write(_ entries: [Entry], _ numbering: Numbering) async throws {
        try await pool.write { database in
            try Self.note(numbering, database)
            let statement = try database.cachedStatement(
                sql: """
                    INSERT INTO tail (sequence, sensor, layout, time, payload)
                    VALUES (?, ?, ?, ?, ?)
                    """)
            for entry in entries {
                try statement.execute(arguments: [
                    entry.stored.sequence, entry.sensor, entry.layout,
                    entry.stored.time.microseconds, Payload.encode(entry.stored.values),
                ])
            }
        }
    }

    func read(
        _ query: SampleQuery, sensor: Int64, _ projections: [Int64: Projection]
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
        sql += " AND layout IN (SELECT value FROM json_each(?))"
        sql += " ORDER BY time \(direction), sequence \(direction) LIMIT ?"
        arguments += [Self.list(projections), query.limit]
        return try await fetch(sql, arguments, projections)
    }

    /// What came after `sequence`, in the order of arrival.
    func arrivals(
        of sensor: Int64, after sequence: Int64, limit: Int, _ projections: [Int64: Projection]
    ) async throws -> [StoredSample] {
        try await fetch(
            """
            SELECT sequence, layout, time, payload FROM tail NOT INDEXED
            WHERE sequence > ? AND sensor = ? AND layout IN (SELECT value FROM json_each(?))
            ORDER BY sequence LIMIT ?
            """, [sequence, sensor, Self.list(projections), limit], projections)
    }

    private func fetch(
        _ sql: String, _ arguments: StatementArguments, _ projections: [Int64: Projection]
    ) async throws -> [StoredSample] {
        try await pool.read { database in
            let statement = try database.cachedStatement(sql: sql)
            let rows = try Row.fetchCursor(statement, arguments: arguments)
            var samples: [StoredSample] = []
            while let row = try rows.next() {
                let sequence = try Int64.stored(row, 0)
                let time = Timestamp(microseconds: try .stored(row, 2))
                guard let projection = projections[try .stored(row, 1)],
                    let values = Payload.decode(try .stored(row, 3), projection.layout.fields)
                else {
                    throw SampleStoreError(
                        .damaged, "Sample \(sequence) of the sample store is damaged.")
                }
                let sample = Sample(time: time, values: projection(values))
                samples.append(StoredSample(sequence: sequence, sample: sample))
            }
            return samples
        }
    }

    /// The layouts that can be read, as SQLite's `json_each` takes them.
    private static func list(_ projections: [Int64: Projection]) -> String {
        "[" + projections.keys.map(String.init).joined(separator: ",") + "]"
    }
}
