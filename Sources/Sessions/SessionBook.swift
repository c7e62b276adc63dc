import Databases
import GRDB
public import Samples
import Text
public import Tracks

/// Stores sessions in an SQLite file; each change is on disk before it is acknowledged.
///
/// An active session continues after a restart of the host, since its steps are stored with times.
///
/// ```swift
/// let book = try SessionBook(path: path)
/// let session = try await book.create(draft)
/// try await book.apply(.start, to: session.session.id)
/// ```
public actor SessionBook {
    /// The new path of a damaged file, which was renamed when the book was opened; `nil` for none.
    public nonisolated let setAside: String?

    private let database: SessionDatabase
    private let now: @Sendable () -> Timestamp

    /// Opens the file at `path`, or creates it.
    ///
    /// A damaged file is renamed, and a new one is created.
    ///
    /// - Throws: `unsafeFile` if others can open the file, `diskFull`, `storeFailed`.
    public init(
        path: String, now: @escaping @Sendable () -> Timestamp = { .now() }
    ) throws(SessionsError) {
        self.now = now
        (database, setAside) = try SessionFile.open(path, now: now())
    }

    /// The names of the migrations that this version knows, in order.
    public static var migrations: [String] { SessionDatabase.migrator.migrations }

    // MARK: - Sessions

    /// Creates a session that has not begun.
    ///
    /// - Parameters:
    ///   - id: see `Session`; by default a random one of 64 bits.
    ///   - creator: who creates it; `nil` for the owner.
    /// - Throws: `invalid`, `nameTaken`.
    public func create(
        _ draft: SessionDraft, id: String? = nil, by creator: SessionCreator? = nil
    ) async throws(SessionsError) -> SessionRecord {
        let record = SessionRecord(
            try Session(id: id ?? RandomName.make(), draft, created: now()), creator: creator)
        return try await write { database in
            guard try SessionDatabase.record(record.session.id, database) == nil else {
                throw SessionsError(
                    .nameTaken, "Session \(record.session.id) already exists.")
            }
            try SessionDatabase.insert(record, database)
            return record
        }
    }

    /// A session.
    ///
    /// - Throws: `notFound`.
    public func record(
        _ id: String, in scope: SessionScope = .all
    ) async throws(SessionsError) -> SessionRecord {
        try await read { try Self.found(id, in: scope, $0) }
    }

    /// A page of the sessions of a scope, the newest first.
    ///
    /// - Parameter id: the last session of the previous page; if it was removed, the page is empty.
    public func page(
        after id: String? = nil, limit: Int, in scope: SessionScope = .all
    ) async throws(SessionsError) -> SessionPage {
        try await read { database in
            // One more, to know whether there is a next page.
            let ids = try SessionDatabase.ids(
                after: id, limit: limit + 1, in: scope, database)
            let shown = ids.prefix(limit)
            return SessionPage(
                records: try shown.map { try Self.found($0, database) },
                next: ids.count > limit ? shown.last : nil)
        }
    }

    /// Changes a session.
    ///
    /// - Throws: `notFound`, `invalid`, `wrongState`.
    public func update(
        _ id: String, _ change: SessionChange, in scope: SessionScope = .all
    ) async throws(SessionsError) -> SessionRecord {
        try await write { database in
            var record = try Self.found(id, in: scope, database)
            try record.update(change)
            try SessionDatabase.update(record, database)
            return record
        }
    }

    /// Starts, pauses, resumes or finishes a session now.
    ///
    /// - Throws: `notFound`, `wrongState`, `full`.
    public func apply(
        _ step: SessionStep, to id: String, in scope: SessionScope = .all
    ) async throws(SessionsError) -> SessionRecord {
        let time = now()
        return try await write { database in
            var record = try Self.found(id, in: scope, database)
            try record.apply(step, at: time)
            try SessionDatabase.addEvent(of: record, database)
            return record
        }
    }

    /// Removes a session; the samples of its sensors stay.
    ///
    /// - Throws: `notFound`.
    public func remove(
        _ id: String, in scope: SessionScope = .all
    ) async throws(SessionsError) {
        try await write { database in
            _ = try Self.found(id, in: scope, database)
            try database.execute(sql: "DELETE FROM session WHERE id = ?", arguments: [id])
        }
    }

    // MARK: - Private

    private func write<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(SessionsError) -> T {
        do {
            return try await database.queue.write(body)
        } catch {
            throw SessionsError(wrapping: error)
        }
    }

    private func read<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(SessionsError) -> T {
        do {
            return try await database.queue.read(body)
        } catch {
            throw SessionsError(wrapping: error)
        }
    }

    private static func found(
        _ id: String, in scope: SessionScope = .all, _ database: Database
    ) throws -> SessionRecord {
        guard let record = try SessionDatabase.record(id, database), scope.includes(record) else {
            throw SessionsError(.notFound, "There is no session with this identifier.")
        }
        return record
    }
}

// MARK: - Imported sessions

extension SessionBook {
    /// The result of an import.
    public struct Imports: Sendable {
        /// The created sessions, in the order of the file.
        public let made: [SessionRecord]
        /// The identifiers of sessions that exist already and were not changed.
        public let known: [String]
    }

    /// Creates a finished session for each workout, or none if one is invalid.
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

    /// The identifiers of the imported sessions whose routes have points in a range.
    public func importedSessions(
        in range: TimeRange
    ) async throws(SessionsError) -> [String] {
        try await read { try SessionDatabase.importedSessions(in: range, $0) }
    }

    /// The route of an imported session.
    ///
    /// - Throws: `notFound` if there is no such session or it was not imported.
    public func importedRoute(of id: String) async throws(SessionsError) -> RouteRecord {
        try await read { database in
            let record = try Self.found(id, database)
            guard record.isImported else {
                throw SessionsError(.notFound, "The session was not imported.")
            }
            guard let metres = record.enteredDistance else {
                return try SessionDatabase.importedRoute(of: id, database)
            }
            return try RouteRecord(segments: [], distance: metres, source: .manual)
        }
    }
}

extension SessionRecord {
    /// The session as it would have been stored if the host had recorded the workout.
    ///
    /// - Throws: `invalid`.
    init(_ workout: Workout) throws(SessionsError) {
        let begin = workout.spans.first?.from ?? Timestamp(microseconds: 0)
        self.init(try Session(id: workout.id, workout.draft, created: begin), isImported: true)
        for (index, span) in workout.spans.enumerated() {
            try apply(index == 0 ? .start : .resume, at: span.from)
            try apply(index == workout.spans.count - 1 ? .finish : .pause, at: span.to)
        }
        if workout.route.source == .manual {
            try update(SessionChange(distance: workout.route.distance))
        }
    }
}
