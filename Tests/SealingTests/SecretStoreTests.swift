import Foundation
import TestSupport
import Testing

@testable import Sealing

@Suite(.blocking)
struct SecretStoreTests {
    private static let isLong = ProcessInfo.processInfo.environment["NERVOUS_LONG_TESTS"] == "1"
    private static let costs = Argon2idCosts(memory: 64, passes: 1, lanes: 1)

    private let folder: TestFolder
    private let lock: OwnerLock
    private let secrets: SecretStore
    private let key: SecretName

    init() async throws {
        folder = try TestFolder()
        lock = OwnerLock(folder: folder.path, costs: Self.costs)
        try await lock.setUp(Passphrase("correct horse battery"), .init())
        secrets = SecretStore(folder: folder.path, lock: lock)
        key = try #require(SecretName("api-key"))
    }

    private func reopened() -> SecretStore { SecretStore(folder: folder.path, lock: lock) }

    private func value(_ store: SecretStore, _ holder: SecretHolder) throws -> String? {
        try store.value(key, of: holder).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test func `a secret of the owner's key is usable while that is unlocked only`() throws {
        try secrets.set("Bearer x", key, of: .app("weather"), keptBy: .owner)
        #expect(try value(reopened(), .app("weather")) == "Bearer x")
        #expect(try value(reopened(), .app("other")) == nil)
        lock.lock()
        #expect(code { try secrets.value(key, of: .app("weather")) } == .locked)
        // Setting needs no unlocking, and a missing one is not hidden by the lock.
        try secrets.set("Bearer y", key, of: .app("weather"), keptBy: .owner)
        #expect(try value(secrets, .app("other")) == nil)
        #expect(try folder.mode(SecretStore.name) == 0o600)
    }

    @Test func `a secret of the host's key is usable while locked, and its key ends with the last`()
        throws
    {
        let other = try #require(SecretName("other"))
        try secrets.set("a", key, of: .source("mqtt"), keptBy: .host)
        try secrets.set("b", other, of: .source("mqtt"), keptBy: .host)
        lock.lock()
        #expect(try value(reopened(), .source("mqtt")) == "a")
        #expect(try folder.mode(SecretStore.hostKeyName) == 0o600)
        try secrets.remove(key, of: .source("mqtt"))
        #expect(try folder.names.contains(SecretStore.hostKeyName))
        try secrets.remove(other, of: .source("mqtt"))
        #expect(try !folder.names.contains(SecretStore.hostKeyName))
    }

    @Test func `a credential of the service takes the place of the host's key in a file`() throws {
        try folder.write(String(repeating: "0123456789abcdef", count: 4), to: "credential")
        let store = SecretStore(
            folder: folder.path, lock: lock, credential: folder.path("credential"))
        try store.set("a", key, of: .source("mqtt"), keptBy: .host)
        #expect(try !folder.names.contains(SecretStore.hostKeyName))
        #expect(try value(store, .source("mqtt")) == "a")
        #expect(code { try reopened().value(key, of: .source("mqtt")) } == .damaged)
    }

    @Test func `a secret that was moved to another name or holder is not opened`() throws {
        for keeper in SecretStore.Keeper.allCases {
            try secrets.set("a", key, of: .app("weather"), keptBy: keeper)
            let text = String(decoding: try folder.content(SecretStore.name), as: UTF8.self)
            try folder.write(
                text.replacing("app:weather", with: "app:stealer"), to: SecretStore.name)
            #expect(code { try reopened().value(key, of: .app("stealer")) } == .damaged)
        }
    }

    @Test(arguments: ["", "a\nb", "a\u{0}", "a\u{7F}", String(repeating: "a", count: 4097)])
    func `an unsuitable value is refused, and changes nothing`(text: String) throws {
        try secrets.set("before", key, of: .app("a"), keptBy: .owner)
        #expect(
            code { try secrets.set(text, key, of: .app("a"), keptBy: .owner) } == .invalidSecret)
        #expect(try value(secrets, .app("a")) == "before")
    }

    @Test func `a damaged file is reported and never replaced`() throws {
        try folder.write("{}", to: SecretStore.name)
        let store = reopened()
        #expect(store.fault?.code == .damaged)
        #expect(code { try store.set("a", key, of: .app("a"), keptBy: .owner) } == .damaged)
        #expect(try folder.content(SecretStore.name) == Array("{}".utf8))
    }

    @Test(arguments: [
        ("api-key", true), ("a", true), ("a1", true), ("", false), ("A", false), ("-a", false),
        ("a-", false), ("1a", false), ("a.b", false), ("a:b", false), ("ä", false),
        (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false),
    ])
    func `names are kebab-case`(text: String, isName: Bool) {
        #expect((SecretName(text) != nil) == isName)
    }

    @Test(arguments: ["app:weather", "source:mqtt", "source:weather.balcony"])
    func `a holder is read as it is written`(text: String) {
        #expect(SecretHolder(text)?.description == text)
        #expect(SecretHolder(text.uppercased()) == nil)
        #expect(SecretHolder(String(text.prefix { $0 != ":" }) + ":") == nil)
    }

    /// Every change of a random sequence is compared with a dictionary, before and after reopening.
    @Test(arguments: 0..<20)
    func `random changes leave what a dictionary has, and no value in any file`(seed: Int) throws {
        var generator = SplitMix(state: UInt64(seed))
        let holders: [SecretHolder] = [.app("a"), .app("b"), .source("a"), .source("b.c")]
        let names = try ["x", "y"].map { try #require(SecretName($0)) }
        var expected: [String: String] = [:]
        var used: [String] = []
        for step in 0..<40 {
            let holder = try #require(holders.randomElement(using: &generator))
            let name = try #require(names.randomElement(using: &generator))
            switch Int.random(in: 0..<5, using: &generator) {
            case 0:
                let existed = try secrets.remove(name, of: holder)
                #expect(existed == (expected.removeValue(forKey: "\(holder)/\(name)") != nil))
            case 1 where step % 5 == 0:
                try secrets.removeAll(of: holder)
                expected = expected.filter { !$0.key.hasPrefix("\(holder)/") }
            default:
                let text =
                    "plain-\(seed)-\(step)-\(UInt64.random(in: 0 ... .max, using: &generator))"
                let keeper: SecretStore.Keeper = Bool.random(using: &generator) ? .owner : .host
                try secrets.set(text, name, of: holder, keptBy: keeper)
                expected["\(holder)/\(name)"] = text
                used.append(text)
            }
        }
        for store in [secrets, reopened()] {
            #expect(store.entries.count == expected.count)
            for entry in store.entries {
                let bytes = try store.value(entry.name, of: entry.holder)?.bytes
                #expect(
                    bytes.map { String(decoding: $0, as: UTF8.self) }
                        == expected["\(entry.holder)/\(entry.name)"])
            }
        }
        try expectNoPlaintext(of: used + ["correct horse battery"])
    }

    @Test
    func `a host that is killed while it changes secrets and passphrases loses and leaks none`()
        async throws
    {
        let folder = try TestFolder()
        var (last, attempts) = (0, 0)
        for cycle in 0..<(Self.isLong ? 100 : 10) {
            let program = try Program(
                BuiltProgram.path("secret-writer"), [folder.path, String(last)], output: .pipe,
                errors: .inherited)
            let count = 2 + cycle * 7 % 11
            var bytes = try program.read { $0.count(where: { $0 == 0x0A }) >= count }
            // At another place of the next round each time.
            usleep(UInt32(cycle * 137 % 1500))
            program.signal(SIGKILL)
            bytes += try program.readToEnd()
            _ = try await program.wait()
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            try #require(lines.first == "open")
            #expect(!lines.contains { $0.hasPrefix("error") }, "\(lines)")
            let acknowledged = lines.compactMap { Int($0) }.max() ?? last
            last = try await check(folder, atLeast: acknowledged)
            attempts += 1
        }
        #expect(last > attempts)
    }

    /// Checks what a killed host left.
    ///
    /// - Returns: the number whose passphrase unlocks the key.
    private func check(_ folder: TestFolder, atLeast acknowledged: Int) async throws -> Int {
        try expectNoPlaintext(of: ["known-plaintext"], in: folder)
        let lock = OwnerLock(folder: folder.path, costs: Self.costs)
        try #require(lock.fault == nil)
        var opened: Int?
        for number in [acknowledged + 1, acknowledged] where opened == nil {
            let passphrase = try Passphrase("known-plaintext passphrase \(number)")
            if (try? await lock.unlock(with: .passphrase(passphrase))) != nil { opened = number }
        }
        let number = try #require(opened)
        let secrets = SecretStore(folder: folder.path, lock: lock)
        try #require(secrets.fault == nil)
        for entry in secrets.entries {
            let bytes = try #require(try secrets.value(entry.name, of: entry.holder)).bytes
            let value = String(decoding: bytes, as: UTF8.self)
            let written = try #require(Int(value.split(separator: " ").last ?? ""))
            #expect((acknowledged...acknowledged + 1).contains(written))
        }
        #expect(acknowledged == 0 || secrets.entries.count >= 2)
        return number
    }

    /// Searches every file of a folder for texts, as they are, in Base64 and in hexadecimal.
    private func expectNoPlaintext(of texts: [String], in folder: TestFolder? = nil) throws {
        let folder = folder ?? self.folder
        for name in try folder.names {
            let content = Data(try folder.content(name))
            for text in texts {
                let bytes = Array(text.utf8)
                let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                for form in [
                    Data(bytes), Data(Data(bytes).base64EncodedString().prefix(8).utf8),
                    Data(digits.joined().utf8),
                ] {
                    #expect(content.range(of: form) == nil, "\(name)")
                }
            }
        }
    }
}
