import Foundation
import GRDB
import Health
import Testing
import Text

/// The seal of the values.
struct HealthSealTests {
    private typealias Fixture = HealthFixture

    private let fixture: HealthFixture

    init() throws {
        fixture = try HealthFixture()
    }

    private func save() async throws {
        let store = try fixture.open()
        try await store.set(.dateOfBirth, to: .text("1984-02-29"))
        let mindful = HealthSampleDraft(
            try Fixture.type("mindful"), .text("session"),
            metadata: ["place": .text("marked-place")])
        _ = try await store.save([mindful], by: Fixture.run)
    }

    @Test func `the files contain neither a value nor metadata nor the key`() async throws {
        try await save()
        let bytes = try fixture.bytes()
        for secret in ["1984-02-29", "marked-place", "\"session\""] {
            #expect(bytes.range(of: Data(secret.utf8)) == nil)
        }
        let key = try String(contentsOfFile: fixture.key.path, encoding: .utf8)
        let digits = key.trimmingCharacters(in: .newlines)
        #expect(digits.count == 64)
        #expect(bytes.range(of: Data(digits.utf8)) == nil)
        // The type is not sealed: without it nothing could be found.
        #expect(bytes.range(of: Data("mindful".utf8)) != nil)
        let mode = try FileManager.default.attributesOfItem(atPath: fixture.key.path)
        #expect(mode[.posixPermissions] as? Int == 0o600)
    }

    @Test func `two equal values have different sealed forms`() async throws {
        let store = try fixture.open()
        let sample = try Fixture.sample("heart-rate", 61, ago: 1)
        _ = try await store.save([sample, sample], by: nil)
        let queue = try DatabaseQueue(path: fixture.path)
        let forms = try await queue.read { try Data.fetchSet($0, sql: "SELECT sealed FROM object") }
        #expect(forms.count == 2)
    }

    @Test func `nothing can be read without the key, or with another one`() async throws {
        try await save()
        let kept = try String(contentsOfFile: fixture.key.path, encoding: .utf8)
        let other = String(repeating: "ab", count: 32)
        for content in [nil, other, "", "xyz", String(kept.dropFirst(2))] {
            if let content {
                try content.write(toFile: fixture.key.path, atomically: false, encoding: .utf8)
            } else {
                try FileManager.default.removeItem(atPath: fixture.key.path)
            }
            let store = try? fixture.open()
            #expect(store?.fault != nil || store == nil)
            #expect(
                await refusal { _ = try await store?.characteristic(.dateOfBirth) }
                    == (store == nil ? nil : .damaged))
            // A missing key is not replaced by a new one.
            #expect(FileManager.default.fileExists(atPath: fixture.key.path) == (content != nil))
            if content == nil {
                let isCreated = FileManager.default.createFile(
                    atPath: fixture.key.path, contents: Data(other.utf8),
                    attributes: [.posixPermissions: 0o600])
                #expect(isCreated)
            }
        }
        try kept.write(toFile: fixture.key.path, atomically: false, encoding: .utf8)
        let store = try fixture.open()
        #expect(try await store.characteristic(.dateOfBirth) == .text("1984-02-29"))
    }

    @Test func `a credential is used instead of the file, which is then not created`()
        async throws
    {
        let credential = "\(fixture.folder)/credential"
        try String(repeating: "0f", count: 32).write(
            toFile: credential, atomically: false, encoding: .utf8)
        let place = HealthKeyPlace(path: fixture.key.path, credential: credential)
        var store = try HealthStore(path: fixture.path, key: place)
        try await store.set(.dateOfBirth, to: .text("1984-02-29"))
        #expect(!FileManager.default.fileExists(atPath: fixture.key.path))
        store = try HealthStore(path: fixture.path, key: place)
        #expect(try await store.characteristic(.dateOfBirth) == .text("1984-02-29"))
        #expect(try fixture.open().fault?.code == .damaged)
    }

    @Test(arguments: [
        "start = start - 1", "creator = 'x'", "type = 'stand-hour'", "sealed = x'00'",
    ])
    func `a row that was changed is reported as damaged`(change: String) async throws {
        try await save()
        let queue = try DatabaseQueue(path: fixture.path)
        try await queue.write { try $0.execute(sql: "UPDATE object SET \(change), end = start") }
        try queue.close()
        let store = try fixture.open()
        #expect(store.fault == nil)
        var codes: Set<HealthError.Code?> = []
        for type in ["mindful", "stand-hour"] {
            codes.insert(
                await refusal {
                    _ = try await store.samples(
                        of: Fixture.type(type), HealthQuery(), in: .owner)
                })
        }
        #expect(codes.contains(.damaged))
    }

    @Test(arguments: [
        "", "not a database, but longer than a header of one hundred bytes is, so that",
    ])
    func `a damaged file stops the store alone`(content: String) async throws {
        try await save()
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: fixture.path + suffix)
        }
        try Data(content.utf8).write(to: URL(filePath: fixture.path))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: fixture.path)
        let store = try fixture.open()
        #expect(store.fault?.code == .damaged)
        #expect(store.fault?.hint?.contains("backup") == true)
    }

    @Test func `a file that others can read is refused`() async throws {
        try await save()
        for path in [fixture.path, fixture.key.path] {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            #expect(await refusal { _ = try fixture.open() } == .unsafeFile)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        #expect(try fixture.open().fault == nil)
    }

    @Test func `removed values are in no file`() async throws {
        let store = try fixture.open()
        _ = try await store.save([Fixture.sample("steps", 5, key: "marked-key")], by: nil)
        #expect(try fixture.bytes().range(of: Data("marked-key".utf8)) != nil)
        _ = try await store.removeAll(HealthFilter())
        #expect(try fixture.bytes().range(of: Data("marked-key".utf8)) == nil)
    }
}
