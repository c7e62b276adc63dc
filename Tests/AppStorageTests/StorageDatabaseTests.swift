import Foundation
import GRDB
import TestSupport
import Testing

@testable import AppStorage

/// The storage limits of an app, also for concurrent writes.
struct StorageDatabaseTests {
    private let folder: TemporaryFolder
    private let database: StorageDatabase
    private let namespace = StorageDatabase.StorageNamespace(app: "app", identity: "1")

    init() throws {
        folder = try TemporaryFolder()
        database = try StorageDatabase(path: folder.path + "/app-storage.sqlite")
    }

    private func change(_ key: String, _ count: Int?) throws -> StorageChange {
        StorageChange(
            try StorageKey(key),
            count.map { StoredValue(type: "a/b", bytes: .init(repeating: 7, count: $0)) })
    }

    private func store(
        _ changes: [(String, Int?)], in area: StorageArea = .storage
    ) async throws -> Int {
        try await database.apply(
            changes.map { try change($0.0, $0.1) }, in: area, of: namespace
        ).used
    }

    @Test func `the last byte fits, and one more is rejected without effect`() async throws {
        let mebibyte = 1 << 20
        for key in "abcdefghi" { _ = try await store([("\(key)", mebibyte)]) }
        // 9 keys of one byte are stored in addition to 9 MiB.
        #expect(try await store([("j", mebibyte - 10)]) == StorageUsage.limit)
        let error = await #expect(throws: AppStorageError.self) {
            _ = try await store([("a", nil), ("k", mebibyte), ("l", 1)])
        }
        #expect(error?.code == .storageFull)
        #expect(error?.usage?.used == StorageUsage.limit)
        let (items, usage) = try await database.items(in: .storage, of: namespace)
        #expect(items.map(\.key.text) == "abcdefghij".map(String.init))
        #expect(usage.used == StorageUsage.limit)
        // The other area has the same bound.
        #expect(await refusal { _ = try await store([("x", 0)], in: .local) } == .storageFull)
        // Changes that do not grow the storage, and those that free space, succeed.
        #expect(try await store([("a", mebibyte), ("b", mebibyte - 1)]) == StorageUsage.limit - 1)
        #expect(try await store([("a", nil), ("k", 5)]) == StorageUsage.limit - 1 - mebibyte + 5)
    }

    @Test func `all apps together have a limit, at which values can still shrink`() async throws {
        let database = try StorageDatabase(path: folder.path + "/together.sqlite", totalLimit: 1000)
        func store(_ app: String, _ key: String, _ count: Int?) async throws -> Int {
            try await database.apply(
                [try change(key, count)], in: .storage, of: .init(app: app, identity: "1")
            ).used
        }
        #expect(try await store("a", "x", 599) == 600)
        #expect(try await store("b", "x", 399) == 400)
        #expect(await refusal { _ = try await store("c", "x", 0) } == .storageFull)
        #expect(await refusal { _ = try await store("a", "x", 600) } == .storageFull)
        #expect(try await store("a", "x", 598) == 599)
        #expect(try await store("c", "x", 0) == 1)
    }

    @Test func `a value that is too large is rejected`() async throws {
        #expect(await refusal { _ = try await store([("a", 1), ("b", 1 << 20 | 1)]) } == .tooLarge)
        #expect(try await database.items(in: .storage, of: namespace).items.isEmpty)
    }

    @Test func `changes are made only if the expected contents are stored`() async throws {
        let seven: [UInt8] = [7]
        let (key, other) = (try StorageKey("a"), try StorageKey("b"))
        func replace(_ expected: [StorageKey: [UInt8]?]) async throws -> Int? {
            try await database.apply(
                [try change("a", 1), try change("c", 2)], in: .indexed, of: namespace,
                expecting: expected)?.used
        }
        #expect(try await replace([key: seven]) == nil)
        #expect(try await database.usage(of: namespace) == .zero)
        #expect(try await replace([key: nil, other: nil]) == 5)
        #expect(try await replace([key: nil]) == nil)
        #expect(try await replace([key: seven, other: seven]) == nil)
        #expect(try await replace([key: seven, other: nil]) == 5)
        // The same keys of another area are others.
        #expect(try await database.value(of: key, in: .storage, of: namespace) == nil)
    }

    @Test func `entries with a prefix are read in pieces`() async throws {
        for key in ["a", "b/", "b/1", "b/2", "b/\u{e9}", "b0", "c"] {
            try await database.apply([try change(key, 10)], in: .indexed, of: namespace)
        }
        func read(_ prefix: String, after: String?, upTo size: Int) async throws -> (
            keys: [String], isMore: Bool
        ) {
            let found = try await database.contents(
                of: .indexed, of: namespace, prefix: try StorageKey(prefix),
                after: try after.map { try StorageKey($0) }, upTo: size)
            return (found.entries.map(\.key.text), found.isMore)
        }
        #expect(
            try await read("b/", after: nil, upTo: 1000) == (
                ["b/", "b/1", "b/2", "b/\u{e9}"], false
            ))
        #expect(try await read("b/", after: nil, upTo: 1) == (["b/"], true))
        #expect(try await read("b/", after: "b/", upTo: 20) == (["b/1", "b/2"], true))
        #expect(try await read("b/", after: "b/2", upTo: 20) == (["b/\u{e9}"], false))
        #expect(try await read("", after: nil, upTo: 1000).keys.count == 7)
        #expect(try await read("d", after: nil, upTo: 1000) == ([], false))
    }

    @Test(arguments: [1025, 1 << 20])
    func `a key that is too long is rejected`(length: Int) async throws {
        let key = String(repeating: "k", count: length)
        #expect(await refusal { _ = try StorageKey(key) } == .invalidKey)
    }

    @Test(arguments: [0o640, 0o604, 0o666])
    func `a file that others can open is refused`(mode: Int) async throws {
        let path = folder.path + "/app-storage.sqlite"
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        #expect(await refusal { _ = try StorageDatabase(path: path) } == .unsafeFile)
    }

    @Test func `erasing keeps the values of one identity, or of known namespaces`() async throws {
        let other = StorageDatabase.StorageNamespace(app: "app", identity: "2")
        let foreign = StorageDatabase.StorageNamespace(app: "other", identity: "1")
        for namespace in [namespace, other, foreign] {
            try await database.apply([try change("key", 1)], in: .storage, of: namespace)
        }
        try await database.erase(app: "app", keeping: "2")
        #expect(try await database.usage(of: namespace) == .zero)
        #expect(try await database.usage(of: other) == StorageUsage(used: 4, items: 1))
        try await database.eraseAll(keeping: [foreign])
        #expect(try await database.usage(of: other) == .zero)
        #expect(try await database.usage(of: foreign) == StorageUsage(used: 4, items: 1))
    }

    @Test(arguments: [false, true])
    func `an erasure that ended before the file was rewritten is repeated`(
        ofAll: Bool
    ) async throws {
        _ = try await store((0..<50).map { ("\($0)", Int?.some(4000)) })
        let queue = try DatabaseQueue(path: folder.path + "/app-storage.sqlite")
        func freePages() async throws -> Int {
            try await queue.read { try Int.fetchOne($0, sql: "PRAGMA freelist_count") } ?? 0
        }
        // What an erasure has done when the disk is too full for rewriting the file.
        try await queue.write { try $0.execute(sql: "DELETE FROM item") }
        #expect(try await freePages() > 0)
        if ofAll {
            try await database.eraseAll(keeping: [])
        } else {
            try await database.erase(app: namespace.app)
        }
        #expect(try await freePages() == 0)
        let left = try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM space") }
        #expect(left == 0)
        try queue.close()
    }

    @Test func `the number of keys is limited`() async throws {
        let many = (0..<StorageUsage.itemLimit).map { ("\($0)", Int?.some(0)) }
        _ = try await store(many)
        #expect(await refusal { _ = try await store([("one-more", 0)]) } == .storageFull)
        _ = try await store([("0", nil), ("one-more", 0)])
    }

    @Test func `ten concurrent writers never exceed the limit`() async throws {
        let size = 300_000
        let outcomes = await withTaskGroup(of: (String, Bool).self) { group in
            for writer in 0..<10 {
                for number in 0..<6 {
                    let key = "\(writer)-\(number)"
                    group.addTask { (key, (try? await store([(key, size)])) != nil) }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        let (items, usage) = try await database.items(in: .storage, of: namespace)
        // Exactly the acknowledged values are stored, as many as fit.
        #expect(items.count == StorageUsage.limit / (size + 3))
        #expect(usage.used == items.count * (size + 3))
        let kept = Set(items.map(\.key.text))
        for (key, wasKept) in outcomes { #expect(kept.contains(key) == wasKept, "\(key)") }
    }

    @Test func `random changes have the same result as in a dictionary`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var random = SplitMix(state: seed)
        var plain: [String: Int] = [:]
        for _ in 0..<300 {
            let batch = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                (
                    "k\(Int.random(in: 0..<20, using: &random))",
                    Bool.random(using: &random) ? Int.random(in: 0...900_000, using: &random) : nil
                )
            }
            var next = plain
            for (key, count) in batch { next[key] = count }
            let size = next.reduce(0) { $0 + $1.key.utf8.count + $1.value }
            let before = plain.reduce(0) { $0 + $1.key.utf8.count + $1.value }
            let fits = size <= StorageUsage.limit || size <= before
            let used = try? await store(batch)
            #expect(used == (fits ? size : nil))
            if fits { plain = next }
        }
        let (items, _) = try await database.items(in: .storage, of: namespace)
        let found = items.map { ($0.key.text, $0.size - $0.key.bytes.count) }
        #expect(Dictionary(uniqueKeysWithValues: found) == plain)
    }
}
