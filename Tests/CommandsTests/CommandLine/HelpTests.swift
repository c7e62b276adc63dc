import Foundation
import Testing

/// What a newcomer sees who asks for help, and what a script sees who asks for JSON.
struct HelpTests {
    static let commands = [
        "new", "test", "trial", "record", "run", "install", "uninstall", "apps", "serve", "open",
        "sensors",
        "query", "analyze",
        "export", "import", "permissions", "log", "token", "pack", "keys", "status", "doctor",
        "storage", "forget", "sessions",
    ]

    @Test(arguments: commands)
    func `every command explains itself`(command: String) throws {
        let sandbox = try Sandbox()
        let help = try sandbox.nervous("help", command)
        #expect(help.code == 0)
        #expect(help.output.contains("OVERVIEW: "))
        #expect(help.output.contains("USAGE: nervous \(command)"))
    }

    @Test(arguments: [
        ["apps"], ["sensors"], ["query", "cpu"], ["query", "cpu", "--stats", "mean"],
        ["analyze", "trend", "load.load1"],
        ["permissions"], ["log"], ["token", "list"], ["status"], ["keys"],
        ["sensors", "set", "cpu", "low"], ["storage"], ["storage", "budget", "1GB"],
        ["storage", "set", "cpu", "--raw", "30d"], ["sessions"],
        ["sessions", "new", "x", "--sensor", "load"], ["storage", "reset", "cpu"],
    ])
    func `JSON is one document on standard output`(words: [String]) throws {
        let sandbox = try Sandbox()
        let call = try sandbox.nervous(words + ["--json"])
        #expect(call.code == 0)
        #expect(call.errors.isEmpty)
        #expect(throws: Never.self) {
            try JSONSerialization.jsonObject(with: Data(call.output.utf8))
        }
    }

    @Test func `the data directory is the owner's alone`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("apps").code == 0)
        let manager = FileManager.default
        func mode(_ path: String) throws -> Int? {
            try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(sandbox.data) == 0o700)
        for file in ["samples.sqlite", "permissions.sqlite", "sessions.sqlite", "host.lock"] {
            #expect(try mode("\(sandbox.data)/\(file)") == 0o600)
        }
    }

    @Test func `shells can complete the commands`() throws {
        let sandbox = try Sandbox()
        for shell in ["bash", "zsh", "fish"] {
            let script = try sandbox.nervous("--generate-completion-script", shell)
            #expect(script.code == 0)
            #expect(script.output.contains("permissions"))
        }
    }
}
