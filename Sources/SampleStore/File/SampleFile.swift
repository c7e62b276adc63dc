import Databases
import Files
import GRDB
import Glibc

/// The open SQLite file and its write-ahead log.
///
/// It owns the connections and the file descriptors. The tables and queries are in the types that
/// take its pool.
struct SampleFile: Sendable {
    let path: String
    let pool: DatabasePool
    /// Used to overwrite unused parts of pages; see `PageScrub`.
    private let pages: OpenFile
    /// The write-ahead log.
    ///
    /// SQLite keeps this file as long as the database is open, and takes no locks on it.
    private let log: OpenFile

    /// Opens the file, creates it when it does not exist, and migrates its schema.
    ///
    /// - Throws: `SampleStoreError` with code `damaged` for a file that is empty or truncated; errors of
    ///   SQLite and of the system.
    init(path: String) throws {
        try DatabaseFile.create(path) { try Self.open($0).close() }
        if let fault = DatabaseFile.headerFault(of: path) {
            throw SampleStoreError(.damaged, "The sample store \(path) \(fault).")
        }
        // SQLite gives its companions -wal and -shm the mode of the file itself.
        pages = try OpenFile(path)
        pool = try Self.open(path)
        self.path = path
        log = try OpenFile(path + "-wal")
    }

    private static func open(_ path: String) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.label = "samples"
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { database in
            // NORMAL in WAL mode: a commit survives the death of the process; a power cut may lose
            // the last commits but never the file. `SampleWriter` syncs the commits that have to
            // survive a power cut.
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            guard !database.configuration.readonly else { return }
            // Deleted bytes are overwritten, so that no reused page contains any of them.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            // Incremental vacuum can only be enabled before the first table exists.
            if try Int64.fetchOne(database, sql: "PRAGMA page_count") == 0 {
                try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            }
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        try SampleSchema.migrator.migrate(pool)
        return pool
    }

    // MARK: - Size

    /// Bytes of the file and its write-ahead log on disk.
    func size() -> Int64 { Self.size(of: path) + logSize() }

    /// Bytes of the write-ahead log.
    func logSize() -> Int64 { log.size }

    static func size(of path: String) -> Int64 {
        var information = stat()
        return stat(path, &information) == 0 ? Int64(information.st_size) : 0
    }

    /// Free bytes of the disk that this user can use.
    func free() -> Int64 { DiskReserve.free(at: path) }

    /// The used and the free pages.
    func space() async throws -> FileSpace {
        try await pool.read { try FileSpace($0) }
    }

    /// Releases some free pages to the disk.
    ///
    /// - Parameters:
    ///   - limit: the target size of the file.
    ///   - step: the maximum number of pages.
    /// - Returns: whether there are more to release.
    func shrink(to limit: Int64, step: Int) async throws -> Bool {
        try await pool.writeWithoutTransaction { database in
            let excess = try FileSpace(database).excess(above: limit)
            guard excess > 0 else { return false }
            // Each row that the pragma returns has released one page.
            let rows = try Row.fetchCursor(
                database, sql: "PRAGMA incremental_vacuum(\(min(excess, Int64(step))))")
            while try rows.next() != nil {}
            return excess > step
        }
    }

    // MARK: - Log

    /// Lets SQLite checkpoint the log at half of `limit` bytes.
    func limitLog(to limit: Int64) async throws {
        try await pool.writeWithoutTransaction { database in
            let page = try FileSpace(database).pageSize
            try database.execute(
                sql: "PRAGMA wal_autocheckpoint = \(max(16, min(4000, limit / 2 / page)))")
        }
    }

    /// Checkpoints the log and truncates it.
    ///
    /// - Returns: `false` when a reader holds a snapshot that is only in the log. The call waits at
    ///   most a tenth of a second for readers.
    @discardableResult
    func truncateLog() async throws -> Bool {
        try await pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA busy_timeout = 100")
            defer { try? database.execute(sql: "PRAGMA busy_timeout = 5000") }
            do {
                let frames = try database.checkpoint(.truncate)
                return frames.walFrameCount == frames.checkpointedFrameCount
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                return false
            }
        }
    }

    /// Extends the log with zeros to a multiple of `step` bytes, and flushes it to the disk.
    ///
    /// - Throws: when the disk does not store the log.
    func syncLog(extendingBy step: Int64) throws(SampleStoreError) {
        log.extend(toMultipleOf: step)
        try log.sync()
    }

    /// After flushing the log has failed, makes all commits survive a power cut.
    ///
    /// After a failed fsync the kernel considers the pages clean, so everything is written again,
    /// to the file itself.
    func resync() async throws {
        try await pool.barrierWriteWithoutTransaction { database in
            _ = try database.checkpoint(.full)
        }
    }

    /// Overwrites unused bytes in all pages, if the log is empty.
    ///
    /// - Returns: the pages that could not be parsed; `nil` when there was something in the log.
    /// - Precondition: the caller holds a write transaction.
    func scrubPages(_ database: Database) throws -> [UInt32]? {
        guard logSize() == 0 else { return nil }
        let space = try FileSpace(database)
        let roots = try Int64.fetchAll(
            database, sql: "SELECT rootpage FROM sqlite_schema WHERE rootpage > 0")
        return try PageScrub(pages.descriptor, pageSize: space.pageSize, pages: space.pages)
            .run(roots: roots)
    }

    /// Checkpoints the log, if there is room and no reader prevents it, and closes the file.
    ///
    /// - Parameter last: the last sequence number, when all samples are in the file.
    func close(endingAt last: Int64?) async throws {
        do {
            if let last { try await SequenceTable(pool).endSession(at: last) }
            try await pool.barrierWriteWithoutTransaction { database in
                _ = try database.checkpoint(.truncate)
            }
        } catch let error as DatabaseError
            where [.SQLITE_FULL, .SQLITE_BUSY].contains(error.resultCode)
        {
            // The log is as durable as the file; it stays, and the next session reads it.
        } catch {
            try? pool.close()
            throw error
        }
        try pool.close()
    }
}

/// The pages of the file.
struct FileSpace: Sendable {
    let pageSize: Int64
    let pages: Int64
    let freePages: Int64
    /// Whether free pages at the end can be released.
    let canShrink: Bool

    /// Bytes of the pages in use.
    var used: Int64 { (pages - freePages) * pageSize }
    var bytes: Int64 { pages * pageSize }
    var free: Int64 { freePages * pageSize }

    init(_ database: Database) throws {
        func value(_ pragma: String) throws -> Int64 {
            try Int64.fetchOne(database.cachedStatement(sql: "PRAGMA " + pragma)) ?? 0
        }
        pageSize = try value("page_size")
        pages = try value("page_count")
        freePages = try value("freelist_count")
        canShrink = try value("auto_vacuum") == 2
    }

    /// The number of pages to release: all but a few for new samples, or more if the file is too
    /// large.
    func excess(above limit: Int64) -> Int64 {
        guard canShrink else { return 0 }
        let spare = pages / 16 + 64
        return min(freePages, max(freePages - spare, (bytes - limit + pageSize - 1) / pageSize, 0))
    }
}

/// A file descriptor that is closed with the last reference.
private final class OpenFile: Sendable {
    let descriptor: Int32
    private let path: String

    /// Opens the file for reading and writing; creates it with mode 0600 when it does not exist.
    init(_ path: String) throws(SampleStoreError) {
        self.path = path
        descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SampleStoreError(
                .cannotOpen, "Cannot open \(path): \(String(cString: strerror(errno))).")
        }
    }

    /// The size in bytes; 0 when the file was unlinked.
    var size: Int64 {
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_nlink > 0 else { return 0 }
        return Int64(information.st_size)
    }

    /// Flushes the file to the disk.
    ///
    /// - Throws: when the disk does not store it, or the file was unlinked.
    func sync() throws(SampleStoreError) {
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_nlink > 0 else {
            throw SampleStoreError(.failed, "\(path) was removed.")
        }
        guard fdatasync(descriptor) == 0 else {
            throw SampleStoreError(
                errno == ENOSPC ? .full : .failed,
                "Cannot write \(path) to the disk: \(String(cString: strerror(errno))).")
        }
    }

    /// Appends zeros up to a multiple of `step` bytes.
    ///
    /// Flushing a file that has grown also flushes its metadata, which takes several times as long
    /// as flushing data. Writing over existing zeros avoids that. A full disk is not an error here.
    func extend(toMultipleOf step: Int64) {
        let size = size
        let missing = (step - size % step) % step
        guard size > 0, missing > 0 else { return }
        let zeros = [UInt8](repeating: 0, count: Int(missing))
        _ = pwrite(descriptor, zeros, zeros.count, off_t(size))
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}
