import Foundation
import GRDB
import Samples
import TestSupport
import Testing

@testable import Backup

@Suite(.blocking)
struct DataFormatsTests {
    private let folder: BackupFolder
    private let time = ManualTime(at: Timestamp(microseconds: 1_800_000_000_000_000))
    private let formats = DataFormats(
        program: "1.2.3", databases: ["a.sqlite": ["first", "second"], "b.sqlite": ["only"]],
        files: ["c.json": 3])

    init() throws {
        folder = try BackupFolder()
        try folder.make("data")
    }

    /// Records migrations as GRDB does.
    static func addMigrations(_ names: [String], to path: String) throws {
        try DatabaseQueue(path: path).write { database in
            try database.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT PRIMARY KEY)")
            for name in names {
                try database.execute(
                    sql: "INSERT INTO grdb_migrations VALUES (?)", arguments: [name])
            }
        }
    }

    private func make(_ name: String, _ migrations: [String]) throws {
        try folder.database(name, rows: 2).close()
        try Self.addMigrations(migrations, to: "\(folder.data)/\(name)")
    }

    private var copies: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "\(folder.data)/before-upgrade"))
            ?? []
    }

    @Test func `missing and current files are accepted, and nothing is copied`() async throws {
        #expect(try await formats.prepareUpgrade(of: folder.data, time: time) == .init())
        try make("a.sqlite", ["first", "second"])
        try folder.write(#"{"version": 3}"#, to: "data/c.json")
        #expect(try await formats.prepareUpgrade(of: folder.data, time: time) == .init())
        #expect(copies.isEmpty)
    }

    @Test(arguments: ["a.sqlite", "c.json"])
    func `a later format is refused with its number, and nothing is changed`(name: String)
        async throws
    {
        if name == "a.sqlite" {
            try make(name, ["first", "second", "third", "fourth"])
        } else {
            try folder.write(#"{"version": 4, "more": []}"#, to: "data/\(name)")
        }
        // Another one would be migrated.
        try make("b.sqlite", [])
        let error = await #expect(throws: BackupError.self) {
            try await formats.prepareUpgrade(of: folder.data, time: time)
        }
        let known = name == "a.sqlite" ? 2 : 3
        #expect(error?.code == .newerData)
        #expect(
            error?.message == "\(folder.data)/\(name) has format 4; this program, Nervous 1.2.3, "
                + "reads formats up to \(known).")
        #expect(error?.hint?.contains("docs/upgrading.md") == true)
        #expect(copies.isEmpty)
    }

    @Test(arguments: [#"{"version": "later"}"#, "{", ""])
    func `a damaged file is not reported as one of a later version`(text: String) throws {
        try folder.write(text, to: "data/c.json")
        try folder.write("not a database", to: "data/a.sqlite")
        try formats.check(folder.data)
    }

    @Test func `an earlier database is copied before it is migrated, once`() async throws {
        // The age of a copy is that of its file, so the clock is the system's.
        try make("a.sqlite", ["first"])
        let copy = "\(folder.data)/before-upgrade/a.sqlite"
        let prepared = try await formats.prepareUpgrade(of: folder.data)
        #expect(prepared.copies == [copy] && prepared.failures.isEmpty)
        #expect(try BackupFolder.rows(in: copy) == 2)
        let mode = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
        try await DatabaseQueue(path: "\(folder.data)/a.sqlite").write {
            try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('second')")
        }
        #expect(try await formats.prepareUpgrade(of: folder.data) == .init())
        #expect(copies == ["a.sqlite"])
    }

    @Test(arguments: [(29, 1), (31, 0)])
    func `a copy is removed after 30 days`(days: Int, left: Int) async throws {
        try make("a.sqlite", ["first", "second"])
        try folder.make("data/before-upgrade")
        try folder.write("x", to: "data/before-upgrade/b.sqlite")
        let made = Date(timeIntervalSince1970: 1_800_000_000 - Double(days) * 86_400)
        try FileManager.default.setAttributes(
            [.modificationDate: made], ofItemAtPath: "\(folder.data)/before-upgrade/b.sqlite")
        _ = try await formats.prepareUpgrade(of: folder.data, time: time)
        #expect(copies.count == left)
    }

    @Test func `a database that cannot be copied is reported`() async throws {
        try make("a.sqlite", ["first"])
        // Where the folder of the copies should be.
        try folder.write("x", to: "data/before-upgrade")
        let prepared = try await formats.prepareUpgrade(of: folder.data, time: time)
        #expect(prepared.copies.isEmpty)
        #expect(Array(prepared.failures.keys) == ["\(folder.data)/a.sqlite"])
    }
}
