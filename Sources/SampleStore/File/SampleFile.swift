import Foundation
import GRDB
import Samples

/// The SQLite file: its schema and its statements, and nothing of buffering.
struct SampleFile: Sendable {
    let path: String
    let pool: DatabasePool
    let rules: ChunkRules
    let space: SpaceRules
    /// For the unused parts of pages; see `PageScrub`.
    let pages: OpenFile
    /// The write-ahead log; SQLite keeps it as long as it has the file open, and no locks on it.
    let log: OpenFile

    init(path: String, rules: ChunkRules, space: SpaceRules = .standard) throws {
        // SQLite gives its companions -wal and -shm the mode of the file itself.
        pages = try OpenFile(path)
        var configuration = Configuration()
        configuration.label = "samples"
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { database in
            // NORMAL in WAL mode: a commit survives the death of the process; a power cut may take
            // the last ones, never the file. What is to survive it is synchronised by `write`.
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            guard !database.configuration.readonly else { return }
            // What goes is overwritten, so that no page that is used again has some of it.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            // Only a file without any table can still be told to give free pages back.
            if try Int64.fetchOne(database, sql: "PRAGMA page_count") == 0 {
                try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            }
        }
        pool = try DatabasePool(path: path, configuration: configuration)
        self.path = path
        self.rules = rules
        self.space = space
        try Self.migrator.migrate(pool)
        log = try OpenFile(path + "-wal")
    }

    /// Bytes of the file and its write-ahead log on disk.
    func size() -> Int64 {
        Self.size(of: path) + logSize()
    }

    /// Makes every commit so far survive a power cut after the log could not be synchronised.
    ///
    /// The system then takes for written what is not, so all of it is written again, to the file itself.
    func synchroniseAgain() async throws {
        try await pool.barrierWriteWithoutTransaction { database in
            _ = try database.checkpoint(.full)
        }
    }

    /// Moves the write-ahead log into the file, where there is room for both and nobody reads, and ends all use of it.
    ///
    /// - Parameter last: the last arrival number, when every sample is in the file.
    func close(endingAt last: Int64?) async throws {
        do {
            if let last { try await end(at: last) }
            try await pool.barrierWriteWithoutTransaction { database in
                _ = try database.checkpoint(.truncate)
            }
        } catch let error as DatabaseError
            where [.SQLITE_FULL, .SQLITE_BUSY].contains(error.resultCode)
        {
            // The log is as safe as the file: it stays, and the next session reads it.
        } catch {
            try? pool.close()
            throw error
        }
        try pool.close()
    }
}
