import Foundation
import Samples
import Sessions
import TestSupport
import Testing
import Tracks

struct SessionFileTests {
    private let library: Library

    init() throws {
        library = try Library()
    }

    /// A book with one session that was started.
    private func fill() async throws {
        let book = try library.open()
        _ = try await book.create(try Library.draft(), id: "trip")
        _ = try await book.apply(.start, to: "trip")
    }

    @Test func `the file is created with mode 0600`() async throws {
        let book = try library.open()
        _ = try await book.create(try Library.draft())
        for file in [library.path, library.path + "-wal"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        #expect(try SessionBook.faults(inFile: library.path).isEmpty)
    }

    @Test(arguments: [0o640, 0o604, 0o666])
    func `a file that others can open is rejected and not moved`(mode: Int) async throws {
        try await fill()
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: library.path)
        #expect(await refusal { _ = try library.open() } == .unsafeFile)
        #expect(try library.names == ["sessions.sqlite"])
    }

    @Test(arguments: [
        "UPDATE session_event SET step = 'pause'", "UPDATE session_event SET step = 'none'",
        "UPDATE session_sensor SET sensor = 'No Sensor'", "DELETE FROM session_sensor",
        "UPDATE session SET name = ''", "UPDATE session SET distance = -1",
        "DROP TABLE session_event", "ALTER TABLE session RENAME COLUMN name TO title",
        "INSERT INTO session_event VALUES ('none', 1, 'start', 0)",
    ])
    func `B16: a file with an invalid session is renamed`(sql: String) async throws {
        try await fill()
        try library.tamper(sql)
        try await expectSetAside()
    }

    @Test(arguments: [
        "PRAGMA ignore_check_constraints = ON; UPDATE session_point SET latitude = 91",
        "UPDATE session SET warnings = 'none'", "DELETE FROM session_point WHERE number > 1",
    ])
    func `B16: an invalid imported route is rejected, and the others are readable`(
        sql: String
    ) async throws {
        var book: SessionBook? = try library.open()
        _ = try await book?.add([try Library.workout("ridge")])
        book = nil
        try library.tamper(sql)
        let opened = try library.open()
        #expect(opened.setAside == nil)
        _ = try await opened.add([try Library.workout("lake")])
        #expect(await refusal { _ = try await opened.importedRoute(of: "ridge") } == .storeFailed)
        #expect(try await opened.importedRoute(of: "lake").segments.isEmpty == false)
    }

    @Test(arguments: ["head", "middle", "text", "short", "zeros"])
    func `B16: a damaged file is renamed, and the host continues with an empty one`(
        kind: String
    ) async throws {
        try await fill()
        var bytes = try library.content()
        switch kind {
        case "head": bytes.replaceSubrange(0..<16, with: repeatElement(7, count: 16))
        case "middle": bytes.replaceSubrange(4096..<12_288, with: repeatElement(7, count: 8192))
        case "text": bytes = Data("<plist><array/></plist>".utf8)
        case "short": bytes = Data([0])
        default: bytes = Data(repeating: 0, count: 8192)
        }
        try write(bytes, to: library)
        try await expectSetAside(content: bytes)
    }

    @Test func `a second damaged file does not replace the first`() async throws {
        for _ in 0..<3 {
            try await fill()
            try library.tamper("DROP TABLE session_event")
            try await expectSetAside()
        }
        #expect(try library.names.count { $0.contains(".damaged-") && !$0.hasSuffix("l") } == 3)
    }

    private func expectSetAside(content: Data? = nil) async throws {
        let book = try library.open()
        let target = try #require(book.setAside)
        #expect(target.hasPrefix(library.path + ".damaged-20231114T221320Z"))
        if let content { #expect(try Data(contentsOf: URL(filePath: target)) == content) }
        #expect(try await book.page(limit: 10).records.isEmpty)
        _ = try await book.create(try Library.draft(), id: "next")
        #expect(try await book.apply(.start, to: "next").session.state == .active)
        try await book.remove("next")
    }

    @Test func `B16: the session book opens, reads and writes whatever bytes are changed`()
        async throws
    {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        for turn in 0..<80 {
            let library = try Library()
            var book: SessionBook? = try library.open()
            for id in ["one", "two"] {
                _ = try await book?.create(try Library.draft(), id: id)
                _ = try await book?.apply(.start, to: id)
            }
            book = nil
            var bytes = try library.content()
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                // Most of a small file is room that nothing uses; its head is not.
                let end = Bool.random(using: &random) ? 100 : bytes.count
                bytes[Int.random(in: 0..<end, using: &random)] = .random(
                    in: .min ... .max, using: &random)
            }
            try write(bytes, to: library)
            do {
                let again = try library.open()
                let found = try await again.page(limit: 10).records.count
                #expect(again.setAside == nil || found == 0, "seed \(seed), turn \(turn)")
                _ = try await again.create(try Library.draft(), id: "next")
            } catch {
                Issue.record("seed \(seed), turn \(turn): \(error)")
            }
        }
    }

    /// In place: the file keeps its mode.
    private func write(_ bytes: Data, to library: Library) throws {
        let handle = try #require(FileHandle(forWritingAtPath: library.path))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: bytes)
        try handle.close()
    }
}
