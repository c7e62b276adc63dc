import Foundation
import GRDB
import Glibc

/// The SQLite file of grants, tokens and the access log: its schema and how it is opened.
struct AuthDatabase: Sendable {
    let queue: DatabaseQueue

    /// - Throws: `unsafeFile` when others than the owner of the process could read or change it.
    init(path: String) throws {
        try Self.checkFolder(of: path)
        try Self.checkFiles(path)
        var configuration = Configuration()
        configuration.label = "auth"
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(5)
        configuration.foreignKeysEnabled = true
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try Self.migrator.migrate(queue)
    }

    /// Who may change the folder could put another file in the place of this one.
    private static func checkFolder(of path: String) throws {
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        var information = stat()
        guard stat(folder, &information) == 0 else {
            throw AuthError(
                .storeFailed, "Cannot open \(folder): \(String(cString: strerror(errno))).")
        }
        guard information.st_uid == geteuid() || information.st_uid == 0 else {
            throw AuthError(
                .unsafeFile, "The folder \(folder) belongs to somebody else.",
                hint: "Check who made it; make it yours with: chown $USER \(folder)")
        }
        // In a sticky folder such as /tmp others cannot replace what is not theirs.
        let isOpen = information.st_mode & 0o022 != 0 && information.st_mode & S_ISVTX == 0
        guard !isOpen else {
            throw AuthError(
                .unsafeFile, "Others on this machine can change the folder \(folder).",
                hint: "If that was not on purpose: chmod 700 \(folder)")
        }
    }

    /// Makes a database for its owner alone where there is none, and looks whether it and what SQLite
    /// puts beside it are so.
    static func checkFiles(_ path: String) throws {
        try checkFile(path, O_CREAT)
        for companion in ["-wal", "-shm"] where access(path + companion, F_OK) == 0 {
            try checkFile(path + companion)
        }
    }

    private static func checkFile(_ path: String, _ flags: Int32 = 0) throws {
        let descriptor = open(path, flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw AuthError(
                .storeFailed, "Cannot open \(path): \(String(cString: strerror(errno))).")
        }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_uid == geteuid() else {
            throw AuthError(
                .unsafeFile, "The database \(path) belongs to somebody else.",
                hint: "Check who put it there; make it yours with: chown $USER \(path)")
        }
        guard information.st_mode & 0o077 == 0 else {
            throw AuthError(
                .unsafeFile, "Others on this machine can open the database \(path).",
                hint: "If that was not on purpose: chmod 600 \(path)")
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
