import Foundation
import TestSupport
import Testing

/// `nervous demo`, with real hosts and runs.
@Suite(.blocking)
struct DemoTests {
    /// A sandbox in which `nervous` is not told which data directory to use.
    private struct Newcomer {
        let sandbox: Sandbox
        let environment: [String: String]

        init() throws {
            sandbox = try Sandbox()
            mkdir(sandbox.path("tmp"), 0o700)
            var environment = sandbox.environment
            environment["NERVOUS_DATA"] = nil
            environment["TMPDIR"] = sandbox.path("tmp")
            self.environment = environment
        }

        /// What the demo left behind.
        var remains: [String] {
            get throws {
                let manager = FileManager.default
                return try ["tmp", "home", "run/nervous"].flatMap { folder in
                    guard manager.fileExists(atPath: sandbox.path(folder)) else {
                        return [String]()
                    }
                    return try manager.contentsOfDirectory(atPath: sandbox.path(folder))
                }
            }
        }
    }

    @Test func `without a terminal it says what it allows, and leaves nothing behind`() throws {
        let newcomer = try Newcomer()
        let call = try Invocation(
            Binary.nervous, ["demo", "--no-serve"], environment: newcomer.environment)
        #expect(call.code == 0, "\(call.errors)")
        let flags = "sensor:cpu sensor:memory sensor:load:stats"
        #expect(call.output.contains("allowed for this run: \(flags)\n"))
        #expect(call.output.contains("Installed hello-sensors 1.0.0."))
        #expect(call.output.matches(of: /% busy/).count == 5)
        #expect(call.output.contains(/\$ .*nervous query cpu --fields busy --stats .*\nFIELD/))
        #expect(call.output.contains(/\$ .*nervous log hello-sensors --limit 5\nTIME/))
        #expect(call.output.contains("What to type next:\n"))
        #expect(!call.output.contains("TOKEN="))
        #expect(try newcomer.remains.isEmpty)
    }

    @Test func `at a terminal it asks, serves the page, and ends with Ctrl-C`() throws {
        let newcomer = try Newcomer()
        let terminal = try PseudoTerminal(
            Binary.nervous, ["demo"], environment: newcomer.environment, columns: 200)
        for _ in 1...3 {
            try terminal.await("?> ")
            terminal.type("a\n")
        }
        try terminal.await("Serving until you stop it")
        let text = terminal.text
        func found(_ pattern: Regex<(Substring, Substring)>) throws -> String {
            String(try #require(text.firstMatch(of: pattern)).1)
        }
        let data = try found(/export NERVOUS_DATA=(\S+)/)
        let token = try found(/TOKEN=(\S+)/)
        let base = try found(/(http:\/\/localhost:[0-9]+)\//)
        let page = try found(/(http:\/\/hello-sensors\.localhost:[0-9]+\/)#launch=/)
        #expect(data.hasPrefix(newcomer.sandbox.path("tmp")))
        let header = "Authorization: Bearer \(token)"
        let latest = try newcomer.sandbox.curl(
            "-H", header, "\(base)/api/v1/sensors/cpu/latest")
        #expect(latest.status == 200 && latest.body.contains("\"busy\""))
        #expect(
            try newcomer.sandbox.curl("-H", header, "\(base)/api/v1/sensors/load/latest").status
                == 403)
        #expect(try newcomer.sandbox.curl(page).body.contains("<title>"))
        // Other commands reach the host of the demo.
        let apps = try newcomer.sandbox.nervous("apps", "--data", data)
        #expect(apps.output.contains("hello-sensors"), "\(apps.errors)")

        terminal.type("\u{3}")
        #expect(try terminal.finish() == 0)
        #expect(terminal.text.contains("The data of this demo is deleted."))
        #expect(terminal.text.contains("What to type next:"))
        #expect(try newcomer.remains.isEmpty)
    }

    @Test(arguments: [
        ("?> ", "\u{3}", 130), ("% busy", "\u{3}", 130), ("?> ", "\u{4}", 77),
    ])
    func `an interruption before the end leaves nothing behind`(
        moment: String, key: String, code: Int32
    ) throws {
        let newcomer = try Newcomer()
        let terminal = try PseudoTerminal(
            Binary.nervous, ["demo"], environment: newcomer.environment, columns: 200)
        if moment != "?> " {
            for _ in 1...3 {
                try terminal.await("?> ")
                terminal.type("o\n")
            }
        }
        try terminal.await(moment)
        terminal.type(key)
        #expect(try terminal.finish() == code, "\(terminal.text)")
        #expect(!terminal.text.contains("What to type next:"))
        #expect(try newcomer.remains.isEmpty)
    }

    @Test func `a terminal that is closed while it serves leaves nothing behind`() throws {
        let newcomer = try Newcomer()
        let terminal = try PseudoTerminal(
            Binary.nervous, ["demo"], environment: newcomer.environment, columns: 200)
        for _ in 1...3 {
            try terminal.await("?> ")
            terminal.type("o\n")
        }
        try terminal.await("Serving until you stop it")
        terminal.signal(SIGHUP)
        #expect(try terminal.finish() == 130)
        #expect(try newcomer.remains.isEmpty)
    }

    @Test func `with a data directory it deletes nothing, and revokes only its token`() throws {
        let newcomer = try Newcomer()
        let sandbox = newcomer.sandbox
        let terminal = try sandbox.terminal(["demo"], columns: 200)
        for _ in 1...3 {
            try terminal.await("?> ")
            terminal.type("a\n")
        }
        try terminal.await("Serving until you stop it")
        #expect(try sandbox.nervous("token", "list").output.contains("demo-"))
        terminal.type("\u{3}")
        #expect(try terminal.finish() == 0)
        #expect(!terminal.text.contains("deleted"))
        #expect(try sandbox.nervous("apps").output.contains("hello-sensors"))
        #expect(!(try sandbox.nervous("token", "list").output.contains("demo-")))
        let again = try sandbox.nervous("demo", "--no-serve")
        #expect(again.code == 0, "\(again.errors)")
        #expect(again.output.contains("is already installed; nothing changed."))
    }

    @Test func `a port in use and JSON are refused before anything is created`() throws {
        let newcomer = try Newcomer()
        let host = try ServingHost(newcomer.sandbox)
        for (words, code) in [(["--port", "\(host.port)"], Int32(69)), (["--json"], 64)] {
            let call = try Invocation(
                Binary.nervous, ["demo"] + words, environment: newcomer.environment)
            #expect(call.code == code, "\(call.errors)")
            #expect(call.output.isEmpty)
        }
        host.kill(SIGTERM)
        _ = try host.wait()
        #expect(try newcomer.remains.isEmpty)
    }
}
