import Foundation
import TestSupport
import Testing

/// Apps that run in a serving host, observed from outside.
@Suite(.blocking)
struct BackgroundRunTests {
    private static func install(
        _ name: String, _ script: String, in sandbox: Sandbox
    ) throws {
        let folder = sandbox.path(name)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let files = [
            "package.json": #"{"name":"\#(name)","version":"1","privileges":[]}"#,
            "app.js": script, "app.html": "<p>\(name)</p>",
        ]
        for (file, text) in files {
            try text.write(toFile: "\(folder)/\(file)", atomically: true, encoding: .utf8)
        }
        let installed = try sandbox.nervous("install", folder)
        guard installed.code == 0 else { throw Unexpected(text: installed.errors) }
    }

    private struct Unexpected: Error {
        let text: String
    }

    /// Starts an app and waits for its first output.
    private static func begin(
        _ script: String, _ host: ServingHost, in sandbox: Sandbox
    ) throws -> (zygotes: [Int32], runners: [Int32]) {
        try install("demo", script, in: sandbox)
        #expect(try sandbox.nervous("run", "demo", "--background").code == 0)
        try wait(sandbox) { $0.contains("running, background") }
        let zygotes = ProcessTree.children(of: host.pid)
        return (zygotes, zygotes.flatMap(ProcessTree.children))
    }

    /// Queries the apps until a condition holds.
    private static func wait(
        _ sandbox: Sandbox, _ meetsCondition: (String) -> Bool
    ) throws {
        try waitUntil(otherwise: { try sandbox.nervous("apps").output }) {
            meetsCondition(try sandbox.nervous("apps").output)
        }
    }

    @Test func `no app runs in the background of a host for one command`() throws {
        let sandbox = try Sandbox()
        try Self.install("demo", "console.log('up'); setInterval(() => {}, 1000)", in: sandbox)
        let watched = try sandbox.terminal("run", "demo")
        try watched.await("up")
        let run = try sandbox.nervous("run", "demo", "--background")
        #expect(run.code == 69)
        #expect(run.errors.contains("nervous serve"))
        watched.type("\u{3}")
        #expect(try watched.finish() == 130)
    }

    @Test func `no process of an app survives the death of the host`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let (zygotes, runners) = try Self.begin("for (;;);", host, in: sandbox)
        #expect(zygotes.count == 1)
        #expect(!runners.isEmpty)
        host.kill(SIGKILL)
        #expect(try host.wait() == 128 + SIGKILL)
        try ProcessTree.waitForEnd(of: zygotes + runners)
    }

    @Test func `a host that is stopped ends its apps`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let (zygotes, runners) = try Self.begin("setInterval(() => {}, 1)", host, in: sandbox)
        #expect(!runners.isEmpty)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
        try ProcessTree.waitForEnd(of: zygotes + runners)
        let shown = try sandbox.nervous("apps")
        #expect(shown.output.contains("stopped"))
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func `a background run is resumed by the next host, until it is stopped`(
        signal: Int32
    ) throws {
        let sandbox = try Sandbox()
        let first = try ServingHost(sandbox)
        _ = try Self.begin("setInterval(() => {}, 1000)", first, in: sandbox)
        first.kill(signal)
        _ = try first.wait()
        let second = try ServingHost(sandbox)
        try Self.wait(sandbox) { $0.contains("running, background") }
        #expect(try sandbox.nervous("stop", "demo").code == 0)
        second.kill(SIGTERM)
        #expect(try second.wait() == 0)
        let third = try ServingHost(sandbox)
        #expect(try !sandbox.nervous("apps").output.contains("background"))
        third.kill(SIGTERM)
        #expect(try third.wait() == 0)
    }

    @Test(arguments: [(SIGSEGV, "crashed"), (SIGSYS, "sandbox-violation")])
    func `after a crash the next process has another memory layout`(
        signal: Int32, name: String
    ) throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let (zygotes, runners) = try Self.begin("setInterval(() => {}, 1)", host, in: sandbox)
        let before = Set(runners.compactMap { ProcessTree.address(of: "javascriptcore", in: $0) })
        #expect(before.count == 1)
        // The spare process is replaced as well.
        for runner in runners { kill(runner, signal) }
        try Self.wait(sandbox) { $0.contains("running, background") && Self.isNew(host, zygotes) }
        let after = ProcessTree.children(of: host.pid).flatMap(ProcessTree.children)
        let addresses = Set(after.compactMap { ProcessTree.address(of: "javascriptcore", in: $0) })
        #expect(addresses.isDisjoint(with: before))
        let stopped = try sandbox.nervous("stop", "demo", "--json")
        #expect(stopped.output.contains(#""restarts":1"#))
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    private static func isNew(_ host: ServingHost, _ zygotes: [Int32]) -> Bool {
        let now = ProcessTree.children(of: host.pid)
        return now.contains { !zygotes.contains($0) && !ProcessTree.children(of: $0).isEmpty }
    }

    @Test func `apps shows why each run ended`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let scripts = [
            ("flood", "for (;;) console.log('x'.repeat(10000))", "budget-log-per-minute", 124),
            // On a busy machine the time limit of the turn is reached before its processor time.
            ("loop", "for (;;);", "budget-turn", 124),
            (
                "bomb", "const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })",
                "budget-memory", 137
            ),
            ("thrown", "undefined.x", "finished", 1), ("own", "nervous.exit(7)", "finished", 7),
        ]
        for (name, script, ending, code) in scripts {
            try Self.install(name, script, in: sandbox)
            let run = try sandbox.nervous("run", name)
            let line = try sandbox.nervous("apps").output.split(separator: "\n")
                .last { $0.hasPrefix(name) }
            // With exhausted memory, the engine throws or crashes.
            let isThrown = name == "bomb" && run.code == 1
            #expect(run.code == code || isThrown, "\(name): \(run.errors.suffix(300))")
            #expect(line?.contains(ending) == true || isThrown, "\(line ?? "none")")
        }
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }
}
