import Foundation
import Glibc
import Testing

@testable import JSApps

@Suite struct KeyFolderTests {
    private let folder: TemporaryFolder
    private let keys: KeyFolder

    init() throws {
        folder = try TemporaryFolder()
        keys = KeyFolder(data: folder.url.path(percentEncoded: false) + "/data")
    }

    private func path(_ name: String) -> String {
        folder.url.path(percentEncoded: false) + "/data/keys" + (name.isEmpty ? "" : "/\(name)")
    }

    private func code<T>(_ body: () throws(JSAppsError) -> T) -> JSAppsError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `a key is accessible to its owner only and signs what its public half verifies`()
        throws
    {
        let made = try keys.create("home")
        for (name, mode) in [("", 0o700), ("home", 0o600), ("home.pub", 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
            #expect(attributes[.posixPermissions] as? Int == mode, "\(name)")
        }
        let key = try keys.signingKey("home")
        #expect(key.signer == made.key)
        let signature = try key.signature(of: [1, 2, 3])
        #expect(made.key.verifies(signature, of: [1, 2, 3]))
        #expect(!made.key.verifies(signature, of: [1, 2]))
        #expect(try keys.keys() == [NamedKey(name: "home", key: made.key, isOwn: true)])
    }

    @Test func `a private key is not printed`() throws {
        _ = try keys.create("home")
        let key = try keys.signingKey("home")
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(!text.contains("nvsec_"))
            #expect(!text.contains(key.text.dropFirst(6).prefix(16)))
        }
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o601])
    func `keys that others can open are refused`(mode: mode_t) throws {
        _ = try keys.create("home")
        #expect(chmod(path("home"), mode) == 0)
        #expect(code { () throws(JSAppsError) in try keys.signingKey("home") } == .unsafeKeys)
        #expect(chmod(path("home"), 0o600) == 0 && chmod(path("home.pub"), mode) == 0)
        #expect(code { () throws(JSAppsError) in try keys.keys() } == .unsafeKeys)
        #expect(chmod(path("home.pub"), 0o600) == 0 && chmod(path(""), mode | 0o100) == 0)
        #expect(code { () throws(JSAppsError) in try keys.signingKey("home") } == .unsafeKeys)
        #expect(code { () throws(JSAppsError) in try keys.create("other") } == .unsafeKeys)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
    func `keys of another user are refused`() throws {
        _ = try keys.create("home")
        #expect(chown(path("home"), 65_534, 65_534) == 0)
        #expect(code { () throws(JSAppsError) in try keys.signingKey("home") } == .unsafeKeys)
        #expect(chown(path(""), 65_534, 65_534) == 0)
        #expect(code { () throws(JSAppsError) in try keys.keys() } == .unsafeKeys)
    }

    @Test func `a link in place of a key is not followed`() throws {
        _ = try keys.create("home")
        try FileManager.default.createSymbolicLink(
            atPath: path("linked"), withDestinationPath: "home")
        #expect(code { () throws(JSAppsError) in try keys.signingKey("linked") } == .io)
    }

    @Test func `each key has one name`() throws {
        let home = try keys.create("home")
        let other = try KeyFolder(data: folder.url.path(percentEncoded: false) + "/else").create(
            "a")
        #expect(code { () throws(JSAppsError) in try keys.create("home") } == .keyExists)
        let ann = try keys.name("ann", other.key.text)
        #expect(try keys.keys().map(\.name) == ["ann", "home"])
        #expect(try keys.keys().map(\.isOwn) == [false, true])
        #expect(try keys.key("ann") == ann)
        for text in [other.key.text, home.key.text] {
            let code = code { () throws(JSAppsError) in try keys.name("again", text) }
            #expect(code == .keyExists)
        }
        try keys.remove("ann")
        #expect(code { () throws(JSAppsError) in try keys.remove("ann") } == .noSuchKey)
        #expect(code { () throws(JSAppsError) in try keys.signingKey("ann") } == .noSuchKey)
        for name in ["", "..", "../data", "Home", "a/b", "home.pub", ".new-1"] {
            #expect(code { () throws(JSAppsError) in try keys.create(name) } == .badKey)
            #expect(code { () throws(JSAppsError) in try keys.signingKey(name) } == .noSuchKey)
            #expect(code { () throws(JSAppsError) in try keys.remove(name) } == .noSuchKey)
        }
    }

    @Test func `a private key that was restored from a backup is complete`() throws {
        let made = try keys.create("home")
        try FileManager.default.removeItem(atPath: path("home.pub"))
        #expect(try keys.keys() == [made])
        let other = try SigningKey(SignedPackage.secret).signer
        for code in [
            code { () throws(JSAppsError) in try keys.create("home") },
            code { () throws(JSAppsError) in try keys.name("home", other.text) },
        ] {
            #expect(code == .keyExists)
        }
        #expect(try keys.keys() == [made])
    }

    @Test(arguments: ["home", "home.pub"])
    func `a damaged key is reported and can be removed`(file: String) throws {
        _ = try keys.create("home")
        try FileManager.default.removeItem(atPath: path(file))
        try folder.write("data/keys/\(file)", "nvsec_00\n")
        #expect(chmod(path(file), 0o600) == 0)
        let code = code { () throws(JSAppsError) in
            _ = try keys.keys()
            _ = try keys.signingKey("home")
        }
        #expect(code == .badKey)
        #expect(try keys.isOwn("home"))
        try keys.remove("home")
        #expect(try keys.keys().isEmpty && !keys.isOwn("home"))
    }

    @Test func `an invalid public key cannot be named`() throws {
        let text = try SigningKey(SignedPackage.secret).signer.text
        let wrong = [
            "", "nvpub_", String(text.dropLast()), text + "0", text.uppercased(),
            text.replacingOccurrences(of: "03a1", with: "03a3"), SignedPackage.secret,
            "nvpub_" + SignedPackage.secret.dropFirst(6),
        ]
        for text in wrong {
            let code = code { () throws(JSAppsError) in try keys.name("ann", text) }
            #expect(code == .badKey, "\(text)")
        }
        #expect(try keys.keys().isEmpty)
    }
}
