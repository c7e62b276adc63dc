import Foundation
import TestSupport
import Testing

@testable import Commands

/// The names that complete a word, asked for as the scripts of the shells do.
@Suite(.blocking)
struct CompletionTests {
    /// Asks for the names that complete the last of some words.
    ///
    /// - Parameters:
    ///   - argument: the command and the argument, as in `query -- positional@0`.
    ///   - line: the words after `nervous`; the last is the one to complete.
    private static func ask(
        _ sandbox: Sandbox, _ argument: String, _ line: [String], shell: String = "bash"
    ) throws -> Invocation {
        let call = ["---completion"] + argument.split(separator: " ").map(String.init)
        let position = ["\(line.count)", "\(line.last?.count ?? 0)"]
        var environment = sandbox.environment
        environment["SAP_SHELL"] = shell
        return try Invocation(
            Binary.nervous, call + position + ["nervous"] + line, environment: environment)
    }

    /// A host with an app, a declared sensor, a token, a session, a pack and decisions.
    private static func filled() throws -> (sandbox: Sandbox, host: ServingHost) {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        for words in [
            ["install", "hello-sensors"],
            ["sensors", "add", "plant.fern", "--field", "moisture:%", "--field", "light:lx"],
            ["sensors", "install", "weather-station", "--yes"],
            ["token", "create", "curl", "--allow", "sensor:cpu"],
            ["permissions", "grant", "hello-sensors", "sensor:cpu"],
            ["sessions", "new", "Walk", "--sensor", "load"],
            ["keys", "create", "home"],
        ] {
            let call = try sandbox.nervous(words)
            try #require(call.code == 0, "\(words): \(call.errors)")
        }
        return (sandbox, host)
    }

    @Test func `each kind of name is that of the running host`() throws {
        let (sandbox, host) = try Self.filled()
        let session = try #require(
            try sandbox.nervous("sessions").output.split(separator: "\n").last?
                .split(separator: " ").first.map(String.init))
        let cases: [(argument: String, line: [String], expected: Set<String>)] = [
            ("query -- positional@0", ["query", ""], ["cpu", "load", "plant.fern"]),
            ("query -- --fields", ["query", "plant.fern", "--fields", ""], ["moisture", "light"]),
            (
                "query -- --fields", ["query", "plant.fern", "--fields", "light,"],
                ["light,moisture"]
            ),
            ("sensors set -- positional@0", ["sensors", "set", ""], ["plant", "plant.fern"]),
            (
                "analyze -- positional@1", ["analyze", "trend", ""],
                ["load.load1", "plant.fern.moisture"]
            ),
            ("uninstall -- positional@0", ["uninstall", ""], ["hello-sensors"]),
            ("run -- positional@0", ["run", ""], ["hello-sensors", "load-watch"]),
            ("install -- positional@0", ["install", ""], ["hello-sensors", "load-watch"]),
            ("log -- positional@0", ["log", ""], ["hello-sensors", "curl"]),
            (
                "permissions grant -- positional@1",
                ["permissions", "grant", "hello-sensors", "sensor:"],
                ["sensor:cpu", "sensor:load:stats", "sensor:plant.fern", "net", "storage"]
            ),
            (
                "permissions revoke -- positional@1",
                ["permissions", "revoke", "hello-sensors", ""], ["sensor:cpu"]
            ),
            ("token revoke -- positional@0", ["token", "revoke", ""], ["curl"]),
            ("sessions start -- positional@0", ["sessions", "start", ""], [session]),
            ("keys export -- positional@0", ["keys", "export", ""], ["home"]),
        ]
        for (argument, line, expected) in cases {
            let call = try Self.ask(sandbox, argument, line)
            let names = Set(call.output.split(separator: "\n").map(String.init))
            #expect(call.code == 0 && call.errors.isEmpty, "\(argument): \(call.errors)")
            #expect(names.isSuperset(of: expected), "\(argument): \(names)")
            #expect(!call.output.contains("nvs_"), "no secrets")
        }
        let revoked = try Self.ask(
            sandbox, "permissions revoke -- positional@1",
            ["permissions", "revoke", "hello-sensors", ""])
        #expect(revoked.output == "sensor:cpu\n")
        let packs = try Self.ask(
            sandbox, "sensors uninstall -- positional@0", ["sensors", "uninstall", ""])
        #expect(packs.output.hasPrefix("weather"))
        host.kill(SIGTERM)
    }

    @Test func `zsh and fish get titles, in the form of each`() throws {
        let (sandbox, host) = try Self.filled()
        let line = ["permissions", "grant", "hello-sensors", ""]
        let argument = "permissions grant -- positional@1"
        let zsh = try Self.ask(sandbox, argument, line, shell: "zsh").output
        #expect(zsh.hasPrefix("sensor\\:cpu:Shows how busy the processor is\n"))
        #expect(zsh.contains("\nsensor\\:plant.fern:"))
        let fish = try Self.ask(sandbox, argument, line, shell: "fish").output
        #expect(fish.hasPrefix("sensor:cpu\tShows how busy the processor is\n"))
        host.kill(SIGTERM)
    }

    @Test func `the data directory of the command line is used`() throws {
        let (sandbox, host) = try Self.filled()
        for option in [["--data", "'\(sandbox.data)'"], ["--data=\(sandbox.data)"]] {
            let call = try Invocation(
                Binary.nervous,
                [
                    "---completion", "query", "--", "positional@0", "\(option.count + 2)", "0",
                    "nervous", "query",
                ] + option + [""],
                environment: sandbox.environment.merging(["NERVOUS_DATA": "/nowhere"]) { $1 })
            #expect(call.output.contains("plant.fern\n"), "\(option)")
        }
        host.kill(SIGTERM)
    }

    @Test func `without a host none is started, and what is in files is offered`() throws {
        let sandbox = try Sandbox()
        let sensors = try Self.ask(sandbox, "query -- positional@0", ["query", ""])
        #expect(sensors.code == 0)
        #expect(sensors.output.allSatisfy(\.isWhitespace) && sensors.errors.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: sandbox.data))
        let bundled = try Self.ask(sandbox, "install -- positional@0", ["install", ""])
        #expect(bundled.output.contains("load-watch\n"))
        #expect(try sandbox.nervous("install", "hello-sensors").code == 0)
        #expect(
            try sandbox.nervous("sensors", "install", "weather-station", "--yes").code == 0)
        let apps = try Self.ask(sandbox, "open -- positional@0", ["open", ""])
        #expect(apps.output == "hello-sensors\n")
        let packs = try Self.ask(
            sandbox, "sensors uninstall -- positional@0", ["sensors", "uninstall", ""])
        #expect(packs.output.hasPrefix("weather"))
    }

    @Test func `a name that a shell would expand is not offered`() throws {
        let sandbox = try Sandbox()
        for name in ["$(touch x)", "`id`", "a b", "-rf", "a;b", "fine-1.0"] {
            let folder = "\(sandbox.data)/apps/\(name)"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            try "{}".write(toFile: "\(folder)/index.json", atomically: true, encoding: .utf8)
        }
        let call = try Self.ask(sandbox, "open -- positional@0", ["open", ""])
        #expect(call.output == "fine-1.0\n")
    }

    @Test(arguments: [
        ["---completion"], ["---completion", "query"], ["---completion", "nothing", "--", "x"],
        ["---completion", "query", "--", "positional@9", "1", "0"],
        ["---completion", "query", "--", "positional@0", "x", "0"],
        ["---completion", "query", "--", "--json", "1", "0"],
    ])
    func `a call that is not valid prints nothing into the command line`(words: [String]) throws {
        let call = try Sandbox().nervous(words)
        #expect(call.output.isEmpty && call.errors.isEmpty)
        #expect(call.code != 0)
    }

    @Test func `the scripts offer paths beside the names of apps and packs`() throws {
        let sandbox = try Sandbox()
        func script(_ shell: String) throws -> String {
            let call = try sandbox.nervous("--generate-completion-script", shell)
            #expect(
                call.output == (try sandbox.nervous("--generate-completion-script=\(shell)").output)
            )
            return call.output
        }
        let zsh = try script("zsh").matches(of: /in_current_word\)"; _files\}/)
        #expect(zsh.count == 4)
        let fish = try script("fish").matches(
            of: /-Fka '\(__nervous_custom_completion ---completion/)
        #expect(fish.count == 4)
        let bash = try script("bash")
        #expect(
            bash.matches(of: /positional@0[^\n]*\n +__nervous_add_completions -f\n/).count == 4)
        #expect(bash.contains("\ncomplete -o filenames -F _nervous_joined nervous\n"))
    }

    @Test func `bash completes names, also behind a colon`() throws {
        let (sandbox, host) = try Self.filled()
        try "set enable-bracketed-paste off\n".write(
            toFile: sandbox.path("inputrc"), atomically: true, encoding: .utf8)
        let bash = try PseudoTerminal(
            "/bin/bash", ["--norc", "--noprofile", "-i"],
            environment: sandbox.environment.merging([
                "PATH": "\(BuiltProgram.folder):/usr/bin:/bin", "PS1": "ready> ",
                "INPUTRC": sandbox.path("inputrc"),
            ]) { $1 }, columns: 200)
        try bash.await("ready> ")
        bash.type("source <(nervous --generate-completion-script bash)\n")
        try bash.await("ready> ")
        for (typed, completed) in [
            ("open h", "open hello-sensors "),
            ("permissions grant h", "permissions grant hello-sensors "),
            (
                "permissions grant hello-sensors sensor:plant.fern:s",
                "permissions grant hello-sensors sensor:plant.fern:stats "
            ),
            ("permissions deny hello-sensors notif", "permissions deny hello-sensors notify "),
            ("query plant", "query plant.fern "),
            ("query plant.fern --fields light,", "query plant.fern --fields light,moisture "),
            ("analyze correl", "analyze correlation "),
            ("run --data=\(sandbox.data) hello", "run --data=\(sandbox.data) hello-sensors "),
        ] {
            bash.type("nervous \(typed)\t")
            try bash.await("nervous \(completed)")
            bash.type("\u{15}")
        }
        bash.type("exit\n")
        _ = try bash.finish()
        host.kill(SIGTERM)
    }
}
