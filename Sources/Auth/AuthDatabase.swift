import Databases
import Files
import GRDB

/// The SQLite file of permissions, tokens and the access log: its schema and how it is opened.
struct AuthDatabase: Sendable {
    /// Serialises all reads and writes.
    let queue: DatabaseQueue
    /// Performs all writes of the host.
    let writer: AuthWriter

    /// Opens the database at `path`, or creates it, readable only by its owner.
    ///
    /// - Parameter willCommit: called at the end of every transaction, which is rolled back if it throws.
    /// - Throws: `AuthError` with `unsafeFile`, `diskFull` or `storeFailed`; errors of SQLite.
    init(path: String, willCommit: @escaping @Sendable () throws -> Void = {}) throws {
        do throws(FilesError) {
            try PrivateFolder.checkParent(of: path)
        } catch {
            throw AuthError(error)
        }
        do {
            try DatabaseFile.create(path) { try Self.open($0).close() }
            try PrivateFile.checkDatabase(path)
        } catch let error as FilesError {
            throw AuthError(error)
        }
        if let fault = DatabaseFile.headerFault(of: path) {
            throw AuthError(damaged: path, fault)
        }
        do {
            queue = try Self.open(path)
        } catch let error as DatabaseError
            where error.isLackOfSpace && AuthWriter.reserve(beside: path).release()
        {
            // Opening failed because it writes to the disk; the reserve has made space for this.
            queue = try Self.open(path)
        }
        writer = AuthWriter(queue, path: path, willCommit: willCommit)
    }

    /// The error for a file that cannot be opened or read.
    static func failure(_ error: any Error, opening path: String) -> AuthError {
        guard case .damaged(let fault) = DatabaseFailure(error) else {
            return AuthError(wrapping: error, while: "opening \(path)")
        }
        return AuthError(damaged: path, fault, cause: error)
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        // A denial that was acknowledged must not come back as a grant after a power cut.
        try DatabaseFile.open(path, label: "auth", migrator: migrator)
    }

    fileprivate static var migrator: DatabaseMigrator {
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
            // Apps of earlier versions have no identity; theirs is the empty string.
            try database.execute(
                sql: """
                    ALTER TABLE client ADD COLUMN identity TEXT NOT NULL DEFAULT '';
                    ALTER TABLE client ADD COLUMN declared TEXT;
                    ALTER TABLE permission ADD COLUMN identity TEXT NOT NULL DEFAULT '';
                    """)
        }
        migrator.registerMigration("ledger", migrate: AccessLogStore.create)
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
            // Earlier decisions have no list and apply to all sensors of a kind.
            try database.execute(
                sql: """
                    ALTER TABLE permission ADD COLUMN chosen TEXT;
                    ALTER TABLE permission ADD COLUMN passedOver TEXT;
                    """)
        }
        migrator.registerMigration("client kinds", migrate: AccessLogStore.addClientKinds)
        migrator.registerMigration("root keys") { database in
            // Only a token's holder can derive its key, so tokens of earlier versions have none.
            try database.execute(sql: "ALTER TABLE token ADD COLUMN rootKey BLOB")
        }
        migrator.registerMigration("seals", migrate: AccessLogStore.addSeals)
        return migrator
    }
}

extension Authority {
    /// The names of the migrations of the permission database that this version knows, in order.
    public static var migrations: [String] { AuthDatabase.migrator.migrations }
}
