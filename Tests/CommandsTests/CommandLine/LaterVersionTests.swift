import Foundation
import TestSupport
import Testing

/// Files of a later version in a data directory.
@Suite(.blocking)
struct LaterVersionTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        let added = try sandbox.nervous("sensors", "add", "walk", "--field", "x:m/s2")
        #expect(added.code == 0, "\(added.errors)")
    }

    private func add(migration: String, to database: String) throws {
        let script = """
            import sqlite3, sys
            file = sqlite3.connect(sys.argv[1])
            file.execute("INSERT INTO grdb_migrations VALUES (?)", (sys.argv[2],))
            file.commit()
            """
        let call = try Invocation(
            "/usr/bin/python3", ["-c", script, "\(sandbox.data)/\(database)", migration],
            environment: sandbox.environment)
        #expect(call.code == 0, "\(call.errors)")
    }

    /// The bytes of every file, apart from what SQLite keeps beside a database.
    private func content() throws -> [String: Data] {
        var found: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: sandbox.data)
        where !name.hasSuffix("-shm") && !name.hasSuffix("-wal") && name != "host.lock" {
            found[name] = FileManager.default.contents(atPath: "\(sandbox.data)/\(name)")
        }
        return found
    }

    private static let databases = [
        "samples.sqlite", "permissions.sqlite", "app-storage.sqlite", "sessions.sqlite",
        "health.sqlite", "alerts.sqlite",
    ]
    private static let files = [
        "declared-sensors.json", "clock-offsets.json", "runs/background.runs.json",
    ]

    @Test func `every database of a data directory is checked`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.data)
            .filter { $0.hasSuffix(".sqlite") }
        #expect(names.sorted() == Self.databases.sorted())
    }

    @Test(arguments: databases + files)
    func `a file of a later version is named with its format, and nothing is changed`(
        name: String
    ) throws {
        if Self.databases.contains(name) {
            try add(migration: "of a later version", to: name)
        } else {
            try FileManager.default.createDirectory(
                atPath: "\(sandbox.data)/runs", withIntermediateDirectories: true)
            try Data(#"{"version": 2, "sensors": "in another form"}"#.utf8).write(
                to: URL(filePath: "\(sandbox.data)/\(name)"))
        }
        let before = try content()
        for words in [["status"], ["serve", "--port", "0"], ["query", "load"]] {
            let call = try sandbox.nervous(words)
            #expect(call.code == 73, "\(words): \(call.errors)")
            #expect(call.errors.contains("error: \(sandbox.data)/\(name) has format "))
            #expect(call.errors.contains("hint: Install the version of Nervous that wrote it"))
        }
        #expect(try content() == before)
        let checked = try sandbox.nervous("doctor", "databases")
        #expect(checked.code == 1 && checked.output.contains("\(name) has format "))
    }
}
