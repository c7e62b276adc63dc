import Foundation
import GRDB
import Glibc
import Samples

/// The SQLite file: its schema and its statements, and nothing of buffering.
struct SampleFile: Sendable {
    let path: String
    let pool: DatabasePool

    init(path: String) throws {
        // SQLite gives its companions -wal and -shm the mode of the file itself.
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SampleStoreError(
                .cannotOpen, "Cannot open \(path): \(String(cString: strerror(errno))).")
        }
        Glibc.close(descriptor)
        var configuration = Configuration()
        configuration.label = "samples"
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { database in
            // NORMAL in WAL mode: a commit survives the death of the process; a power cut may take
            // the last ones, never the file.
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
        }
        pool = try DatabasePool(path: path, configuration: configuration)
        self.path = path
        try Self.migrator.migrate(pool)
    }

    /// Bytes of the file and its write-ahead log on disk.
    func size() -> Int64 {
        [path, path + "-wal"].reduce(0) { total, file in
            var information = stat()
            return stat(file, &information) == 0 ? total + Int64(information.st_size) : total
        }
    }

    /// Moves the write-ahead log into the file, where there is room for both, and ends all use of it.
    ///
    /// - Parameter last: the last arrival number, when every sample is in the file.
    func close(endingAt last: Int64?) async throws {
        do {
            if let last { try await end(at: last) }
            try await pool.barrierWriteWithoutTransaction { database in
                _ = try database.checkpoint(.truncate)
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            // The log is as safe as the file: it stays, and the next session reads it.
        } catch {
            try? pool.close()
            throw error
        }
        try pool.close()
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("tail") { database in
            try database.execute(
                sql: """
                    CREATE TABLE sensor (
                        id INTEGER PRIMARY KEY,
                        name TEXT NOT NULL UNIQUE
                    ) STRICT;
                    CREATE TABLE layout (
                        id INTEGER PRIMARY KEY,
                        sensor INTEGER NOT NULL REFERENCES sensor(id),
                        fields TEXT NOT NULL,
                        UNIQUE (sensor, fields)
                    ) STRICT;
                    CREATE TABLE tail (
                        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                        sensor INTEGER NOT NULL,
                        layout INTEGER NOT NULL,
                        time INTEGER NOT NULL,
                        payload BLOB NOT NULL
                    ) STRICT;
                    CREATE INDEX tail_by_time ON tail (sensor, time);
                    CREATE TABLE collection (
                        sensor TEXT PRIMARY KEY,
                        level TEXT NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("session", migrate: Self.createSession)
        return migrator
    }
}
