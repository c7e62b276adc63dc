import Files
import GRDB

/// The SQLite file of grants, tokens and the access log: its schema and how it is opened.
struct AuthDatabase: Sendable {
    let queue: DatabaseQueue

    /// - Throws: `unsafeFile` when others than the owner of the process could read or change it.
    init(path: String) throws {
        try Self.check { () throws(FilesError) in try PrivateFolder.checkParent(of: path) }
        try Self.checkFiles(path)
        var configuration = Configuration()
        configuration.label = "auth"
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(5)
        configuration.foreignKeysEnabled = true
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try Self.migrator.migrate(queue)
    }

    /// Makes a database for its owner alone where there is none, and looks whether it and what SQLite
    /// puts beside it are so.
    ///
    /// - Throws: `unsafeFile`, `diskFull`, `storeFailed`.
    static func checkFiles(_ path: String) throws(AuthError) {
        try check { () throws(FilesError) in try PrivateFile.checkDatabase(path) }
    }

    private static func check(_ body: () throws(FilesError) -> Void) throws(AuthError) {
        do throws(FilesError) {
            try body()
        } catch {
            let code: AuthError.Code =
                switch error.code {
                case .unsafe: .unsafeFile
                case .diskFull: .diskFull
                case .failed: .storeFailed
                }
            throw AuthError(code, error.message, hint: error.hint, cause: error)
        }
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("permissions") { database in
            try database.execute(
                sql: """
                    CREATE TABLE client (
                        name TEXT PRIMARY KEY,
                        kind TEXT NOT NULL,
                        created INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE permission (
                        client TEXT NOT NULL REFERENCES client(name) ON DELETE CASCADE,
                        privilege TEXT NOT NULL,
                        run TEXT NOT NULL DEFAULT '',
                        state TEXT NOT NULL,
                        access TEXT,
                        maximumRate REAL,
                        precision REAL,
                        history INTEGER,
                        expires INTEGER,
                        background INTEGER NOT NULL DEFAULT 1,
                        decided INTEGER NOT NULL,
                        PRIMARY KEY (client, privilege, run)
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE token (
                        id TEXT PRIMARY KEY,
                        digest BLOB NOT NULL UNIQUE,
                        client TEXT NOT NULL REFERENCES client(name) ON DELETE CASCADE,
                        run TEXT,
                        created INTEGER NOT NULL,
                        expires INTEGER
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE access_log (
                        id INTEGER PRIMARY KEY,
                        time INTEGER NOT NULL,
                        client TEXT,
                        sensor TEXT,
                        access TEXT,
                        operation TEXT NOT NULL,
                        "from" INTEGER,
                        "to" INTEGER,
                        count INTEGER NOT NULL,
                        outcome TEXT NOT NULL,
                        reason TEXT
                    ) STRICT;
                    """)
        }
        migrator.registerMigration("identity") { database in
            // What is there was decided about apps that had no identity yet; theirs stays empty.
            try database.execute(
                sql: """
                    ALTER TABLE client ADD COLUMN identity TEXT NOT NULL DEFAULT '';
                    ALTER TABLE client ADD COLUMN declared TEXT;
                    ALTER TABLE permission ADD COLUMN identity TEXT NOT NULL DEFAULT '';
                    """)
        }
        migrator.registerMigration("ledger", migrate: createLedger)
        migrator.registerMigration("refusals") { database in
            try database.execute(
                sql: """
                    CREATE TABLE refusal (
                        client TEXT NOT NULL REFERENCES client(name) ON DELETE CASCADE,
                        privilege TEXT NOT NULL,
                        count INTEGER NOT NULL,
                        refused INTEGER NOT NULL,
                        PRIMARY KEY (client, privilege)
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("device numbers") { database in
            try database.execute(
                sql: """
                    CREATE TABLE device_number (
                        client TEXT PRIMARY KEY REFERENCES client(name) ON DELETE CASCADE,
                        identity TEXT NOT NULL,
                        number TEXT NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("instances") { database in
            // What was decided before is for all instances: no list is no limit.
            try database.execute(
                sql: """
                    ALTER TABLE permission ADD COLUMN chosen TEXT;
                    ALTER TABLE permission ADD COLUMN passedOver TEXT;
                    """)
        }
        return migrator
    }
}

extension AuthError {
    /// The module's own word for an error that SQLite or the file system reported.
    init(wrapping error: any Error, while action: String) {
        if let own = error as? AuthError {
            self = own
            return
        }
        let reason = (error as? DatabaseError)?.message ?? "\(error)"
        self.init(
            .storeFailed, "The permission database failed while \(action): \(reason).",
            cause: error)
    }
}
