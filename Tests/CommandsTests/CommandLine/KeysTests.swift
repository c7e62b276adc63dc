import Foundation
import TestSupport
import Testing

/// Keys on the command line, and packages that are signed with them.
@Suite(.blocking)
struct KeysTests {
    @Test func `a key is created, listed, exported and removed without showing its secret`() throws
    {
        let sandbox = try Sandbox()
        let made = try sandbox.nervous("keys", "create", "home")
        #expect(made.code == 0)
        let key = made.output.trimmingCharacters(in: .newlines)
        #expect(key.wholeMatch(of: /nvpub_[0-9a-f]{70}/) != nil)
        for (file, mode) in [("keys", 0o700), ("keys/home", 0o600), ("keys/home.pub", 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: "\(sandbox.data)/\(file)")
            #expect(attributes[.posixPermissions] as? Int == mode, "\(file)")
        }
        let secret = try String(contentsOfFile: "\(sandbox.data)/keys/home", encoding: .utf8)
            .trimmingCharacters(in: .newlines)
        #expect(secret.hasPrefix("nvsec_"))
        let list = try sandbox.nervous("keys")
        #expect(list.output.contains("home  you    ed25519:"))
        let json = try sandbox.nervous("keys", "list", "--json")
        #expect(json.output.contains(#""key":"\#(key)""#))
        let exported = try sandbox.nervous("keys", "export", "home")
        #expect(exported.output == key + "\n")
        let unconfirmed = try sandbox.nervous("keys", "remove", "home")
        #expect(unconfirmed.code == 64)
        #expect(unconfirmed.errors.contains("--yes"))
        #expect(try sandbox.nervous("keys", "remove", "home", "--yes").code == 0)
        #expect(try sandbox.nervous("keys", "export", "home").code == 66)
        for call in [made, list, json, exported, unconfirmed] {
            #expect(!(call.output + call.errors).contains(secret.dropFirst(6)))
        }
    }

    private static let wrongWords: [([String], Int32)] = [
        (["keys", "create", "Not Kebab"], 64), (["keys", "create", "../x"], 64),
        (["keys", "create", "home"], 1), (["keys", "export", "none"], 66),
        (["keys", "remove", "none"], 66), (["keys", "name", "ann", "nvpub_00"], 65),
        (["keys", "name", "ann"], 64), (["pack", ".", "--sign", "none"], 66),
    ]

    @Test(arguments: wrongWords)
    func `invalid arguments of keys commands are reported with their exit code`(
        words: [String], code: Int32
    ) throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("keys", "create", "home").code == 0)
        let call = try sandbox.nervous(words)
        #expect(call.code == code)
        #expect(call.errors.hasPrefix("error: "))
    }

    @Test func `a key that others can open is not used`() throws {
        let sandbox = try Sandbox()
        let app = try AppFolder(sandbox)
        #expect(try sandbox.nervous("keys", "create", "home").code == 0)
        for (path, mode) in [("keys/home", mode_t(0o644)), ("keys", 0o755)] {
            chmod("\(sandbox.data)/\(path)", mode)
            let pack = try sandbox.nervous(
                "pack", app.path, "--sign", "home", "--output", sandbox.path("app.zip"))
            #expect(pack.code == 78)
            #expect(pack.errors.contains("chmod"))
            #expect(!FileManager.default.fileExists(atPath: sandbox.path("app.zip")))
            chmod("\(sandbox.data)/\(path)", path == "keys" ? 0o700 : 0o600)
        }
    }

    @Test func `a signed package shows its signer, by name if the owner gave one`() throws {
        let sandbox = try Sandbox()
        let author = try Sandbox()
        let app = try AppFolder(sandbox)
        let key = try author.nervous("keys", "create", "own").output
            .trimmingCharacters(in: .newlines)
        let file = sandbox.path("app.zip")
        let pack = try author.nervous("pack", app.path, "--sign", "own", "--output", file)
        #expect(pack.output.contains("signed by own ed25519:"))
        let install = try sandbox.nervous("install", file)
        #expect(install.code == 0)
        #expect(install.output.contains("It is signed by an unknown key ed25519:"))
        #expect(try sandbox.nervous("keys", "name", "ann", key).code == 0)
        #expect(try sandbox.nervous("apps").output.contains("my-app  1.0.0    ann ed25519:"))
        let json = try sandbox.nervous("apps", "--json").output
        #expect(json.contains(#""name":"ann""#))
        #expect(json.contains(#""key":"\#(key)""#))
        let plain = try AppFolder(sandbox, "plain")
        #expect(try sandbox.nervous("install", plain.path).code == 0)
        #expect(try sandbox.nervous("apps").output.contains("plain   1.0.0    unsigned"))
    }

    @Test func `signing the same files twice gives the same bytes`() throws {
        let sandbox = try Sandbox()
        let app = try AppFolder(sandbox)
        #expect(try sandbox.nervous("keys", "create", "home").code == 0)
        var packed: [Data] = []
        for file in ["a.zip", "b.zip"] {
            let path = sandbox.path(file)
            #expect(
                try sandbox.nervous("pack", app.path, "--sign", "home", "-o", path).code == 0)
            packed.append(try Data(contentsOf: URL(filePath: path)))
        }
        #expect(packed[0] == packed[1])
        #expect(try !app.files().keys.contains("my-app/signature.json"))
    }

    @Test func `a package that differs from the signed one is rejected and leaves nothing`() throws
    {
        let sandbox = try Sandbox()
        let app = try AppFolder(sandbox)
        #expect(try sandbox.nervous("keys", "create", "home").code == 0)
        let file = sandbox.path("app.zip")
        #expect(try sandbox.nervous("pack", app.path, "--sign", "home", "-o", file).code == 0)
        #expect(try sandbox.nervous("install", file).code == 0)
        let signature = try String(
            contentsOfFile: "\(sandbox.data)/apps/my-app/content/signature.json", encoding: .utf8)
        #expect(try sandbox.nervous("uninstall", "my-app").code == 0)
        var files = try app.files()
        files["my-app/signature.json"] = signature
        try ZipWriter.write(files, to: file)
        #expect(try sandbox.nervous("install", file).code == 0)
        #expect(try sandbox.nervous("uninstall", "my-app").code == 0)
        for change: (inout [String: String]) -> Void in [
            { $0["my-app/app.js"] = "console.log('other')" }, { $0["my-app/more.js"] = "" },
            { $0["my-app/signature.json"] = "{}" },
        ] {
            var changed = files
            change(&changed)
            try ZipWriter.write(changed, to: file)
            let install = try sandbox.nervous("install", file, "--json")
            #expect(install.code == 65)
            #expect(install.errors.contains(#""type":"bad-signature""#))
            #expect(sandbox.installedFiles.filter { !$0.hasPrefix(".") }.isEmpty)
        }
        // Packing a folder with the signature of another package is the same error.
        try app.write("signature.json", signature)
        try app.write("app.js", "console.log('other')")
        #expect(try sandbox.nervous("pack", app.path, "-o", file).code == 65)
        #expect(try sandbox.nervous("pack", app.path, "--sign", "home", "-o", file).code == 0)
    }
}
