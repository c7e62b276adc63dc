import Auth
import Foundation
import TestSupport
import Testing

/// Packages and tokens with the name of the owner, of the host or of a word of the command line.
@Suite(.blocking)
struct ReservedNameTests {
    private static let commands = [
        ["apps"], ["status"], ["sensors"], ["log"], ["log", "owner"], ["permissions"],
        ["token", "list"], ["storage"], ["sessions"], ["outbox"],
    ]

    /// Every command still reaches the host as the owner.
    private func checkCommands(_ sandbox: Sandbox, after name: String) throws {
        for words in Self.commands {
            let call = try sandbox.nervous(words)
            #expect(call.code == 0, "\(words) after \(name): \(call.errors)")
        }
    }

    @Test func `reserved names are rejected, and the owner's commands still work`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        for name in ReservedNames.all {
            let zip = sandbox.path("\(name).zip")
            try Data(sandbox.package(name)).write(to: URL(filePath: zip))
            let install = try sandbox.nervous("install", zip)
            #expect(install.code != 0, "\(name)")
            #expect(install.errors.contains("reserved"), "\(name): \(install.errors)")

            let token = try sandbox.nervous("token", "create", name, "--owner")
            #expect(token.code != 0, "\(name)")
            #expect(!token.output.contains("nvs_"))
        }
        for name in ["owner", "host", "this-host"] {
            let published = sandbox.path("\(name)-published.zip")
            try ZipWriter.write(
                [
                    "x/package.json": #"{"name":"\#(name.capitalized)","version":"1.0.0"}"#,
                    "x/axon.html": "", "x/axon.js": "",
                ], to: published)
            let other = try sandbox.nervous("install", published)
            #expect(other.code != 0, "\(name)")
            #expect(other.errors.contains("reserved"), "\(name): \(other.errors)")
        }
        try checkCommands(sandbox, after: "all")
        #expect(try sandbox.nervous("uninstall", "owner").code != 0)
        #expect(try sandbox.nervous("token", "revoke", "owner").code != 0)
        try checkCommands(sandbox, after: "uninstalling the owner")
        #expect(try sandbox.curl(host.url("/api/v1/apps")).status == 401)
    }

    @Test func `names that resemble reserved ones are accepted`() throws {
        let sandbox = try Sandbox()
        _ = try ServingHost(sandbox)
        for name in ["my-owner", "owners", "hostess", "apis"] {
            let zip = sandbox.path("\(name).zip")
            try Data(sandbox.package(name)).write(to: URL(filePath: zip))
            #expect(try sandbox.nervous("install", zip).code == 0)
            #expect(try sandbox.nervous("token", "create", "\(name)-token").code == 0)
            try checkCommands(sandbox, after: name)
        }
        let log = try sandbox.nervous("log").output
        for name in ["my-owner", "owners", "hostess", "apis"] { #expect(log.contains(name)) }
    }
}
