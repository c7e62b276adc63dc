import Databases
import Foundation
import Samples
import Sessions
import TestSupport
import Testing
import Tracks

struct SessionFileTests {
    private let fixture: SessionBookFixture

    init() throws {
        fixture = try SessionBookFixture()
    }

    /// Creates a book with one started session.
    private func fill() async throws {
        let book = try fixture.open()
        _ = try await book.create(try SessionBookFixture.draft(), id: "trip")
        _ = try await book.apply(.start, to: "trip")
    }

    @Test func `the file is created with mode 0600`() async throws {
        let book = try fixture.open()
        _ = try await book.create(try SessionBookFixture.draft())
        for file in [fixture.path, fixture.path + "-wal"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        #expect(try DatabaseFile.defects(of: fixture.path).isEmpty)
    }

    @Test(arguments: [0o640, 0o604, 0o666])
    func `a file that others can open is rejected and not moved`(mode: Int) async throws {
        try await fill()
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: fixture.path)
        #expect(await refusal { _ = try fixture.open() } == .unsafeFile)
        #expect(try fixture.names == ["sessions.sqlite"])
    }

    @Test(arguments: [
        "UPDATE session_event SET step = 'pause'", "UPDATE session_event SET step = 'none'",
        "UPDATE session_sensor SET sensor = 'No Sensor'", "DELETE FROM session_sensor",
        "UPDATE session SET name = ''", "UPDATE session SET distance = -1",
        "DROP TABLE session_event", "ALTER TABLE session RENAME COLUMN name TO title",
        "INSERT INTO session_event VALUES ('none', 1, 'start', 0)",
    ])
    func `a file with an invalid session is renamed`(sql: String) async throws {
        try await fill()
        try fixture.tamper(sql)
        try await expectSetAside()
    }

    @Test(arguments: [
        "PRAGMA ignore_check_constraints = ON; UPDATE session_point SET latitude = 91",
        "UPDATE session SET warnings = 'none'", "DELETE FROM session_point WHERE number > 1",
    ])
    func `an invalid imported route is rejected, and the others are readable`(
        sql: String
    ) async throws {
        var book: SessionBook? = try fixture.open()
        _ = try await book?.add([try SessionBookFixture.workout("ridge")])
        book = nil
        try fixture.tamper(sql)
        let opened = try fixture.open()
        #expect(opened.setAside == nil)
        _ = try await opened.add([try SessionBookFixture.workout("lake")])
        #expect(await refusal { _ = try await opened.importedRoute(of: "ridge") } == .storeFailed)
        #expect(try await opened.importedRoute(of: "lake").segments.isEmpty == false)
    }

    @Test(arguments: ["head", "middle", "text", "short", "zeros"])
    func `a damaged file is renamed, and the host continues with an empty one`(
        kind: String
    ) async throws {
        try await fill()
        var bytes = try fixture.content()
        switch kind {
        case "head": bytes.replaceSubrange(0..<16, with: repeatElement(7, count: 16))
        case "middle": bytes.replaceSubrange(4096..<12_288, with: repeatElement(7, count: 8192))
        case "text": bytes = Data("<plist><array/></plist>".utf8)
        case "short": bytes = Data([0])
        default: bytes = Data(repeating: 0, count: 8192)
        }
        try write(bytes, to: fixture)
        try await expectSetAside(content: bytes)
    }

    @Test func `a second damaged file does not replace the first`() async throws {
        for _ in 0..<3 {
            try await fill()
            try fixture.tamper("DROP TABLE session_event")
            try await expectSetAside()
        }
        #expect(try fixture.names.count { $0.contains(".damaged-") && !$0.hasSuffix("l") } == 3)
    }

    private func expectSetAside(content: Data? = nil) async throws {
        let book = try fixture.open()
        let target = try #require(book.setAside)
        #expect(target.hasPrefix(fixture.path + ".damaged-20231114T221320Z"))
        if let content { #expect(try Data(contentsOf: URL(filePath: target)) == content) }
        #expect(try await book.page(limit: 10).records.isEmpty)
        _ = try await book.create(try SessionBookFixture.draft(), id: "next")
        #expect(try await book.apply(.start, to: "next").session.state == .active)
        try await book.remove("next")
    }

    @Test func `the session book opens, reads and writes whatever bytes are changed`()
        async throws
    {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        for turn in 0..<80 {
            let fixture = try SessionBookFixture()
            var book: SessionBook? = try fixture.open()
            for id in ["one", "two"] {
                _ = try await book?.create(try SessionBookFixture.draft(), id: id)
                _ = try await book?.apply(.start, to: id)
            }
            book = nil
            var bytes = try fixture.content()
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                // Most of a small file is unused space, except for its header.
                let end = Bool.random(using: &random) ? 100 : bytes.count
                bytes[Int.random(in: 0..<end, using: &random)] = .random(
                    in: .min ... .max, using: &random)
            }
            try write(bytes, to: fixture)
            do {
                let again = try fixture.open()
                let found = try await again.page(limit: 10).records.count
                #expect(again.setAside == nil || found == 0, "seed \(seed), turn \(turn)")
                _ = try await again.create(try SessionBookFixture.draft(), id: "next")
            } catch {
                Issue.record("seed \(seed), turn \(turn): \(error)")
            }
        }
    }

    /// Writes in place, so that the file keeps its mode.
    private func write(_ bytes: Data, to fixture: SessionBookFixture) throws {
        let handle = try #require(FileHandle(forWritingAtPath: fixture.path))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: bytes)
        try handle.close()
    }
}
