import Foundation
import GRDB
import Testing

@testable import Auth

struct DatabaseFileTests {
    private let fixture: AuthorityFixture

    init() throws {
        fixture = try AuthorityFixture()
    }

    @Test func `the file is accessible to its owner only`() async throws {
        let authority = try await fixture.open()
        for file in [fixture.path, fixture.path + "-wal"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        // The second file is deleted when the last connection closes.
        #expect(await authority.permissions.records().isEmpty)
    }

    @Test func `every commit is flushed to the disk`() async throws {
        let database = try AuthDatabase(path: fixture.path)
        let level = try await database.queue.read {
            try Int.fetchOne($0, sql: "PRAGMA synchronous")
        }
        // FULL; PowerCutTests show that it is enough.
        #expect(level == 2)
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o666, 0o601, 0o610])
    func `a file that others can open is refused`(mode: Int) async throws {
        _ = try await fixture.open()
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: fixture.path)
        #expect(await refusal { _ = try await fixture.open() } == .unsafeFile)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
    func `a file of another user is refused`() async throws {
        _ = try await fixture.open()
        try FileManager.default.setAttributes(
            [.ownerAccountID: 65_534], ofItemAtPath: fixture.path)
        #expect(await refusal { _ = try await fixture.open() } == .unsafeFile)
    }

    @Test(arguments: [0o770, 0o707, 0o777, 0o722])
    func `a folder that others can change is refused, whatever the file's mode`(mode: Int)
        async throws
    {
        _ = try await fixture.open()
        let folder = fixture.folder.path(percentEncoded: false)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder)
        #expect(await refusal { _ = try await fixture.open() } == .unsafeFile)
        for safe in [0o700, 0o755, 0o1777] {
            try FileManager.default.setAttributes([.posixPermissions: safe], ofItemAtPath: folder)
            _ = try await fixture.open()
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a folder away"))
    func `a folder of another user is refused`() async throws {
        _ = try await fixture.open()
        try FileManager.default.setAttributes(
            [.ownerAccountID: 65_534], ofItemAtPath: fixture.folder.path(percentEncoded: false))
        #expect(await refusal { _ = try await fixture.open() } == .unsafeFile)
    }

    @Test(arguments: ["-wal", "-shm"])
    func `a write-ahead log that others can open is refused`(companion: String) async throws {
        _ = try await fixture.open()
        try Data().write(to: URL(filePath: fixture.path + companion))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: fixture.path + companion)
        #expect(await refusal { _ = try await fixture.open() } == .unsafeFile)
    }

    @Test func `a link instead of the file is not followed`() async throws {
        let target = fixture.path + "-elsewhere"
        try Data().write(to: URL(filePath: target))
        try FileManager.default.createSymbolicLink(
            atPath: fixture.path, withDestinationPath: target)
        #expect(await refusal { _ = try await fixture.open() } == .storeFailed)
    }

    @Test func `a file that is not a database is refused`() async throws {
        try Data(repeating: 0x41, count: 8192).write(to: URL(filePath: fixture.path))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: fixture.path)
        #expect(await refusal { _ = try await fixture.open() } == .storeFailed)
    }

    @Test func `no file contains a token`() async throws {
        let authority = try await fixture.open()
        let token = try await authority.createClient("curl", isOwner: false, expires: nil)
        _ = try await authority.identify(token: token.text, name: nil)
        _ = await refusal { _ = try await authority.identify(token: token.text, name: "app") }
        _ = try await authority.log.entries(AccessLogQuery())
        for file in try FileManager.default.contentsOfDirectory(
            at: fixture.folder, includingPropertiesForKeys: nil)
        {
            let content = try Data(contentsOf: file)
            #expect(content.range(of: Data(token.text.utf8)) == nil, "\(file.lastPathComponent)")
        }
    }
}
