import Databases
import Files
import GRDB
import Glibc
import Samples

/// Opens the file of sessions, and renames a damaged one.
enum SessionFile {
    private static let companions = ["-wal", "-shm"]

    /// Opens the file at a path, or creates it.
    ///
    /// - Parameter now: part of the new name of a damaged file.
    /// - Returns: the database, and the new path of a damaged file.
    /// - Throws: `unsafeFile`, `diskFull`, `storeFailed`.
    static func open(
        _ path: String, now: Timestamp
    ) throws(SessionsError) -> (database: SessionDatabase, setAside: String?) {
        try check(path)
        do {
            return (try verified(path), nil)
        } catch {
            guard isDamage(error) else { throw SessionsError(wrapping: error) }
        }
        let time = "\(now)".prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
        let target = try setAside(path, at: time)
        try check(path)
        do {
            return (try verified(path), target)
        } catch {
            throw SessionsError(wrapping: error)
        }
    }

    /// Creates the file if it is missing, and checks that only its owner can open it.
    private static func check(_ path: String) throws(SessionsError) {
        do {
            try DatabaseFile.create(path) { try SessionDatabase(path: $0).queue.close() }
            try PrivateFile.checkDatabase(path)
        } catch {
            throw SessionsError(wrapping: error)
        }
    }

    private static func verified(_ path: String) throws -> SessionDatabase {
        try DatabaseFile.verify(path)
        let database = try SessionDatabase(path: path)
        do {
            try database.verify()
        } catch {
            try? database.queue.close()
            throw error
        }
        return database
    }

    /// Whether the content is at fault, rather than the disk or another process.
    private static func isDamage(_ error: any Error) -> Bool {
        if error is FilesError { return false }
        guard let error = error as? DatabaseError else { return true }
        // Damage can cause almost any other error, even one that is reported for an SQL statement.
        return ![
            .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_NOMEM,
            .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_INTERRUPT,
        ].contains(error.resultCode)
    }

    /// Renames a damaged file and its companions.
    ///
    /// - Parameter time: a part of the new name, such as `20260301T120000Z`.
    /// - Returns: the new path.
    private static func setAside(_ path: String, at time: String) throws(SessionsError) -> String {
        var number = 1
        var target = "\(path).damaged-\(time)"
        while access(target, F_OK) == 0 {
            number += 1
            target = "\(path).damaged-\(time)-\(number)"
        }
        for companion in [""] + companions where access(path + companion, F_OK) == 0 {
            guard rename(path + companion, target + companion) == 0 else {
                throw SessionsError(
                    .storeFailed,
                    "Cannot rename \(path + companion): \(String(cString: strerror(errno))).")
            }
        }
        return target
    }
}
