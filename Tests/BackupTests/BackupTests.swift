import Foundation
import GRDB
import Glibc
import TestSupport
import Testing

@testable import Backup

/// Writing and restoring backups of a data directory.
@Suite(.blocking)
struct BackupTests {
    private let folder: BackupFolder

    init() throws {
        folder = try BackupFolder()
        try folder.fill()
    }

    private var writer: BackupWriter {
        BackupWriter(
            data: folder.data, configuration: ["\(folder.configuration)/config.json"],
            program: "1.2.3")
    }

    private func restoration(to name: String, from file: String? = nil) -> BackupRestoration {
        BackupRestoration(
            file: file ?? folder.backup, data: "\(folder.root)/\(name)",
            configuration: "\(folder.root)/\(name)-config",
            formats: DataFormats(
                program: "1.2.3", databases: ["samples.sqlite": ["first"]],
                files: ["declared-sensors.json": 1]))
    }

    @Test func `everything is restored with its content and mode`() async throws {
        let report = try await writer.write(to: folder.backup)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.backup)
        #expect((mode[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try folder.names == ["backup.tar", "config", "data"])
        let result = try await restoration(to: "a/b/restored").run()
        let restored = "\(folder.root)/a/b/restored"
        #expect(try BackupFolder.content(of: restored) == BackupFolder.content(of: folder.data))
        #expect(try BackupFolder.rows(in: "\(restored)/samples.sqlite") == 500)
        #expect(try BackupFolder.rows(in: "\(restored)/sessions.sqlite") == 3)
        #expect(report.files == result.report.files && report.program == "1.2.3")
        #expect(result.configured == ["\(folder.root)/a/b/restored-config/config.json"])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: "\(folder.root)/a/b").count == 2)
    }

    @Test func `files of a running host are left out`() async throws {
        _ = try await writer.write(to: folder.backup)
        _ = try await restoration(to: "restored").run()
        for name in BackupFolder.leftOut {
            #expect(access("\(folder.root)/restored/\(name)", F_OK) != 0, "\(name)")
        }
    }

    @Test func `rows committed before the backup are in it, while others are written`() async throws
    {
        let queue = try folder.database("permissions.sqlite", rows: 100)
        let writing = Task {
            while !Task.isCancelled {
                try await queue.write { try $0.execute(sql: "INSERT INTO row (text) VALUES ('x')") }
            }
        }
        for number in 0..<5 {
            let before = try await queue.read {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM row")
            }
            let file = "\(folder.root)/\(number).tar"
            _ = try await writer.write(to: file)
            _ = try await restoration(to: "restored-\(number)", from: file).run()
            let path = "\(folder.root)/restored-\(number)/permissions.sqlite"
            #expect(try BackupFolder.rows(in: path) >= before ?? 0)
        }
        writing.cancel()
        _ = try? await writing.value
    }

    @Test func `a backup contains nothing that was deleted`() async throws {
        let secret = "a deleted sentence that is long enough to be found"
        let queue = try folder.database("app-storage.sqlite", rows: 0)
        try await queue.write { database in
            try database.execute(sql: "PRAGMA secure_delete = OFF")
            for _ in 0..<50 {
                try database.execute(sql: "INSERT INTO row (text) VALUES (?)", arguments: [secret])
            }
        }
        try await queue.write { try $0.execute(sql: "DELETE FROM row") }
        try await queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        let original = try Data(contentsOf: URL(filePath: "\(folder.data)/app-storage.sqlite"))
        #expect(original.range(of: Data(secret.utf8)) != nil)
        _ = try await writer.write(to: folder.backup)
        let backup = try Data(contentsOf: URL(filePath: folder.backup))
        #expect(backup.range(of: Data(secret.utf8)) == nil)
    }

    @Test(arguments: FileDamage.allCases)
    func `a damaged database is named, and no backup remains`(damage: FileDamage) async throws {
        try damage.apply(to: "\(folder.data)/sessions.sqlite")
        let error = await #expect(throws: BackupError.self) {
            try await writer.write(to: folder.backup)
        }
        #expect(error?.code == .damagedData)
        #expect(error?.message.contains("sessions.sqlite") == true)
        #expect(try folder.names == ["config", "data"])
    }

    @Test func `a file that exists is not overwritten`() async throws {
        try folder.write("mine", to: "backup.tar")
        let error = await #expect(throws: BackupError.self) {
            try await writer.write(to: folder.backup)
        }
        #expect(error?.code == .exists)
        #expect(try String(contentsOfFile: folder.backup, encoding: .utf8) == "mine")
    }

    @Test(arguments: ["data/backup.tar", "data/apps/backup.tar", "data/link/backup.tar"])
    func `a file in the data directory is refused`(name: String) async throws {
        symlink(folder.data, "\(folder.data)/link")
        let error = await #expect(throws: BackupError.self) {
            try await writer.write(to: "\(folder.root)/\(name)")
        }
        #expect(error?.code == .cannotWrite)
    }

    @Test func `links are not followed, and are reported`() async throws {
        try folder.write("outside", to: "outside")
        symlink("\(folder.root)/outside", "\(folder.data)/link.json")
        let report = try await writer.write(to: folder.backup)
        #expect(report.omitted == ["link.json"])
        let backup = try Data(contentsOf: URL(filePath: folder.backup))
        #expect(backup.range(of: Data("outside".utf8)) == nil)
    }

    @Test func `a configuration that is a link is in the backup with its content`() async throws {
        try FileManager.default.moveItem(
            atPath: "\(folder.configuration)/config.json", toPath: "\(folder.root)/dotfile")
        symlink("\(folder.root)/dotfile", "\(folder.configuration)/config.json")
        _ = try await writer.write(to: folder.backup)
        let result = try await restoration(to: "restored").run()
        #expect(result.configured == ["\(folder.root)/restored-config/config.json"])
        let text = try String(contentsOfFile: result.configured[0], encoding: .utf8)
        #expect(text == #"{"gpsd": {}}"#)
    }

    @Test func `remains of a killed backup are removed, another folder of that name is not`()
        async throws
    {
        try folder.make("backup.tar.part/content")
        try folder.write("x", to: "backup.tar.part/content/0")
        _ = try await writer.write(to: folder.backup)
        #expect(try folder.names == ["backup.tar", "config", "data"])
        try folder.make("other.tar.part")
        try folder.write("x", to: "other.tar.part/thesis.odt")
        let error = await #expect(throws: BackupError.self) {
            try await writer.write(to: "\(folder.root)/other.tar")
        }
        #expect(error?.code == .exists)
        #expect(access("\(folder.root)/other.tar.part/thesis.odt", F_OK) == 0)
    }

    @Test func `a second backup to the same file at the same time is refused`() async throws {
        try await DraftFolder.with(folder.backup + ".part", names: []) {
            let error = await #expect(throws: BackupError.self) {
                try await writer.write(to: folder.backup)
            }
            #expect(error?.code == .busy)
        }
    }

    @Test func `a cancelled backup leaves nothing`() async throws {
        let task = Task { [writer, folder] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await writer.write(to: folder.backup)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try folder.names == ["config", "data"])
    }

    // MARK: - Restoring

    /// Expects that a file is refused, and that nothing is left.
    private func expectRefusal(_ file: String, _ codes: Set<BackupError.Code>, _ why: String)
        async throws
    {
        let before = try folder.names
        let restoration = restoration(to: "x/y/restored", from: file)
        let error = await #expect(throws: BackupError.self, "\(why)") {
            try await restoration.run()
        }
        #expect(error.map { codes.contains($0.code) } == true, "\(why): \(error?.message ?? "")")
        await #expect(throws: BackupError.self, "\(why)") { try await restoration.check() }
        #expect(try folder.names == before, "\(why)")
    }

    @Test func `a changed byte at any offset is detected, and nothing is restored`() async throws {
        _ = try await writer.write(to: folder.backup)
        let content = [UInt8](try Data(contentsOf: URL(filePath: folder.backup)))
        let file = "\(folder.root)/changed.tar"
        for offset in stride(from: 0, to: content.count, by: max(1, content.count / 60)) {
            var changed = content
            changed[offset] ^= 0x15
            try Data(changed).write(to: URL(filePath: file))
            try await expectRefusal(file, [.damaged, .notABackup], "byte \(offset)")
        }
    }

    @Test func `a truncated or extended backup is refused, and nothing is restored`() async throws {
        _ = try await writer.write(to: folder.backup)
        let content = try Data(contentsOf: URL(filePath: folder.backup))
        let file = "\(folder.root)/changed.tar"
        for share in [0, 1, 10, 500, 900, 999] {
            try content.prefix(content.count * share / 1000).write(to: URL(filePath: file))
            try await expectRefusal(file, [.damaged, .notABackup], "\(share) thousandths")
        }
        try content.dropLast().write(to: URL(filePath: file))
        try await expectRefusal(file, [.damaged], "without the last byte")
        try (content + Data([0])).write(to: URL(filePath: file))
        try await expectRefusal(file, [.damaged], "with another byte")
    }

    @Test(arguments: ["", "text", "samples"])
    func `another file is refused`(kind: String) async throws {
        let file = "\(folder.root)/other"
        switch kind {
        case "samples":
            try FileManager.default.copyItem(atPath: "\(folder.data)/samples.sqlite", toPath: file)
        default: try folder.write(kind, to: "other")
        }
        try await expectRefusal(file, [.notABackup], kind)
    }

    @Test(arguments: ["samples.sqlite", "declared-sensors.json"])
    func `a backup with a file of a later version is refused`(name: String) async throws {
        if name == "samples.sqlite" {
            try DataFormatsTests.addMigrations(["first", "second"], to: "\(folder.data)/\(name)")
        } else {
            try folder.write(#"{"version": 2}"#, to: "data/\(name)")
        }
        _ = try await writer.write(to: folder.backup)
        let error = await #expect(throws: BackupError.self) {
            try await restoration(to: "restored").run()
        }
        #expect(error?.code == .newerData)
        #expect(error?.message.hasPrefix("data/\(name) in \(folder.backup) has format 2;") == true)
        #expect(try folder.names == ["backup.tar", "config", "data"])
    }

    @Test(arguments: ["a file in it", "a file"])
    func `restore overwrites nothing`(kind: String) async throws {
        _ = try await writer.write(to: folder.backup)
        if kind == "a file" {
            try folder.write("mine", to: "restored")
        } else {
            try folder.make("restored")
            try folder.write("mine", to: "restored/mine")
        }
        let error = await #expect(throws: BackupError.self) {
            try await restoration(to: "restored").run()
        }
        #expect(error?.code == .exists)
        let path = folder.root + (kind == "a file" ? "/restored" : "/restored/mine")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }

    @Test func `an empty folder is restored to, and an existing configuration stays`() async throws
    {
        _ = try await writer.write(to: folder.backup)
        try folder.make("restored")
        try folder.make("restored-config")
        try folder.write("{}", to: "restored-config/config.json")
        let result = try await restoration(to: "restored").run()
        #expect(result.configured.isEmpty)
        #expect(result.kept == ["\(folder.root)/restored-config/config.json"])
        let kept = try String(
            contentsOfFile: "\(folder.root)/restored-config/config.json", encoding: .utf8)
        #expect(kept == "{}")
    }
}
