import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import Commands

/// The help of every command, and the JSON that scripts get.
@Suite(.blocking)
struct HelpTests {
    static let commands = NervousCommand.configuration.subcommands.compactMap {
        $0.configuration.commandName
    }

    /// The help texts of all commands and subcommands, each after its command line.
    private static func allHelp(
        _ command: any ParsableCommand.Type = NervousCommand.self, _ words: String = "nervous"
    ) -> String {
        let help = NervousCommand.helpMessage(for: command, columns: 80)
        let subcommands = command.configuration.subcommands.map { subcommand in
            allHelp(subcommand, "\(words) \(subcommand._commandName)")
        }
        return "$ \(words) --help\n\(help)\n\n" + subcommands.joined()
    }

    /// The snapshot is recorded when it is missing: remove it to record a change on purpose.
    @Test func `the help of all commands equals the snapshot`() throws {
        let folder = Binary.repository + "/Tests/CommandsTests/Snapshots"
        let file = "\(folder)/help.txt"
        let help = Self.allHelp()
        guard FileManager.default.fileExists(atPath: file) else {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            try help.write(toFile: file, atomically: true, encoding: .utf8)
            Issue.record("The snapshot was missing and is recorded now: review it.")
            return
        }
        let expected = try String(contentsOfFile: file, encoding: .utf8)
        let difference = help.split(separator: "\n").difference(
            from: expected.split(separator: "\n"))
        #expect(help == expected, "\(difference)")
    }

    @Test(arguments: [
        ["query"], ["query", "cpu", "--stat", "mean"], ["query", "cpu", "--limit", "many"],
        ["query", "cpu", "--last", "1h", "--from", "-2h"], ["sensrs"], ["export"], ["forget"],
        ["sessions", "export", "--format", "gpx"], ["permissions", "remove", "a", "b"],
        ["serve", "--port", "99999"], ["uninstal", "x"], ["token", "create"],
    ])
    func `a usage error is an object with --json, with the same code and words`(
        words: [String]
    ) throws {
        struct Failure: Decodable {
            let error: String
            let hint: String?
        }
        let sandbox = try Sandbox()
        let plain = try sandbox.nervous(words)
        let call = try sandbox.nervous(words + ["--json"])
        #expect(call.code == 64 && plain.code == 64)
        #expect(call.output.isEmpty)
        let failure = try JSONDecoder().decode(Failure.self, from: Data(call.errors.utf8))
        #expect(!failure.error.isEmpty)
        #expect(!failure.error.hasPrefix("Error"))
        #expect(failure.hint?.hasPrefix("Usage: nervous") == true, "\(call.errors)")
        #expect(plain.errors.hasPrefix("error: "))
    }

    @Test(arguments: commands)
    func `every command has help`(command: String) throws {
        let sandbox = try Sandbox()
        let help = try sandbox.nervous("help", command)
        #expect(help.code == 0)
        #expect(help.output.contains("OVERVIEW: "))
        #expect(help.output.contains("USAGE: nervous \(command)"))
        #expect(!help.output.contains("--proc-root"))
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

    @Test func `the data directory is accessible to its owner only`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("apps").code == 0)
        let manager = FileManager.default
        func mode(_ path: String) throws -> Int? {
            try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(sandbox.data) == 0o700)
        for file in [
            "samples.sqlite", "permissions.sqlite", "sessions.sqlite", "health.sqlite",
            "health.key", "host.lock",
        ] {
            #expect(try mode("\(sandbox.data)/\(file)") == 0o600)
        }
    }

    @Test(arguments: [
        (["sensrs"], "sensrs", "sensors"), (["sesnors"], "sesnors", "sensors"),
        (["instal", "x"], "instal", "install"), (["perm"], "perm", "permissions"),
        (["uninst", "x"], "uninst", "uninstall"), (["Run", "x"], "Run", "run"),
        (["sensors", "instal", "x"], "sensors instal", "sensors install"),
        (["sensors", "pack"], "sensors pack", "sensors packs"),
        (["permissions", "gran", "a", "b"], "permissions gran", "permissions grant"),
        (["permissions", "alow", "a", "b"], "permissions alow", "permissions grant"),
        (["token", "creat", "a"], "token creat", "token create"),
        (["grant", "a", "b"], "grant", "permissions grant"),
    ])
    func `a mistyped command is answered with the nearest one`(
        words: [String], unknown: String, nearest: String
    ) throws {
        let sandbox = try Sandbox()
        let message = "Unknown command '\(unknown)'. Did you mean '\(nearest)'?"
        let call = try sandbox.nervous(words)
        #expect(call.code == 64)
        #expect(call.output.isEmpty)
        let lines = call.errors.split(separator: "\n")
        #expect(lines.first == "error: \(message)")
        #expect(lines.last?.hasPrefix("  See 'nervous") == true)
        let json = try sandbox.nervous(words + ["--json"])
        #expect(json.code == 64)
        #expect(json.errors.contains(message))
        // What is suggested exists.
        let help = try sandbox.nervous(nearest.split(separator: " ").map(String.init) + ["--help"])
        #expect(help.output.contains("USAGE: nervous \(nearest)"))
    }

    @Test(arguments: [
        (["xylophone"], "error: Unknown command 'xylophone'."),
        (["ls"], "error: Unknown command 'ls'."),
        // Where there is a default subcommand without arguments.
        (["sessions", "stop", "x"], "error: Unknown command 'sessions stop'."),
        (["storage", "xylophone"], "error: Unknown command 'storage xylophone'."),
        (
            ["--data", "/tmp", "status"],
            "error: Options follow the command: nervous status … --data"
        ),
        // A word that resembles no command may be meant as an argument.
        (["permissions", "my-app", "x", "y"], "error: 2 unexpected arguments: 'x', 'y'"),
        (["sensors", "list", "x"], "error: Unexpected argument 'x'"),
    ])
    func `nothing is suggested for what resembles no command`(
        words: [String], message: String
    ) throws {
        let sandbox = try Sandbox()
        let call = try sandbox.nervous(words)
        #expect(call.code == 64)
        #expect(call.errors.split(separator: "\n").first.map(String.init) == message)
        #expect(!call.errors.contains("Did you mean"))
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
