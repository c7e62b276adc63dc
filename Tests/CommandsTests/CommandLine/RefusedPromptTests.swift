import Foundation
import TestSupport
import Testing

/// Every way in which a prompt ends without permission, at a real terminal.
@Suite(.blocking)
struct RefusedPromptTests {
    private static let app = Binary.repository + "/jsapps/denied-demo"

    private func permissions(_ sandbox: Sandbox) throws -> String {
        try sandbox.nervous("permissions", "--json").output
    }

    @Test(arguments: [
        (SIGHUP, Int32(77)), (SIGTERM, Int32(130)), (SIGINT, Int32(130)),
    ])
    func `a signal during a prompt allows nothing`(signal: Int32, code: Int32) throws {
        let sandbox = try Sandbox()
        let terminal = try sandbox.terminal("run", Self.app)
        try terminal.await("?> ")
        terminal.signal(signal)
        #expect(try terminal.finish() == code)
        #expect(!terminal.text.contains("latest()"))
        #expect(try permissions(sandbox).contains(#""items":[]"#))
    }

    @Test func `Ctrl-C exits with 130, and nothing is allowed`() throws {
        let sandbox = try Sandbox()
        let terminal = try sandbox.terminal("run", Self.app)
        try terminal.await("?> ")
        terminal.type("a\u{3}")
        #expect(try terminal.finish() == 130)
        #expect(!terminal.text.contains("latest()"))
        #expect(try permissions(sandbox).contains(#""items":[]"#))
    }

    @Test(arguments: [0, 1, 3, 10, 30])
    func `a signal in the moment after the answer ends the run`(milliseconds: UInt32) throws {
        let sandbox = try Sandbox()
        let folder = try sandbox.app("setInterval(() => {}, 1000)")
        let terminal = try sandbox.terminal("run", folder)
        try terminal.await("?> ")
        terminal.type("o\n")
        usleep(milliseconds * 1_000)
        terminal.signal(SIGINT)
        #expect(try terminal.finish() == 130)
    }

    @Test func `closing the terminal later still ends the run`() throws {
        let sandbox = try Sandbox()
        let folder = try sandbox.app("console.log('it runs'); setInterval(() => {}, 1000)")
        let terminal = try sandbox.terminal("run", folder)
        try terminal.await("?> ")
        terminal.type("o\n")
        try terminal.await("it runs")
        terminal.signal(SIGHUP)
        #expect(try terminal.finish() == 128 + SIGHUP)
    }

    @Test func `a terminal that is too small displays no prompt`() throws {
        let sandbox = try Sandbox()
        let terminal = try sandbox.terminal(["run", Self.app], columns: 39, rows: 24)
        #expect(try terminal.finish() == 77)
        #expect(terminal.text.contains("too small for a prompt"))
        #expect(terminal.text.contains("--allow sensor:memory"))
    }

    @Test func `after two refusals there is no prompt but a message, until a reset`()
        throws
    {
        let sandbox = try Sandbox()
        for (app, answer) in [(Self.app, "n\n"), ("denied-demo", "\n")] {
            let terminal = try sandbox.terminal("run", app)
            try terminal.await("?> ")
            terminal.type(answer)
            #expect(try terminal.finish() == 0)
            #expect(terminal.text.contains("latest(): NotAllowedError"))
        }
        let third = try sandbox.terminal("run", "denied-demo")
        #expect(try third.finish() == 0)
        #expect(!third.text.contains("Nervous asks you"))
        #expect(third.text.contains("you refused it twice, so you are not asked again"))
        #expect(third.text.contains("nervous permissions reset denied-demo"))
        #expect(third.text.contains("latest(): NotAllowedError"))
        let list = try sandbox.nervous("permissions", "denied-demo")
        #expect(list.output.contains(/sensor:memory  denied  [-0-9]+ [:0-9]+  denied 2 times/))
        // A flag decides for one run.
        let flagged = try sandbox.nervous("run", "denied-demo", "--allow", "sensor:memory")
        #expect(flagged.output.contains("latest(): allowed"))
        #expect(!flagged.errors.contains("not asked again"))

        #expect(try sandbox.nervous("permissions", "reset", "denied-demo").code == 0)
        let last = try sandbox.terminal("run", "denied-demo")
        try last.await("?> ")
        last.type("o\n")
        #expect(try last.finish() == 0)
    }

    @Test func `the answer Always deny is stored, denials for one run and flags are not`() throws {
        let sandbox = try Sandbox()
        for _ in 1...3 {
            let run = try sandbox.nervous("run", Self.app, "--deny", "sensor:memory")
            #expect(run.output.contains("latest(): NotAllowedError"))
        }
        let asked = try sandbox.terminal("run", "denied-demo")
        try asked.await("?> ")
        asked.type("v\n")
        #expect(try asked.finish() == 0)
        #expect(try permissions(sandbox).contains(#""state":"denied""#))
        let again = try sandbox.terminal("run", "denied-demo")
        #expect(try again.finish() == 0)
        #expect(!again.text.contains("Nervous asks you"))
    }

    @Test func `terms entered at the prompt apply, and are listed as text`() throws {
        let sandbox = try Sandbox()
        let terminal = try sandbox.terminal("run", Self.app)
        try terminal.await("?> ")
        terminal.type("e\n0.5\n1000\n10m\n7d\nn\ny\n")
        #expect(try terminal.finish() == 0)
        #expect(terminal.text.contains("latest(): allowed"))
        let list = try sandbox.nervous("permissions", "denied-demo").output
        let terms = "samples, at most 0.5/s, rounded to multiples of 1000, the last 10m, until 20"
        #expect(list.contains(terms), "\(list)")
        #expect(list.contains("only in the foreground"))
    }
}
