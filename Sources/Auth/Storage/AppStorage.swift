import Foundation
import GRDB

/// The SQLite file of what apps keep: its schema and its statements.
///
/// Rows are bound to the identity of an app, so that none is another's of the same name.
struct AppStorage: Sendable {
    private let queue: DatabaseQueue

    /// Whose rows they are.
    struct Owner: Hashable, Sendable {
        let app: String
        let identity: String
    }

    /// - Throws: `unsafeFile` when others than the owner of the process could read or change it.
    init(path: String) throws {
        try AuthDatabase.checkFiles(path)
        var configuration = Configuration()
        configuration.label = "app-storage"
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            // What goes is overwritten; what is written anew is copied in memory, not to a file elsewhere.
            try database.execute(sql: "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY")
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try Self.migrator.migrate(queue)
    }

    /// The value of a key; `nil` where there is none.
    func value(
        of key: StorageKey, in area: StorageArea, of owner: Owner
    ) async throws -> StoredValue? {
        try await queue.read { database in
            try Row.fetchOne(
                database,
                sql: """
                    SELECT type, value FROM item
                    WHERE app = ? AND identity = ? AND area = ? AND key = ?
                    """,
                arguments: [owner.app, owner.identity, area.rawValue, Data(key.bytes)]
            ).map { StoredValue(type: $0["type"], bytes: Array($0["value"] as Data)) }
        }
    }

    /// Makes all changes or none, in their order.
    ///
    /// - Throws: `storageFull` when more than the limits would be kept.
    func apply(
        _ changes: [StorageChange], in area: StorageArea, of owner: Owner
    ) async throws -> StorageUsage {
        try await queue.write { database in
            let before = try Self.usage(of: owner, database)
            for change in changes {
                let place: StatementArguments = [
                    owner.app, owner.identity, area.rawValue, Data(change.key.bytes),
                ]
                try database.execute(
                    sql: "DELETE FROM item WHERE app = ? AND identity = ? AND area = ? AND key = ?",
                    arguments: place)
                guard let value = change.value else { continue }
                try database.execute(
                    sql: """
                        INSERT INTO item (app, identity, area, key, type, value)
                        VALUES (?, ?, ?, ?, ?, ?)
                        """, arguments: place + [value.type, Data(value.bytes)])
            }
            let after = try Self.usage(of: owner, database)
            guard !after.isTooMuch || after.used <= before.used && after.items <= before.items
            else {
                throw AuthError(full: before)
            }
            return after
        }
    }

    /// The keys of an area in their order, and how much both areas take.
    func items(
        in area: StorageArea, of owner: Owner
    ) async throws -> (items: [StoredItem], usage: StorageUsage) {
        try await queue.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT key, type, length(key) + length(value) AS size FROM item
                    WHERE app = ? AND identity = ? AND area = ? ORDER BY key
                    """, arguments: [owner.app, owner.identity, area.rawValue])
            let items = rows.map { row in
                StoredItem(
                    key: StorageKey(kept: Array(row["key"] as Data)), type: row["type"],
                    size: row["size"])
            }
            return (items, try Self.usage(of: owner, database))
        }
    }

    /// Everything in an area in the order of its keys, and how much both areas take.
    func contents(
        of area: StorageArea, of owner: Owner
    ) async throws -> (entries: [(key: StorageKey, value: StoredValue)], usage: StorageUsage) {
        try await queue.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT key, type, value FROM item
                    WHERE app = ? AND identity = ? AND area = ? ORDER BY key
                    """, arguments: [owner.app, owner.identity, area.rawValue])
            let entries = rows.map { row in
                (
                    StorageKey(kept: Array(row["key"] as Data)),
                    StoredValue(type: row["type"], bytes: Array(row["value"] as Data))
                )
            }
            return (entries, try Self.usage(of: owner, database))
        }
    }

    func usage(of owner: Owner) async throws -> StorageUsage {
        try await queue.read { try Self.usage(of: owner, $0) }
    }

    /// Removes everything in an area.
    func clear(_ area: StorageArea, of owner: Owner) async throws -> StorageUsage {
        try await queue.write { database in
            try database.execute(
                sql: "DELETE FROM item WHERE app = ? AND identity = ? AND area = ?",
                arguments: [owner.app, owner.identity, area.rawValue])
            return try Self.usage(of: owner, database)
        }
    }

    /// Removes what an app of another identity than `kept` has left, so that no file holds it.
    func erase(app: String, besides kept: String? = nil) async throws {
        try await erase(where: "app = ? AND identity IS NOT ?", [app, kept])
    }

    /// Removes what none of these apps and clients has kept: a crash came before it was removed.
    func sweep(besides owners: Set<Owner>) async throws {
        let found = try await queue.read { database in
            try Row.fetchAll(database, sql: "SELECT app, identity FROM space")
                .map { Owner(app: $0["app"], identity: $0["identity"]) }
        }
        for owner in found where !owners.contains(owner) {
            try await erase(where: "app = ? AND identity = ?", [owner.app, owner.identity])
        }
    }

    // MARK: - Private

    private func erase(where condition: String, _ arguments: StatementArguments) async throws {
        let wasThere = try await queue.write { database in
            try database.execute(sql: "DELETE FROM item WHERE \(condition)", arguments: arguments)
            let wasThere = database.changesCount > 0
            try database.execute(sql: "DELETE FROM space WHERE \(condition)", arguments: arguments)
            return wasThere
        }
        guard wasThere else { return }
        // Pages that were packed anew hold copies; a file that is written anew has none.
        try await queue.vacuum()
        try await queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    }

    private static func usage(of owner: Owner, _ database: Database) throws -> StorageUsage {
        let row = try Row.fetchOne(
            database, sql: "SELECT bytes, items FROM space WHERE app = ? AND identity = ?",
            arguments: [owner.app, owner.identity])
        return row.map { StorageUsage(used: $0["bytes"], items: $0["items"]) } ?? .nothing
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("storage") { database in
            // Keys as bytes: no text is equal to another one, and a zero byte ends none.
            try database.execute(
                sql: """
                    CREATE TABLE item (
                        app TEXT NOT NULL,
                        identity TEXT NOT NULL,
                        area TEXT NOT NULL,
                        key BLOB NOT NULL,
                        type TEXT NOT NULL,
                        value BLOB NOT NULL,
                        PRIMARY KEY (app, identity, area, key)
                    ) STRICT;
                    CREATE TABLE space (
                        app TEXT NOT NULL,
                        identity TEXT NOT NULL,
                        items INTEGER NOT NULL CHECK (items >= 0),
                        bytes INTEGER NOT NULL CHECK (bytes >= 0),
                        PRIMARY KEY (app, identity)
                    ) STRICT, WITHOUT ROWID;
                    CREATE TRIGGER item_takes_space AFTER INSERT ON item BEGIN
                        INSERT INTO space (app, identity, items, bytes)
                        VALUES (NEW.app, NEW.identity, 1, length(NEW.key) + length(NEW.value))
                        ON CONFLICT (app, identity) DO UPDATE
                        SET items = items + 1, bytes = bytes + excluded.bytes;
                    END;
                    CREATE TRIGGER item_gives_space_back AFTER DELETE ON item BEGIN
                        UPDATE space
                        SET items = items - 1, bytes = bytes - length(OLD.key) - length(OLD.value)
                        WHERE app = OLD.app AND identity = OLD.identity;
                    END;
                    """)
        }
        return migrator
    }
}

extension AuthError {
    fileprivate init(full usage: StorageUsage) {
        let isOfKeys = usage.items >= StorageUsage.itemLimit
        self.init(
            .storageFull,
            isOfKeys
                ? "An app may keep \(StorageUsage.itemLimit) keys, and \(usage.items) are there."
                : "An app may keep \(StorageUsage.limit) bytes, and \(usage.used) are taken.",
            hint: "Remove what is no longer needed.", usage: usage)
    }

    /// The module's own word for an error of the file in which apps keep what is theirs.
    init(wrappingStorage error: any Error) {
        if let own = error as? AuthError {
            self = own
            return
        }
        let found = error as? DatabaseError
        let reason = found?.message ?? "\(error)"
        self.init(
            found?.resultCode == .SQLITE_FULL ? .diskFull : .storeFailed,
            "What apps keep could not be read or written: \(reason).", cause: error)
    }
}
