import API
import Foundation
import TestSupport
import Testing

/// The owner's key and secrets with the built program.
@Suite(.blocking)
struct LockingTests {
    private static let passphrase = "correct horse battery"
    private static let value = "s3cr3t-known-plaintext"

    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try Self.passphrase.write(
            toFile: sandbox.path("passphrase"), atomically: true, encoding: .utf8)
        try "a wrong passphrase".write(
            toFile: sandbox.path("wrong"), atomically: true, encoding: .utf8)
    }

    private func setUp() throws {
        let made = try sandbox.nervous(
            "lock", "setup", "--new-recovery-key", "--passphrase-file",
            sandbox.path("passphrase"))
        #expect(made.code == 0, "\(made.errors)")
        #expect(made.output.contains("AGE-SECRET-KEY-1"))
        try made.output.write(
            toFile: sandbox.path("recovery"), atomically: true, encoding: .utf8)
    }

    private func status() throws -> LockDescription {
        let call = try sandbox.nervous("lock", "status", "--json")
        return try JSONDecoder().decode(LockDescription.self, from: Data(call.output.utf8))
    }

    /// The files of the sandbox that contain a text, other than those with passphrases that the test wrote.
    private func files(with text: String) -> [String] {
        let bytes = Data(text.utf8)
        return (FileManager.default.subpaths(atPath: sandbox.root) ?? []).filter { name in
            name != "passphrase"
                && FileManager.default.contents(atPath: sandbox.path(name))?.range(of: bytes)
                    != nil
        }
    }

    @Test func `the key is unlocked in the running host, and locked with the dashboard`() throws {
        try setUp()
        let alone = try sandbox.nervous(
            "unlock", "--passphrase-file", sandbox.path("passphrase"))
        #expect(alone.code == 69)
        #expect(alone.errors.contains("nervous serve"))
        let host = try ServingHost(sandbox)
        #expect(try status().state == "locked")
        let wrong = try sandbox.nervous("unlock", "--passphrase-file", sandbox.path("wrong"))
        #expect(wrong.code == 77)
        #expect(try status().wrongAttempts == 1)
        let right = try sandbox.nervous("unlock", "--passphrase-file", sandbox.path("passphrase"))
        #expect(right.code == 0, "\(right.errors)")
        let unlocked = try status()
        #expect(unlocked.state == "unlocked" && unlocked.wrongAttempts == 0)
        #expect(unlocked.lease == 120)
        #expect(unlocked.methods == ["passphrase", "recovery"])
        let lease = try sandbox.nervous("lock", "lease", "1h")
        #expect(lease.code == 0, "\(lease.errors)")
        let locking = try sandbox.nervous("lock")
        #expect(locking.output == "The dashboard was not open.\nLocked the key.\n")
        #expect(try status().state == "locked")
        #expect(try status().lease == 3600)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `the recovery key replaces a forgotten passphrase`() throws {
        try setUp()
        try "another passphrase".write(
            toFile: sandbox.path("next"), atomically: true, encoding: .utf8)
        let recovered = try sandbox.nervous(
            "lock", "recover", "--identity", sandbox.path("recovery"), "--new-passphrase-file",
            sandbox.path("next"))
        #expect(recovered.code == 0, "\(recovered.errors)")
        let host = try ServingHost(sandbox)
        #expect(
            try sandbox.nervous("unlock", "--passphrase-file", sandbox.path("passphrase")).code
                == 77)
        #expect(
            try sandbox.nervous("unlock", "--passphrase-file", sandbox.path("next")).code == 0)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `no file, backup or log contains a secret or a passphrase`() throws {
        try setUp()
        let host = try ServingHost(sandbox, errors: sandbox.path("log"))
        for (words, keeper) in [([], "owner"), (["--while-locked"], "host")] {
            let set = try Program(
                Binary.nervous,
                ["secrets", "set", keeper, "--source", "mqtt"] + words,
                environment: sandbox.environment, input: .text(Self.value + "\n"))
            #expect(try set.wait() == 0)
        }
        let list = try sandbox.nervous("secrets")
        #expect(list.output.contains("while unlocked"))
        #expect(list.output.contains("always (weaker: host key)"))
        #expect(try sandbox.nervous("doctor", "lock").output.contains("host of source:mqtt"))
        let backup = sandbox.path("backup.tar")
        #expect(try sandbox.nervous("backup", backup).code == 0)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
        #expect(files(with: Self.value) == [])
        #expect(files(with: Self.passphrase) == [])
        // Without the host's key, a backup does not open what the host keeps.
        let names = try #require(FileManager.default.contents(atPath: backup))
        #expect(names.range(of: Data("data/secrets.json".utf8)) != nil)
        #expect(names.range(of: Data("secrets-host.key".utf8)) == nil)
        let removed = try sandbox.nervous("secrets", "remove", "host", "--source", "mqtt")
        #expect(removed.code == 0, "\(removed.errors)")
        #expect(
            !FileManager.default.fileExists(atPath: "\(sandbox.data)/secrets-host.key"))
    }

    @Test func `what is typed at the terminal is not shown, and must be typed twice`() throws {
        for (second, code) in [("another horse battery", 64), (Self.passphrase, 0)] {
            let terminal = try sandbox.terminal("lock", "setup")
            try terminal.await("New passphrase: ")
            terminal.type(Self.passphrase + "\r")
            try terminal.await("The same again: ")
            terminal.type(second + "\r")
            #expect(try terminal.finish() == code)
            #expect(!terminal.text.contains("horse"))
        }
        #expect(try status().state == "locked")
    }

    @Test func `a passphrase and a value are never arguments`() throws {
        for words in [
            ["lock", "setup", "--passphrase", Self.passphrase], ["unlock", Self.passphrase],
            ["secrets", "set", "a", Self.value, "--app", "b"],
        ] {
            #expect(try sandbox.nervous(words).code == 64)
        }
    }
}
