import Foundation
import Testing

@testable import AppStorage
@testable import Auth

/// The stored values of apps: owner, limits and lifetime.
struct StorageTests {
    private let fixture: AuthorityFixture

    init() throws {
        fixture = try AuthorityFixture()
    }

    private func text(_ text: String) -> StoredValue {
        StoredValue(type: "text/plain", bytes: Array(text.utf8))
    }

    private func app(_ identity: String, name: String = "app") -> DeclaredApp {
        DeclaredApp(name: name, identity: identity, privileges: [Privilege(.storage, reason: "")])
    }

    /// The value of an app for a key.
    private func kept(
        _ key: String, _ authority: Authority, by name: String = "app",
        kind: Client.Kind = .app
    ) async throws -> String? {
        let client = Client(name: name, kind: kind, run: nil)
        let value = try await authority.storage(of: client).value(of: StorageKey(key))
        return value.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    private func keep(
        _ value: String?, under key: String, _ authority: Authority, by name: String = "app",
        kind: Client.Kind = .app, in area: StorageArea = .storage
    ) async throws {
        try await authority.storage(of: Client(name: name, kind: kind, run: nil))
            .apply([StorageChange(StorageKey(key), value.map(text))], in: area)
    }

    @Test func `stored values survive a restart, for their app only`() async throws {
        var authority = try await fixture.open()
        for name in ["app", "other"] { try await authority.admit(app("1", name: name)) }
        try await keep("mine", under: "a", authority)
        try await keep("theirs", under: "a", authority, by: "other")
        try await keep("local", under: "a", authority, in: .local)
        authority = try await fixture.open()
        #expect(try await kept("a", authority) == "mine")
        #expect(try await kept("a", authority, by: "other") == "theirs")
        #expect(try await kept("b", authority) == nil)
        try await keep(nil, under: "a", authority)
        #expect(try await kept("a", authority) == nil)
        #expect(try await authority.storageUsage(of: "app") == StorageUsage(used: 6, items: 1))
        #expect(try await authority.storageUsage(of: "other") == StorageUsage(used: 7, items: 1))
    }

    @Test(arguments: [
        "../x", "/etc/passwd", "a\u{0}b", "a", "\u{e9}", "e\u{301}", " ", "'; DROP TABLE item; --",
        "\u{10FFFF}", "%00", String(repeating: "k", count: 1024),
    ])
    func `a key is compared byte by byte`(key: String) async throws {
        let authority = try await fixture.open()
        try await authority.admit(app("1"))
        let others = ["a\u{0}", "a\u{0}b", "a", "\u{e9}", "e\u{301}", "x", ""]
            .filter { Array($0.utf8) != Array(key.utf8) }
        for other in others { try await keep("other", under: other, authority) }
        #expect(try await kept(key, authority) == nil)
        try await keep("this", under: key, authority)
        #expect(try await kept(key, authority) == "this")
        for other in others { #expect(try await kept(other, authority) == "other") }
    }

    @Test
    func `another identity of the same name finds nothing, and no file contains the old values`()
        async throws
    {
        let authority = try await fixture.open()
        try await authority.admit(app("1"))
        try await keep("the-first-one's-secret", under: "marked-key", authority)
        try await authority.admit(app("2"))
        #expect(try await kept("marked-key", authority) == nil)
        #expect(try await authority.storageUsage(of: "app") == .zero)
        #expect(try holds("secret") == false)
        #expect(try holds("marked-key") == false)
        // Nor does the first app regain them.
        try await authority.admit(app("1"))
        #expect(try await kept("marked-key", authority) == nil)
    }

    @Test func `forgetting an app erases its values, and no others`() async throws {
        let authority = try await fixture.open()
        for name in ["app", "other"] { try await authority.admit(app("1", name: name)) }
        // Enough values to split and rebalance pages.
        for number in 0..<300 {
            try await keep("gone-\(number)", under: "k\(number * 7919 % 300)", authority)
        }
        for number in 0..<300 where number % 3 == 0 {
            let more = String(repeating: "gone-again", count: 40)
            try await keep(more, under: "k\(number)", authority)
        }
        try await keep("theirs", under: "a", authority, by: "other")
        #expect(try holds("gone-"))
        try await authority.forget(client: "app")
        #expect(try holds("gone-") == false)
        #expect(try await kept("a", authority, by: "other") == "theirs")
        #expect(await refusal { _ = try await kept("a", authority) } == .notFound)
        try await authority.admit(app("1"))
        #expect(try await kept("k0", authority) == nil)
    }

    @Test func `values that a crash left of a removed app are erased at the next start`()
        async throws
    {
        let authority = try await fixture.open()
        for name in ["app", "other"] { try await authority.admit(app("1", name: name)) }
        try await keep("left", under: "a", authority)
        try await keep("theirs", under: "a", authority, by: "other")
        // A crash after the app was removed and before its values are erased.
        let store = ClientStore(writer: try AuthDatabase(path: fixture.path).writer)
        try await store.remove(client: "app")
        let next = try await fixture.open()
        #expect(try holds("left") == false)
        #expect(try await kept("a", next, by: "other") == "theirs")
    }

    @Test func `the owner cannot store values, and a client stores its own`() async throws {
        let authority = try await fixture.open()
        _ = try await authority.createClient("curl", isOwner: false, expires: nil)
        _ = try await authority.createClient("desk", isOwner: true, expires: nil)
        let key = try StorageKey("a")
        for owner in [Client.owner, Client(name: "desk", kind: .owner, run: nil)] {
            #expect(
                await refusal { _ = try await authority.storage(of: owner).value(of: key) }
                    == .notFound)
        }
        try await keep("its", under: "a", authority, by: "curl", kind: .client)
        try await authority.revokeClient("curl")
        _ = try await authority.createClient("curl", isOwner: false, expires: nil)
        #expect(try await kept("a", authority, by: "curl", kind: .client) == nil)
    }

    @Test func `the file is accessible to its owner only`() async throws {
        _ = try await fixture.open()
        let path = Authority.storagePath(beside: fixture.path)
        #expect(path.hasPrefix(fixture.folder.path(percentEncoded: false)))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(await refusal { _ = try await fixture.open() } == .unsafeFile)
    }

    /// Whether the file or its log contains these bytes.
    private func holds(_ text: String) throws -> Bool {
        let path = Authority.storagePath(beside: fixture.path)
        return try ["", "-wal"].contains { ending in
            guard FileManager.default.fileExists(atPath: path + ending) else { return false }
            return try Data(contentsOf: URL(filePath: path + ending))
                .firstRange(of: Data(text.utf8)) != nil
        }
    }
}
