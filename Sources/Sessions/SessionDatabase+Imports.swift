import GRDB
import Samples
import Tracks

/// Sessions that came from files, with their points.
extension SessionDatabase {
    /// Writes a session that has ended, and its route.
    static func insert(_ record: SessionRecord, _ route: RouteRecord, _ database: Database) throws {
        try insert(record, database)
        for (place, event) in record.events.enumerated() {
            try insert(event, number: place + 1, of: record, database)
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
                    fix.speed, fix.heading, point.isVia ? 1 : 0,
                ])
            }
        }
    }

    /// The route that came with an imported session.
    ///
    /// - Throws: ``Damage`` for what cannot be one.
    static func importedRoute(of id: String, _ database: Database) throws -> RouteRecord {
        let told = try String.fetchOne(
            database, sql: "SELECT warnings FROM session WHERE id = ?", arguments: [id])
        let warnings = try (told ?? "").split(separator: " ").map { name in
            guard let warning = RouteRecord.Warning(rawValue: String(name)) else {
                throw Damage(description: "a warning is none")
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
        else { throw Damage(description: "a point is not on Earth") }
        func optional(_ column: String) throws -> Double? {
            let found: DatabaseValue = row[column]
            return found.isNull ? nil : try value(Double.self, column, row)
        }
        return RoutePoint(
            try Fix(
                time: Timestamp(microseconds: value(Int64.self, "time", row)), position: position,
                altitude: optional("altitude"), accuracy: optional("accuracy"),
                speed: optional("speed"), heading: optional("heading")),
            isVia: try value(Int64.self, "via", row) != 0)
    }
}
