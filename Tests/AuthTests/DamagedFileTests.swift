import AppStorage
import Foundation
import Samples
import TestSupport
import Testing

@testable import Auth

/// Files that are empty, truncated, overwritten or not databases at all.
struct DamagedFileTests {
    private let fixture: AuthorityFixture

    init() throws {
        fixture = try AuthorityFixture()
    }

    private var storagePath: String { Authority.storagePath(beside: fixture.path) }

    /// Fills both files, and closes them.
    private func fill() async throws {
        let authority = try await fixture.open()
        try await authority.admit(app: "app")
        try await authority.decide(
            .allowAlways, on: PrivilegeID.sensor("cpu", .raw), by: "app")
        let client = Client(name: "app", kind: .app, run: nil)
        let value = StoredValue(type: "text/plain", bytes: Array(repeating: 1, count: 100_000))
        try await authority.storage(of: client).apply([StorageChange(StorageKey("a"), value)])
    }

    @Test(arguments: FileDamage.allCases)
    func `a damaged file of stored values disables only the storage of apps`(
        damage: FileDamage
    ) async throws {
        try await fill()
        try damage.apply(to: storagePath)
        let authority = try await fixture.open()
        let fault = try #require(authority.storageFault)
        #expect(fault.code == .storageDamaged)
        #expect(fault.message.contains("app-storage.sqlite"))
        #expect(!fault.message.contains("permission"))
        #expect(fault.hint?.contains("mv app-storage.sqlite") == true)
        let (_, token) = try await authority.beginRun(of: "app")
        let client = try await authority.identify(token: token.text, name: "app")
        #expect(await refusal { _ = try await authority.storage(of: client) } == .storageDamaged)
        _ = try await authority.checkApp(
            token: token.text, name: "app", requested: AccessRequest("latest", of: "cpu", .raw))
        try await authority.forget(client: "app")
        #expect(await authority.permissions.records(of: "app").isEmpty)
    }

    @Test func `a file of stored values that was renamed is created again`() async throws {
        try await fill()
        try FileDamage.garbage.apply(to: storagePath)
        try FileManager.default.moveItem(atPath: storagePath, toPath: storagePath + ".damaged")
        let authority = try await fixture.open()
        #expect(authority.storageFault == nil)
        let client = Client(name: "app", kind: .app, run: nil)
        #expect(try await authority.storage(of: client).items().items.isEmpty)
    }

    @Test(arguments: FileDamage.allCases)
    func `the error for a damaged permission database names the file and has a hint`(
        damage: FileDamage
    ) async throws {
        try await fill()
        try damage.apply(to: fixture.path)
        let error = await #expect(throws: AuthError.self) { _ = try await fixture.open() }
        #expect(error?.code == .storeFailed)
        #expect(error?.message.contains(fixture.path) == true)
        #expect(error?.hint?.contains("mv \(fixture.path)") == true)
    }

    @Test func `a start that was interrupted leaves nothing that prevents the next one`()
        async throws
    {
        for path in [fixture.path, storagePath] {
            for suffix in [".new", ".new-wal", ".new-shm"] {
                let isMade = FileManager.default.createFile(
                    atPath: path + suffix, contents: Data([1, 2, 3]),
                    attributes: [.posixPermissions: 0o600])
                #expect(isMade)
            }
        }
        let authority = try await fixture.open()
        #expect(authority.storageFault == nil)
        try await authority.admit(app: "app")
        let names = try FileManager.default.contentsOfDirectory(
            atPath: fixture.folder.path(percentEncoded: false))
        #expect(!names.contains { $0.contains(".new") })
    }
}
