import Files
public import GRDB
import Glibc

/// Creates, opens and checks the SQLite files of the host.
///
/// ```swift
/// try DatabaseFile.create("/data/a.sqlite") { path in try makeTables(path) }
/// try DatabaseFile.verify("/data/a.sqlite")
/// let queue = try DatabaseFile.open("/data/a.sqlite", label: "a", migrator: migrator)
/// ```
public enum DatabaseFile {
    private static let companions = ["", "-wal", "-shm"]
    private static let magic = Array("SQLite format 3\0".utf8)
    private static let headerSize = 100

    /// Creates a database that does not exist yet.
    ///
    /// It is written to a temporary file that is renamed when it is complete, so that a process that
    /// dies earlier leaves no empty database.
    /// If a database was set aside or removed without its write-ahead log, this log is renamed to
    /// `PATH.damaged-wal`.
    ///
    /// - Parameter fill: creates and closes the database at the path that it is given.
    /// - Throws: `unsafe`, `diskFull`, `failed`; what `fill` throws.
    public static func create(_ path: String, _ fill: (String) throws -> Void) throws {
        guard access(path, F_OK) != 0 else { return }
        let draft = path + ".new"
        for companion in companions { unlink(draft + companion) }
        try PrivateFile.check(draft)
        do {
            try fill(draft)
        } catch {
            for companion in companions { unlink(draft + companion) }
            throw error
        }
        // SQLite would take the log for the new database's own, and write its pages into it.
        unlink(path + "-shm")
        if isLogEmpty(path + "-wal") {
            unlink(path + "-wal")
        } else {
            guard rename(path + "-wal", path + ".damaged-wal") == 0 else {
                throw FilesError.last("Cannot set \(path)-wal aside")
            }
        }
        guard rename(draft, path) == 0 else { throw FilesError.last("Cannot create \(path)") }
        try DurableFile.synchroniseFolder(of: path)
    }

    /// Checks without SQLite whether an existing file can be a complete database.
    ///
    /// SQLite takes an empty file for a new database, and reports that a file is truncated only when it reads
    /// the missing part.
    ///
    /// - Returns: a clause such as "is empty"; `nil` for a file that can be a database or does not exist.
    public static func headerFault(of path: String) -> String? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { return nil }
        let size = Int(information.st_size)
        guard size > 0 else { return "is empty" }
        var header = [UInt8](repeating: 0, count: headerSize)
        let count = pread(descriptor, &header, headerSize, 0)
        guard count == headerSize, header.starts(with: magic) else {
            return "is not an SQLite database"
        }
        func number(at offset: Int) -> Int {
            header[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        let stored = Int(header[16]) << 8 | Int(header[17])
        let pageSize = stored == 1 ? 65_536 : stored
        // The number of pages in the header is valid if it was written with the last change, and if this
        // change is in the file itself, not in its log.
        let isValid = number(at: 24) == number(at: 92) && isLogEmpty(path + "-wal")
        guard isValid, number(at: 28) * pageSize > size else { return nil }
        return "is truncated: it has \(size) of \(number(at: 28) * pageSize) bytes"
    }

    /// Opens a database, creates its missing tables, and makes each commit survive a power cut.
    ///
    /// - Parameters:
    ///   - label: the name of the connection, for debugging.
    ///   - erasing: whether deleted values are overwritten in the file.
    ///   - migrator: the tables of this version.
    /// - Throws: errors of SQLite.
    public static func open(
        _ path: String, label: String, erasing: Bool = false, migrator: DatabaseMigrator
    ) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = label
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(5)
        if erasing {
            configuration.prepareDatabase { database in
                // VACUUM copies in memory, not to a temporary file outside of the data directory.
                try database.execute(sql: "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY")
            }
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        do {
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try migrator.migrate(queue)
        } catch {
            // A damaged file may be renamed, so it must not stay open.
            try? queue.close()
            throw error
        }
        return queue
    }

    /// Opens a database for reading, also while another process writes to it.
    ///
    /// - Throws: errors of SQLite.
    public static func openForReading(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            // No temporary files outside of the data directory.
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// The defects that SQLite finds in a file, which is only read.
    ///
    /// - Parameter limit: the maximum number of defects that are listed.
    /// - Throws: errors of SQLite, for a file that is not a database or cannot be read.
    public static func defects(of path: String, limit: Int = 10) throws -> [String] {
        let queue = try openForReading(path)
        defer { try? queue.close() }
        let lines = try queue.read { database in
            try String.fetchAll(database, sql: "PRAGMA quick_check(\(limit))")
        }
        return lines == ["ok"] ? [] : lines
    }

    /// Checks a file before it is written: that only its owner can open it, and that its content is intact.
    ///
    /// - Throws: ``DatabaseDamage``, `unsafe`, errors of SQLite.
    public static func verify(_ path: String) throws {
        try PrivateFile.checkDatabase(path)
        if let fault = headerFault(of: path) { throw DatabaseDamage(fault: fault) }
        if let defect = try defects(of: path, limit: 1).first {
            throw DatabaseDamage(fault: "is damaged: \(defect)")
        }
    }

    private static func isLogEmpty(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) != 0 || information.st_size == 0
    }
}
