import Foundation
import TestSupport
import Testing

/// The permission prompt, answered at a real terminal in front of the built program.
@Suite(.blocking)
struct PromptTests {
    private static let app = Binary.repository + "/jsapps/denied-demo"

    @Test func `allowing once permits the run and asks again at the next`() throws {
        let sandbox = try Sandbox()
        for app in [Self.app, "denied-demo"] {
            let terminal = try sandbox.terminal("run", app)
            try terminal.await("o/a/s/e/n/v/?> ")
            terminal.type("o\n")
            #expect(try terminal.finish() == 0)
            #expect(terminal.text.contains("?> o\nmemory: allowed for this run\n"))
            #expect(terminal.text.contains("latest(): allowed"))
            #expect(terminal.text.contains("stats(): allowed"))
        }
    }

    @Test func `allowing always permits and does not ask again`() throws {
        let sandbox = try Sandbox()
        let first = try sandbox.terminal("run", Self.app)
        try first.await("> ")
        first.type("a\n")
        #expect(try first.finish() == 0)
        #expect(first.text.contains("memory: always allowed\n"))
        let second = try sandbox.terminal("run", "denied-demo")
        #expect(try second.finish() == 0)
        #expect(!second.text.contains("Nervous asks you"))
        #expect(second.text.contains("latest(): allowed"))
    }

    @Test func `statistics only permits statistics and refuses samples, now and later`() throws {
        let sandbox = try Sandbox()
        let first = try sandbox.terminal("run", Self.app)
        try first.await("> ")
        first.type("s\n")
        #expect(try first.finish() == 0)
        #expect(first.text.contains("memory: only statistics allowed\n"))
        let second = try sandbox.terminal("run", "denied-demo")
        #expect(try second.finish() == 0)
        for text in [first.text, second.text] {
            #expect(text.contains("latest(): NotAllowedError"))
            #expect(text.contains("stats(): allowed"))
        }
        #expect(!second.text.contains("Nervous asks you"))
    }

    @Test
    func `denying gives the app an error without the command, which the owner sees at the end`()
        throws
    {
        let sandbox = try Sandbox()
        let terminal = try sandbox.terminal("run", Self.app)
        try terminal.await("> ")
        terminal.type("d\n")
        #expect(try terminal.finish() == 0)
        #expect(terminal.text.contains("latest(): NotAllowedError"))
        #expect(terminal.text.contains("privilege: sensor:memory"))
        #expect(terminal.text.contains("Ask the owner to allow sensor:memory."))
        let command = "Allow it with: nervous permissions grant denied-demo sensor:memory"
        #expect(terminal.text.matches(of: /permissions grant/).count == 1, "\(terminal.text)")
        let last = try #require(terminal.text.range(of: "stats():"))
        #expect(terminal.text[last.upperBound...].contains("  \(command)\n"))
        #expect(!terminal.text[..<last.lowerBound].contains("permissions grant"))
        #expect(terminal.text.contains("stats(): NotAllowedError"))
        #expect(terminal.text.contains("memory: denied for this run\n"))

        #expect(
            try sandbox.nervous("permissions", "grant", "denied-demo", "sensor:memory").code == 0)
        let again = try sandbox.nervous("run", "denied-demo")
        #expect(again.output.contains("latest(): allowed"))
    }

    @Test func `a reset asks again`() throws {
        let sandbox = try Sandbox()
        let first = try sandbox.terminal("run", Self.app)
        try first.await("> ")
        first.type("d\n")
        #expect(try first.finish() == 0)
        #expect(try sandbox.nervous("permissions", "reset", "denied-demo").code == 0)
        let second = try sandbox.terminal("run", "denied-demo")
        try second.await("> ")
        second.type("o\n")
        #expect(try second.finish() == 0)
    }

    @Test(arguments: ["\u{4}", "x\ny\nz\n"])
    func `the end of input and invalid input count as no, and nothing is stored`(typed: String)
        throws
    {
        let sandbox = try Sandbox()
        let terminal = try sandbox.terminal("run", Self.app)
        try terminal.await("> ")
        terminal.type(typed)
        #expect(try terminal.finish() == 77)
        #expect(!terminal.text.contains("latest()"))
        let permissions = try sandbox.nervous("permissions", "--json")
        #expect(permissions.output.contains(#""items":[]"#))
    }

    @Test func `keys typed before the prompt do not answer it`() throws {
        let sandbox = try Sandbox()
        let terminal = try sandbox.terminal("run", Self.app)
        terminal.type("a\na\na\n")
        try terminal.await("> ")
        terminal.type("d\n")
        #expect(try terminal.finish() == 0)
        #expect(terminal.text.contains("latest(): NotAllowedError"))
    }

    @Test func `without a terminal and a decision the run exits with 77`() throws {
        let sandbox = try Sandbox()
        let run = try sandbox.nervous("run", Self.app)
        #expect(run.code == 77)
        #expect(run.errors.contains("--allow sensor:memory"))
        #expect(!run.output.contains("latest()"))
    }

    @Test func `flags decide for one run, and denial has precedence`() throws {
        let sandbox = try Sandbox()
        let allowed = try sandbox.nervous("run", Self.app, "--allow", "sensor:memory")
        #expect(allowed.output.contains("latest(): allowed"))
        let statistics = try sandbox.nervous(
            "run", "denied-demo", "--allow", "sensor:memory:stats")
        #expect(statistics.output.contains("latest(): NotAllowedError"))
        #expect(statistics.output.contains("stats(): allowed"))
        let both = try sandbox.nervous(
            "run", "denied-demo", "--allow-all", "--deny", "sensor:memory")
        #expect(both.output.contains("latest(): NotAllowedError"))
        let none = try sandbox.nervous("run", "denied-demo", "--no-prompt")
        #expect(none.output.contains("latest(): NotAllowedError"))
        #expect(try sandbox.nervous("run", "denied-demo").code == 77)
        let foreign = try sandbox.nervous("run", "denied-demo", "--allow", "sensor:cpu")
        #expect(foreign.code == 64)
    }
}
