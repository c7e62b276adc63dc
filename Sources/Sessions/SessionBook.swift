import GRDB
public import Samples
import Text

/// Keeps sessions in a file of SQLite; each change is on the disk before it is answered.
///
/// A session that is active goes on when the host starts again: its steps are kept with their times.
public actor SessionBook {
    /// Where a damaged file was put when the book was opened; `nil` when it was sound.
    public nonisolated let setAside: String?

    private let database: SessionDatabase
    private let now: @Sendable () -> Timestamp

    /// Opens the book at `path`, and makes an empty one where there is none.
    ///
    /// A file that SQLite finds damaged, or that is no book, is put aside under another name and an
    /// empty one takes its place.
    ///
    /// - Throws: `unsafeFile` when others could open the file, `diskFull`, `storeFailed` when it
    ///   cannot be used for another reason than damage.
    public init(
        path: String, now: @escaping @Sendable () -> Timestamp = { .now() }
    ) throws(SessionsError) {
        self.now = now
        (database, setAside) = try Self.open(path, now)
    }

    /// What SQLite finds wrong in a file of sessions, reading only and also while a host has it open.
    ///
    /// - Throws: `storeFailed` when the file cannot be read or is no database.
    public static func faults(inFile path: String) throws(SessionsError) -> [String] {
        do {
            return try SessionDatabase.faults(inFile: path)
        } catch {
            throw SessionsError(wrapping: error)
        }
    }

    // MARK: - Sessions

    /// Makes a session that has not begun.
    ///
    /// - Parameter id: as `Session` has it; a random one of 64 bits where there is none.
    /// - Throws: `invalid`, `nameTaken`.
    public func create(
        _ draft: SessionDraft, id: String? = nil
    ) async throws(SessionsError) -> SessionRecord {
        let record: SessionRecord
        do {
            record = SessionRecord(
                try Session(id: id ?? RandomName.make(), draft, created: now()))
        } catch {
            throw SessionsError(error)
        }
        return try await write { database in
            guard try SessionDatabase.record(record.session.id, database) == nil else {
                throw SessionsError(
                    .nameTaken, "There is a session \(record.session.id) already.")
            }
            try SessionDatabase.insert(record, database)
            return record
        }
    }

    /// - Throws: `notFound`.
    public func record(_ id: String) async throws(SessionsError) -> SessionRecord {
        try await read { try Self.found(id, $0) }
    }

    /// Sessions, the newest first.
    ///
    /// - Parameter id: of the last session of the page before; of one that is gone there is nothing
    ///   after it.
    public func page(
        after id: String? = nil, limit: Int
    ) async throws(SessionsError) -> SessionPage {
        try await read { database in
            // One more than asked for tells whether there is a next page.
            let ids = try SessionDatabase.ids(after: id, limit: limit + 1, database)
            let shown = ids.prefix(limit)
            return SessionPage(
                records: try shown.map { try Self.found($0, database) },
                next: ids.count > limit ? shown.last : nil)
        }
    }

    /// Changes the words of a session, its sensors as long as it has not begun, or the length of its
    /// route.
    ///
    /// - Throws: `notFound`, `invalid`, `wrongState`.
    public func update(
        _ id: String, _ change: SessionChange
    ) async throws(SessionsError) -> SessionRecord {
        try await write { database in
            var record = try Self.found(id, database)
            try record.update(change)
            try SessionDatabase.update(record, database)
            return record
        }
    }

    /// Starts, pauses, resumes or finishes a session now.
    ///
    /// - Throws: `notFound`, `wrongState`, `full`.
    public func apply(
        _ step: SessionStep, to id: String
    ) async throws(SessionsError) -> SessionRecord {
        let time = now()
        return try await write { database in
            var record = try Self.found(id, database)
            try record.apply(step, at: time)
            try SessionDatabase.addEvent(of: record, database)
            return record
        }
    }

    /// Forgets a session; the samples of its sensors stay.
    ///
    /// - Throws: `notFound`.
    public func remove(_ id: String) async throws(SessionsError) {
        try await write { database in
            _ = try Self.found(id, database)
            try database.execute(sql: "DELETE FROM session WHERE id = ?", arguments: [id])
        }
    }

    // MARK: - Private

    func write<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(SessionsError) -> T {
        do {
            return try await database.queue.write(body)
        } catch {
            throw SessionsError(wrapping: error)
        }
    }

    func read<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(SessionsError) -> T {
        do {
            return try await database.queue.read(body)
        } catch {
            throw SessionsError(wrapping: error)
        }
    }

    static func found(_ id: String, _ database: Database) throws -> SessionRecord {
        guard let record = try SessionDatabase.record(id, database) else {
            throw SessionsError(.notFound, "There is no session of this identifier.")
        }
        return record
    }

    /// - Returns: the file, and where a damaged one was put before.
    private static func open(
        _ path: String, _ now: () -> Timestamp
    ) throws(SessionsError) -> (SessionDatabase, String?) {
        try SessionFile.check(path)
        do {
            return (try verified(path), nil)
        } catch {
            guard isDamage(error) else { throw SessionsError(wrapping: error) }
        }
        let time = "\(now())".prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
        let target = try SessionFile.setAside(path, at: time)
        try SessionFile.check(path)
        do {
            return (try verified(path), target)
        } catch {
            throw SessionsError(wrapping: error)
        }
    }

    private static func verified(_ path: String) throws -> SessionDatabase {
        guard !SessionFile.isForeign(path) else {
            throw SessionDatabase.Damage(description: "it is no file of SQLite")
        }
        // Before anything is written into it.
        let faults = try SessionDatabase.faults(inFile: path)
        guard faults.isEmpty else {
            throw SessionDatabase.Damage(description: faults.joined(separator: " "))
        }
        let database = try SessionDatabase(path: path)
        do {
            try database.verify()
        } catch {
            try? database.queue.close()
            throw error
        }
        return database
    }

    /// Whether the file is at fault, and not the disk or somebody who has it open.
    private static func isDamage(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return true }
        // Damage shows as almost anything else, such as an error of a statement.
        return ![
            .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_NOMEM,
            .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_INTERRUPT,
        ].contains(error.resultCode)
    }
}

extension SessionsError {
    /// The module's own word for an error that SQLite reported.
    init(wrapping error: any Error) {
        if let own = error as? SessionsError {
            self = own
            return
        }
        let found = error as? DatabaseError
        let reason = found?.message ?? "\(error)"
        self.init(
            found?.resultCode == .SQLITE_FULL ? .diskFull : .storeFailed,
            "The book of sessions could not be read or written: \(reason).", cause: error)
    }
}
