import GRDB
import Glibc

/// The pages of a file.
struct FileSpace: Sendable {
    var pageSize: Int64
    var pages: Int64
    var freePages: Int64
    /// Whether free pages at the end can be given back.
    var canShrink: Bool

    /// Bytes of the pages that hold something.
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

    /// Pages to give back: a few stay for the samples to come, unless the file is too large.
    func excess(above limit: Int64) -> Int64 {
        guard canShrink else { return 0 }
        let spare = pages / 16 + 64
        return min(freePages, max(freePages - spare, (bytes - limit + pageSize - 1) / pageSize, 0))
    }
}

extension SampleFile {
    func measure() async throws -> FileSpace {
        try await pool.read { try FileSpace($0) }
    }

    /// Bytes of the write-ahead log.
    func logSize() -> Int64 { log.size }

    static func size(of path: String) -> Int64 {
        var information = stat()
        return stat(path, &information) == 0 ? Int64(information.st_size) : 0
    }

    /// Bytes that the disk has left for this user.
    func free() -> Int64 {
        var information = statvfs()
        guard statvfs(path, &information) == 0 else { return 0 }
        return Int64(information.f_bavail) * Int64(information.f_frsize)
    }

    /// Gives a few free pages back to the disk.
    ///
    /// - Returns: whether there are more to give.
    func shrink(to limit: Int64) async throws -> Bool {
        let step = space.pagesPerStep
        return try await pool.writeWithoutTransaction { database in
            let excess = try FileSpace(database).excess(above: limit)
            guard excess > 0 else { return false }
            // Each row that it returns has given one page back.
            let rows = try Row.fetchCursor(
                database, sql: "PRAGMA incremental_vacuum(\(min(excess, Int64(step))))")
            while try rows.next() != nil {}
            return excess > step
        }
    }

    /// Has SQLite move the log into the file in good time.
    func limitLog(within budget: Int64) async throws {
        let limit = space.log(within: budget)
        try await pool.writeWithoutTransaction { database in
            let page = try FileSpace(database).pageSize
            try database.execute(
                sql: "PRAGMA wal_autocheckpoint = \(max(16, min(4000, limit / 2 / page)))")
        }
    }

    /// Moves the log into the file and cuts it.
    ///
    /// - Returns: `false` when somebody reads from a state that only the log has; nobody is waited
    ///   for long.
    @discardableResult
    func cutLog() async throws -> Bool {
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
}
