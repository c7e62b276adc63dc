import GRDB
import Samples
public import Tracks

/// Sessions from files.
extension SessionBook {
    /// What came of a file.
    public struct Imports: Sendable {
        /// The sessions that were made, in the order of the file.
        public let made: [SessionRecord]
        /// The identifiers of those that were there already, which stay as they are.
        public let known: [String]
    }

    /// Makes a session that has ended of each workout, or of none where one cannot be.
    ///
    /// - Throws: `invalid`, `diskFull`, `storeFailed`.
    public func add(_ workouts: [Workout]) async throws(SessionsError) -> Imports {
        var records: [(record: SessionRecord, route: RouteRecord)] = []
        for workout in workouts {
            records.append((try SessionRecord(workout), workout.route))
        }
        let all = records
        return try await write { database in
            var (made, known): ([SessionRecord], [String]) = ([], [])
            for (record, route) in all {
                if try SessionDatabase.record(record.session.id, database) != nil {
                    known.append(record.session.id)
                } else {
                    try SessionDatabase.insert(record, route, database)
                    made.append(record)
                }
            }
            return Imports(made: made, known: known)
        }
    }

    /// The route that came with a session from a file.
    ///
    /// - Throws: `notFound` where there is no such session, or none from a file.
    public func importedRoute(of id: String) async throws(SessionsError) -> RouteRecord {
        try await read { database in
            let record = try Self.found(id, database)
            guard record.isImported else {
                throw SessionsError(.notFound, "The session is from no file.")
            }
            guard let metres = record.enteredDistance else {
                return try SessionDatabase.importedRoute(of: id, database)
            }
            return try RouteRecord(segments: [], distance: metres, source: .manual)
        }
    }
}

extension SessionRecord {
    /// A session as it would have been recorded.
    ///
    /// - Throws: `invalid`.
    init(_ workout: Workout) throws(SessionsError) {
        let begin = workout.spans.first?.from ?? Timestamp(microseconds: 0)
        do {
            self.init(
                try Session(id: workout.id, workout.draft, created: begin), isImported: true)
        } catch {
            throw SessionsError(error)
        }
        for (place, span) in workout.spans.enumerated() {
            try apply(place == 0 ? .start : .resume, at: span.from)
            try apply(place == workout.spans.count - 1 ? .finish : .pause, at: span.to)
        }
        if workout.route.source == .manual {
            try update(SessionChange(distance: workout.route.distance))
        }
    }
}
