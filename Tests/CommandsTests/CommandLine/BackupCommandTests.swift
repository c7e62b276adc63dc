import Foundation
import TestSupport
import Testing

/// `nervous backup` and `nervous restore` with the built program.
@Suite(.blocking)
struct BackupCommandTests {
    private let sandbox: Sandbox
    private let backup: String

    private struct Facts: Decodable {
        struct Log: Decodable {
            let intact: Bool
            let head: String
        }
        let file: String
        let files: Int
        let bytes: Int
        let accessLog: Log?
        let kept: [String]?
    }

    private struct Failure: Decodable {
        let error: String
        let type: String
        let hint: String?
    }

    init() throws {
        sandbox = try Sandbox()
        backup = sandbox.path("backup.tar")
    }

    private static let rows = 30_000

    /// Declares a sensor, and imports samples: they are acknowledged when this returns.
    private func fill() throws {
        let added = try sandbox.nervous("sensors", "add", "walk", "--field", "x:m/s2")
        #expect(added.code == 0, "\(added.errors)")
        let samples = (0..<Self.rows).map { "\($0).5,\($0)\n" }.joined()
        try ("t,x\n" + samples).write(
            toFile: sandbox.path("in.csv"), atomically: true, encoding: .utf8)
        let imported = try sandbox.nervous("import", sandbox.path("in.csv"), "--sensor", "walk")
        #expect(imported.code == 0, "\(imported.errors)")
    }

    private func export(_ name: String, data: String) throws -> Data {
        let path = sandbox.path("\(name).csv")
        let call = try sandbox.nervous(
            "export", "walk", "--to", "1970-02-01", "-o", path, "--data", data)
        #expect(call.code == 0, "\(call.errors)")
        return try Data(contentsOf: URL(filePath: path))
    }

    private func facts(_ call: Invocation) throws -> Facts {
        #expect(call.code == 0, "\(call.errors)")
        return try JSONDecoder().decode(Facts.self, from: Data(call.output.utf8))
    }

    @Test func `a backup of a host to which samples are published is restored elsewhere`() throws {
        let host = try ServingHost(sandbox)
        try fill()
        let zip = sandbox.path("demo.zip")
        try Data(sandbox.package()).write(to: URL(filePath: zip))
        #expect(try sandbox.nervous("install", zip).code == 0)
        // A second import writes while the backup reads.
        let added = try sandbox.nervous("sensors", "add", "walk.more", "--field", "x:m/s2")
        #expect(added.code == 0, "\(added.errors)")
        let importing = try Program(
            Binary.nervous, ["import", sandbox.path("in.csv"), "--sensor", "walk.more"],
            environment: sandbox.environment)
        let made = try facts(try sandbox.nervous("backup", backup, "--json"))
        #expect(try importing.wait() == 0)
        #expect(made.accessLog?.intact == true)
        let mode = try FileManager.default.attributesOfItem(atPath: backup)[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
        #expect(!FileManager.default.fileExists(atPath: "\(backup).part"))
        let other = sandbox.path("other")
        let restored = try facts(
            try sandbox.nervous("restore", backup, "--data", other, "--json"))
        #expect(restored.files == made.files && restored.bytes == made.bytes)
        #expect(restored.accessLog?.head == made.accessLog?.head)
        #expect(try export("copy", data: other) == export("original", data: sandbox.data))
        #expect(try sandbox.nervous("apps", "--data", other).output.contains("demo"))
        let head = try #require(made.accessLog?.head)
        let verified = try sandbox.nervous("log", "--verify", "--expect", head, "--data", other)
        #expect(verified.code == 0, "\(verified.errors)")
        let checked = try sandbox.nervous("doctor", "data", "databases", "--data", other)
        #expect(checked.code == 0, "\(checked.output)")
        // The original is the same file as before, and its host still serves.
        #expect(try sandbox.nervous("log", "--verify", "--expect", head).code == 0)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `samples that the host has not written yet are in the backup`() throws {
        let host = try ServingHost(sandbox, ["--flush", "10m"])
        #expect(try sandbox.nervous("sensors", "set", "load", "10ms").code == 0)
        func count(_ data: String) throws -> Int {
            let call = try sandbox.nervous(
                "query", "load", "--last", "1h", "--limit", "10000", "--json", "--data", data)
            #expect(call.code == 0, "\(call.errors)")
            return call.output.matches(of: /"load1"/).count
        }
        var before = 0
        try waitUntil {
            before = try count(sandbox.data)
            return before >= 20
        }
        _ = try facts(try sandbox.nervous("backup", backup, "--json"))
        host.kill(SIGKILL)
        #expect(try host.wait() == 128 + SIGKILL)
        let other = sandbox.path("other")
        _ = try facts(try sandbox.nervous("restore", backup, "--data", other, "--json"))
        #expect(try count(other) >= before)
    }

    @Test func `the configuration is restored where none exists`() throws {
        try fill()
        let folder = sandbox.path("home/.config/nervous")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let text = #"{"accessLog": {"budgetMiB": 17}}"#
        try text.write(toFile: "\(folder)/config.json", atomically: true, encoding: .utf8)
        #expect(try sandbox.nervous("backup", backup).code == 0)
        try "{}".write(toFile: "\(folder)/config.json", atomically: true, encoding: .utf8)
        let kept = try sandbox.nervous("restore", backup, "--data", sandbox.path("a"))
        #expect(kept.code == 0 && kept.errors.contains("warning: \(folder)/config.json"))
        try FileManager.default.removeItem(atPath: folder)
        let restored = try sandbox.nervous("restore", backup, "--data", sandbox.path("b"))
        #expect(restored.output.contains("\(folder)/config.json written"))
        #expect(try String(contentsOfFile: "\(folder)/config.json", encoding: .utf8) == text)
    }

    @Test(arguments: [
        ("exists", 73, "exists"), ("data/x.tar", 73, "cannot-write"),
        ("none/x.tar", 73, "cannot-write"),
    ])
    func `a backup to an unusable path is refused`(name: String, code: Int32, type: String) throws {
        try fill()
        try "mine".write(toFile: sandbox.path("exists"), atomically: true, encoding: .utf8)
        let before = try FileManager.default.subpathsOfDirectory(atPath: sandbox.root).sorted()
        let call = try sandbox.nervous("backup", sandbox.path(name), "--json")
        #expect(call.code == code && call.output.isEmpty)
        let failure = try JSONDecoder().decode(Failure.self, from: Data(call.errors.utf8))
        #expect(failure.type == type && failure.error.contains(name))
        let after = try FileManager.default.subpathsOfDirectory(atPath: sandbox.root).sorted()
        #expect(before == after)
    }

    @Test func `a backup of a data directory that does not exist is refused`() throws {
        let call = try sandbox.nervous("backup", backup)
        #expect(call.code == 66)
        #expect(call.errors.contains("error: The data directory \(sandbox.data) does not exist."))
        #expect(!FileManager.default.fileExists(atPath: backup))
    }

    @Test func `a disk without space leaves neither a backup nor a part of one`() throws {
        try fill()
        // A write beyond this size fails, as on a full disk.
        for blocks in [0, 1, 20, 100] {
            let script = "trap '' XFSZ; ulimit -f \(blocks); exec \"$0\" backup \"$1\""
            let call = try Invocation(
                "/bin/sh", ["-c", script, Binary.nervous, backup], environment: sandbox.environment)
            #expect([73, 74].contains(call.code), "\(blocks): \(call.code) \(call.errors)")
            let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.root)
            #expect(!names.contains { $0.hasPrefix("backup.tar") }, "\(blocks): \(names)")
        }
    }

    @Test func `a disk without space leaves nothing of a backup that is restored`() throws {
        try fill()
        #expect(try sandbox.nervous("backup", backup).code == 0)
        for blocks in [0, 1, 20] {
            let script =
                "trap '' XFSZ; ulimit -f \(blocks); exec \"$0\" restore \"$1\" --data \"$2\""
            let call = try Invocation(
                "/bin/sh", ["-c", script, Binary.nervous, backup, sandbox.path("new/data")],
                environment: sandbox.environment)
            #expect([73, 74].contains(call.code), "\(blocks): \(call.code) \(call.errors)")
            #expect(!FileManager.default.fileExists(atPath: sandbox.path("new")))
        }
    }

    @Test(arguments: [
        ("none", 66, "not-found"), ("other", 65, "not-a-backup"), ("short", 65, "damaged-backup"),
        ("changed", 65, "damaged-backup"),
    ])
    func `a file that is not an intact backup is refused, and leaves nothing`(
        name: String, code: Int32, type: String
    ) throws {
        try fill()
        #expect(try sandbox.nervous("backup", backup).code == 0)
        var bytes = try Data(contentsOf: URL(filePath: backup))
        switch name {
        case "other": bytes = Data("hello".utf8)
        case "short": bytes = bytes.dropLast(bytes.count / 3)
        case "changed": bytes[bytes.count / 2] ^= 1
        default: break
        }
        let path = sandbox.path(name)
        if name != "none" { try bytes.write(to: URL(filePath: path)) }
        for arguments in [["--data", sandbox.path("new/data")], ["--check"]] {
            let call = try sandbox.nervous(["restore", path, "--json"] + arguments)
            #expect(call.code == code && call.output.isEmpty, "\(call.errors)")
            let failure = try JSONDecoder().decode(Failure.self, from: Data(call.errors.utf8))
            #expect(failure.type == type && failure.error.contains(path))
            #expect(!FileManager.default.fileExists(atPath: sandbox.path("new")))
        }
        let good = try sandbox.nervous("restore", backup, "--check")
        #expect(good.code == 0 && good.output.hasPrefix("Intact: "))
    }

    @Test func `nothing is restored to a data directory that has contents or a host`() throws {
        try fill()
        #expect(try sandbox.nervous("backup", backup).code == 0)
        let before = try FileManager.default.subpathsOfDirectory(atPath: sandbox.data).sorted()
        let full = try sandbox.nervous("restore", backup)
        #expect(full.code == 73 && full.errors.contains("hint: "))
        #expect(
            try FileManager.default.subpathsOfDirectory(atPath: sandbox.data).sorted() == before)
        let host = try ServingHost(sandbox)
        let running = try sandbox.nervous("restore", backup)
        #expect(running.code == 75)
        #expect(running.errors.contains("error: A host is running on \(sandbox.data)."))
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `a changed access log is backed up with a warning`() throws {
        try fill()
        let path = "\(sandbox.data)/permissions.sqlite"
        let script = """
            import sqlite3, sys
            file = sqlite3.connect(sys.argv[1])
            for name, in file.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
                file.execute(f'DROP TRIGGER "{name}"')
            file.execute("UPDATE ledger SET time = time + 1 WHERE id = 1")
            file.commit()
            """
        let changed = try Invocation(
            "/usr/bin/python3", ["-c", script, path], environment: sandbox.environment)
        #expect(changed.code == 0, "\(changed.errors)")
        let call = try sandbox.nervous("backup", backup, "--json")
        #expect(try facts(call).accessLog?.intact == false)
        #expect(call.errors.contains("warning: The access log was changed."))
        #expect(FileManager.default.fileExists(atPath: backup))
    }
}
