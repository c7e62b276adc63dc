import Databases
import Files
import Foundation
import GRDB

/// The key-value storage of apps, in one SQLite file.
///
/// Values belong to a name and an identity, so that an app does not inherit the values of another app of
/// the same name. Removed values are overwritten in the file.
///
/// ```swift
/// let storage = try StorageDatabase(path: "app-storage.sqlite")
/// let namespace = StorageDatabase.StorageNamespace(app: "diary", identity: identity)
/// let value = StoredValue(type: "text/plain", bytes: Array("today".utf8))
/// try await storage.apply([StorageChange(StorageKey("page"), value)], in: .storage, of: namespace)
/// ```
public struct StorageDatabase: Sendable {
    private let queue: DatabaseQueue
    private let totalLimit: Int

    /// The app or program that values belong to.
    public struct StorageNamespace: Hashable, Sendable {
        /// Its name.
        public let app: String
        /// The identity of the app; empty for a program.
        public let identity: String

        /// - Parameter identity: empty for a program.
        public init(app: String, identity: String) {
            self.app = app
            self.identity = identity
        }
    }

    /// Opens the database at `path`, or creates it.
    ///
    /// - Parameter totalLimit: the bytes that all apps and programs may store together.
    /// - Throws: `unsafeFile` when other users could read or change it, `damaged`, `diskFull`,
    ///   `storeFailed`.
    public init(path: String, totalLimit: Int = .max) throws(AppStorageError) {
        self.totalLimit = totalLimit
        do {
            try DatabaseFile.create(path) { try Self.open($0).close() }
            try DatabaseFile.verify(path)
            queue = try Self.open(path)
        } catch {
            throw AppStorageError(wrapping: error)
        }
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        try DatabaseFile.open(path, label: "app-storage", erasing: true, migrator: migrator)
    }

    /// The value of a key; `nil` when there is none.
    ///
    /// - Throws: `storeFailed`.
    public func value(
        of key: StorageKey, in area: StorageArea, of namespace: StorageNamespace
    ) async throws(AppStorageError) -> StoredValue? {
        try await read { database in
            try Row.fetchOne(
                database,
                sql: """
                    SELECT type, value FROM item
                    WHERE app = ? AND identity = ? AND area = ? AND key = ?
                    """,
                arguments: [namespace.app, namespace.identity, area.rawValue, Data(key.bytes)]
            ).map { StoredValue(type: $0["type"], bytes: Array($0["value"] as Data)) }
        }
    }

    /// Makes all changes, in their order, or none; they are durable when this returns.
    ///
    /// - Throws: `tooLarge` for a value above its limit; `storageFull` when the app or program would
    ///   store more than its limit and more than before; `diskFull`, `storeFailed`.
    @discardableResult
    public func apply(
        _ changes: [StorageChange], in area: StorageArea, of namespace: StorageNamespace
    ) async throws(AppStorageError) -> StorageUsage {
        // Nothing is expected, so nothing else can be found.
        try await apply(changes, in: area, of: namespace, expecting: [:]) ?? .zero
    }

    /// Makes all changes, in their order, if some keys have the expected contents; otherwise none.
    ///
    /// Contents and changes are one transaction, so of two writers that expect the same, one
    /// succeeds.
    ///
    /// - Parameter expected: the content of each key; `nil` if the key must have no value.
    /// - Returns: `nil` if a key has another content.
    /// - Throws: `tooLarge` for a value above its limit; `storageFull` when the app or program would
    ///   store more than its limit and more than before; `diskFull`, `storeFailed`.
    public func apply(
        _ changes: [StorageChange], in area: StorageArea, of namespace: StorageNamespace,
        expecting expected: [StorageKey: [UInt8]?]
    ) async throws(AppStorageError) -> StorageUsage? {
        for change in changes {
            let count = change.value?.bytes.count ?? 0
            guard count <= StoredValue.limit else {
                throw AppStorageError(
                    .tooLarge, "A value has at most \(StoredValue.limit) bytes, this one \(count).")
            }
        }
        return try await write { database in
            for (key, content) in expected {
                let found = try Data.fetchOne(
                    database,
                    sql: """
                        SELECT value FROM item
                        WHERE app = ? AND identity = ? AND area = ? AND key = ?
                        """,
                    arguments: [namespace.app, namespace.identity, area.rawValue, Data(key.bytes)])
                guard found == content.map({ Data($0) }) else { return nil }
            }
            let before = try Self.usage(of: namespace, database)
            for change in changes {
                let primaryKey: StatementArguments = [
                    namespace.app, namespace.identity, area.rawValue, Data(change.key.bytes),
                ]
                try database.execute(
                    sql: "DELETE FROM item WHERE app = ? AND identity = ? AND area = ? AND key = ?",
                    arguments: primaryKey)
                guard let value = change.value else { continue }
                try database.execute(
                    sql: """
                        INSERT INTO item (app, identity, area, key, type, value)
                        VALUES (?, ?, ?, ?, ?, ?)
                        """, arguments: primaryKey + [value.type, Data(value.bytes)])
            }
            let after = try Self.usage(of: namespace, database)
            guard !after.exceedsLimit || after.used <= before.used && after.items <= before.items
            else { throw AppStorageError(full: before) }
            guard try after.used <= before.used || Self.total(database) <= totalLimit else {
                throw AppStorageError(allFull: before, limit: totalLimit)
            }
            return after
        }
    }

    /// The keys of an area, sorted, and the usage of all areas.
    ///
    /// - Throws: `storeFailed`.
    public func items(
        in area: StorageArea, of namespace: StorageNamespace
    ) async throws(AppStorageError) -> (items: [StoredItem], usage: StorageUsage) {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT key, type, length(key) + length(value) AS size FROM item
                    WHERE app = ? AND identity = ? AND area = ? ORDER BY key
                    """, arguments: [namespace.app, namespace.identity, area.rawValue])
            let items = rows.map { row in
                StoredItem(
                    key: StorageKey(stored: Array(row["key"] as Data)), type: row["type"],
                    size: row["size"])
            }
            return (items, try Self.usage(of: namespace, database))
        }
    }

    /// Everything in an area, sorted by key, and the usage of all areas.
    ///
    /// - Throws: `storeFailed`.
    public func contents(
        of area: StorageArea, of namespace: StorageNamespace
    ) async throws(AppStorageError) -> (
        entries: [(key: StorageKey, value: StoredValue)], usage: StorageUsage
    ) {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT key, type, value FROM item
                    WHERE app = ? AND identity = ? AND area = ? ORDER BY key
                    """, arguments: [namespace.app, namespace.identity, area.rawValue])
            let entries = rows.map { row in
                (
                    key: StorageKey(stored: Array(row["key"] as Data)),
                    value: StoredValue(type: row["type"], bytes: Array(row["value"] as Data))
                )
            }
            return (entries, try Self.usage(of: namespace, database))
        }
    }

    /// The first entries of an area whose key begins with a prefix, sorted by key, and the usage of
    /// all areas.
    ///
    /// - Parameters:
    ///   - key: only entries after this key.
    ///   - size: the number of bytes of keys and values after which no further entry is returned.
    /// - Returns: at least one entry if there is one, and whether there are more.
    /// - Throws: `storeFailed`.
    public func contents(
        of area: StorageArea, of namespace: StorageNamespace, prefix: StorageKey,
        after key: StorageKey?,
        upTo size: Int
    ) async throws(AppStorageError) -> (
        entries: [(key: StorageKey, value: StoredValue)], isMore: Bool, usage: StorageUsage
    ) {
        try await read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT key, type, value FROM item
                    WHERE app = ?1 AND identity = ?2 AND area = ?3 AND key >= ?4
                        AND (?5 IS NULL OR key > ?5)
                    ORDER BY key
                    """,
                arguments: [
                    namespace.app, namespace.identity, area.rawValue, Data(prefix.bytes),
                    key.map { Data($0.bytes) },
                ])
            var entries: [(key: StorageKey, value: StoredValue)] = []
            var sum = 0
            while let row = try rows.next() {
                let key = StorageKey(stored: Array(row["key"] as Data))
                guard key.bytes.starts(with: prefix.bytes) else { break }
                guard sum < size else {
                    return (entries, true, try Self.usage(of: namespace, database))
                }
                let value = StoredValue(type: row["type"], bytes: Array(row["value"] as Data))
                sum += key.bytes.count + value.bytes.count
                entries.append((key, value))
            }
            return (entries, false, try Self.usage(of: namespace, database))
        }
    }

    /// How much an app or program stores.
    ///
    /// - Throws: `storeFailed`.
    public func usage(of namespace: StorageNamespace) async throws(AppStorageError) -> StorageUsage
    {
        try await read { try Self.usage(of: namespace, $0) }
    }

    /// Removes everything in an area.
    ///
    /// - Throws: `storeFailed`.
    @discardableResult
    public func clear(
        _ area: StorageArea, of namespace: StorageNamespace
    ) async throws(AppStorageError) -> StorageUsage {
        try await write { database in
            try database.execute(
                sql: "DELETE FROM item WHERE app = ? AND identity = ? AND area = ?",
                arguments: [namespace.app, namespace.identity, area.rawValue])
            return try Self.usage(of: namespace, database)
        }
    }

    /// Removes the values of every identity of an app but one, and rewrites the file without them.
    ///
    /// - Parameter identity: the identity whose values are kept; `nil` to remove all values.
    /// - Throws: `storeFailed`.
    public func erase(
        app: String, keeping identity: String? = nil
    ) async throws(AppStorageError) {
        UpgradeCopy.remove(of: queue.path)
        try await erase(where: "app = ? AND identity IS NOT ?", [app, identity])
    }

    /// Removes the values of all other apps and programs, such as those that a crash left behind.
    ///
    /// - Throws: `storeFailed`.
    public func eraseAll(keeping namespaces: Set<StorageNamespace>) async throws(AppStorageError) {
        let found = try await read { database in
            try Row.fetchAll(database, sql: "SELECT app, identity FROM space")
                .map { StorageNamespace(app: $0["app"], identity: $0["identity"]) }
        }
        for namespace in found where !namespaces.contains(namespace) {
            try await erase(where: "app = ? AND identity = ?", [namespace.app, namespace.identity])
        }
    }

    // MARK: - Private

    private func read<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(AppStorageError) -> T {
        do {
            return try await queue.read(body)
        } catch {
            throw AppStorageError(wrapping: error)
        }
    }

    private func write<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(AppStorageError) -> T {
        do {
            return try await queue.write(body)
        } catch {
            throw AppStorageError(wrapping: error)
        }
    }

    private func erase(
        where condition: String, _ arguments: StatementArguments
    ) async throws(AppStorageError) {
        let isDue = try await write { database in
            try database.execute(sql: "DELETE FROM item WHERE \(condition)", arguments: arguments)
            return try Bool.fetchOne(
                database, sql: "SELECT EXISTS (SELECT 1 FROM space WHERE \(condition))",
                arguments: arguments) ?? false
        }
        guard isDue else { return }
        do {
            // Pages that SQLite has rebalanced hold copies of removed rows; a rewritten file has
            // none.
            try await queue.vacuum()
            try await queue.writeWithoutTransaction { database in
                _ = try database.checkpoint(.truncate)
                // These rows are last: if a step before fails, the next erasure repeats it.
                try database.execute(
                    sql: "DELETE FROM space WHERE items = 0 AND \(condition)",
                    arguments: arguments)
                _ = try database.checkpoint(.truncate)
            }
        } catch {
            throw AppStorageError(wrapping: error)
        }
    }

    /// The bytes that all apps and programs store.
    private static func total(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT ifnull(sum(bytes), 0) FROM space") ?? 0
    }

    private static func usage(of namespace: StorageNamespace, _ database: Database) throws
        -> StorageUsage
    {
        let row = try Row.fetchOne(
            database, sql: "SELECT bytes, items FROM space WHERE app = ? AND identity = ?",
            arguments: [namespace.app, namespace.identity])
        return row.map { StorageUsage(used: $0["bytes"], items: $0["items"]) } ?? .zero
    }

    /// The names of the migrations that this version knows, in order.
    public static var migrations: [String] { migrator.migrations }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("storage") { database in
            // Keys are BLOBs: SQLite compares them byte by byte and accepts zero bytes.
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
