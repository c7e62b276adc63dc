import Foundation
import TestSupport
import Testing
import Text

@testable import Sealing

@Suite(.blocking)
struct OwnerKeyFileTests {
    /// The smallest costs, so that tests are quick.
    private static let costs = Argon2idCosts(memory: 64, passes: 1, lanes: 1)

    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private func create(
        _ passphrase: String = "correct horse battery", recovery: AgeRecipient? = nil,
        credential: SecretBytes? = nil
    ) throws -> (file: OwnerKeyFile, key: OwnerKey) {
        try OwnerKeyFile.create(
            in: folder.path, passphrase: Passphrase(passphrase), recovery: recovery,
            credential: credential, costs: Self.costs)
    }

    @Test func `the passphrase opens the key after it was read again, another one does not`()
        throws
    {
        let (_, key) = try create()
        let file = try #require(try OwnerKeyFile(in: folder.path))
        #expect(file.publicKey == key.publicKey)
        #expect(try folder.mode(OwnerKeyFile.name) == 0o600)
        let opened = try file.unlock(with: Passphrase("correct horse battery"))
        #expect(opened.bytes.bytes == key.bytes.bytes)
        for wrong in ["correct horse batter", "Correct horse battery", "x"] {
            #expect(code { try file.unlock(with: Passphrase(wrong)) } == .wrongPassphrase)
        }
        #expect(code { try create() } == .alreadySetUp)
    }

    @Test func `composed and decomposed characters are the same passphrase`() throws {
        let (file, key) = try create("Zürich caf\u{E9} au lait")
        let opened = try file.unlock(with: Passphrase("Zu\u{308}rich cafe\u{301} au lait"))
        #expect(opened.publicKey == key.publicKey)
    }

    @Test(arguments: ["", "eleven char", "twelve\u{0}chars", String(repeating: "a", count: 1025)])
    func `an unsuitable passphrase creates no key`(text: String) throws {
        #expect(code { try create(text) } == .unsuitablePassphrase)
        #expect(try folder.names == [])
    }

    @Test func `a changed passphrase opens what was sealed before, and the old one nothing`() throws
    {
        var (file, key) = try create()
        let sealed = try key.publicKey.seal(Array("value".utf8), for: .secret, at: "a")
        try file.change(to: Passphrase("another passphrase"), key: key, costs: Self.costs)
        let read = try #require(try OwnerKeyFile(in: folder.path))
        #expect(
            code { try read.unlock(with: Passphrase("correct horse battery")) }
                == .wrongPassphrase)
        let opened = try read.unlock(with: Passphrase("another passphrase"))
        #expect(try opened.open(sealed, for: .secret, at: "a").bytes == Array("value".utf8))
        #expect(
            code { try file.change(to: Passphrase("short"), key: key) } == .unsuitablePassphrase)
        #expect(throws: Never.self) { try file.unlock(with: Passphrase("another passphrase")) }
    }

    @Test func `an identity of age and its decrypted file recover the key`() throws {
        let identity = try AgeIdentity()
        let (file, key) = try create(recovery: identity.recipient)
        #expect(file.recovery == identity.recipient)
        let again = try AgeIdentity(file: "# created: today\n\n\(identity.text)\n")
        let plain = try AgeFile.decrypt(folder.content(OwnerKeyFile.recoveryName), with: again)
        let line = String(decoding: plain.bytes, as: UTF8.self)
        #expect(try file.unlock(withRecovered: line).publicKey == key.publicKey)
        let stranger = try AgeIdentity()
        #expect(
            code {
                try AgeFile.decrypt(folder.content(OwnerKeyFile.recoveryName), with: stranger)
            } == .wrongRecovery)
        #expect(code { try file.unlock(withRecovered: "something") } == .invalidRecovery)
    }

    @Test func `the recovered key of another data directory is refused`() throws {
        let (file, _) = try create()
        let other = try TestFolder()
        let identity = try AgeIdentity()
        _ = try OwnerKeyFile.create(
            in: other.path, passphrase: Passphrase("correct horse battery"),
            recovery: identity.recipient, costs: Self.costs)
        let plain = try AgeFile.decrypt(other.content(OwnerKeyFile.recoveryName), with: identity)
        let line = String(decoding: plain.bytes, as: UTF8.self)
        #expect(code { try file.unlock(withRecovered: line) } == .wrongRecovery)
    }

    @Test func `a credential opens the key while it is set up`() throws {
        let credential = try SecretBytes(copying: (0..<32).map { $0 })
        var (file, key) = try create(credential: credential)
        #expect(try file.unlock(withCredential: credential).publicKey == key.publicKey)
        let other = try SecretBytes(randomCount: 32)
        #expect(code { try file.unlock(withCredential: other) } == .unavailableMethod)
        try file.setCredential(nil, key: key)
        #expect(code { try file.unlock(withCredential: credential) } == .unavailableMethod)
        let short = try SecretBytes(randomCount: 31)
        #expect(code { try file.setCredential(short, key: key) } == .unavailableMethod)
    }

    @Test func `a removed recovery key leaves no recovery file`() throws {
        var (file, key) = try create(recovery: AgeIdentity().recipient)
        try file.setRecovery(nil, key: key)
        #expect(try folder.names == [OwnerKeyFile.name])
        #expect(try OwnerKeyFile(in: folder.path)?.recovery == nil)
    }

    @Test func `neither file contains the private key in any form`() throws {
        let (_, key) = try create(recovery: AgeIdentity().recipient)
        let bytes = key.bytes.bytes
        for name in try folder.names {
            let content = Data(try folder.content(name))
            for form in [
                Data(bytes), Data(Data(bytes).base64EncodedString().utf8),
                Data(bytes.hexadecimal.utf8), Data("correct horse".utf8),
            ] {
                #expect(content.range(of: form) == nil, "\(name)")
            }
        }
    }

    @Test func `changed bytes of the file never open another key`() throws {
        let (_, key) = try create()
        let original = try folder.content(OwnerKeyFile.name)
        var refused = 0
        for index in original.indices {
            var bytes = original
            bytes[index] ^= 1
            try folder.write(
                String(decoding: bytes, as: UTF8.self), to: OwnerKeyFile.name)
            do {
                let file = try OwnerKeyFile(in: folder.path)
                let opened = try file?.unlock(with: Passphrase("correct horse battery"))
                // Only what has no meaning was changed, such as a space.
                #expect(opened?.publicKey == key.publicKey)
            } catch {
                refused += 1
            }
        }
        #expect(refused > original.count / 2)
    }

    @Test func `costs that would exhaust the machine are refused`() throws {
        for costs in [
            Argon2idCosts(memory: .max, passes: 1, lanes: 1),
            Argon2idCosts(memory: 64, passes: .max, lanes: 1),
            Argon2idCosts(memory: 64, passes: 1, lanes: 65),
            Argon2idCosts(memory: 7, passes: 1, lanes: 1),
            Argon2idCosts(memory: 0, passes: 0, lanes: 0),
        ] {
            let passphrase = try SecretBytes(copying: [1])
            let salt = [UInt8](repeating: 0, count: 16)
            #expect(
                code { try Argon2id.key(from: passphrase, salt: salt, costs: costs) } == .damaged)
        }
    }
}
