import Foundation
import TestSupport
import Testing

/// Apps that run with a host that serves, seen from outside.
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

    /// Starts an app and waits until it says something.
    private static func begin(
        _ script: String, _ host: ServingHost, in sandbox: Sandbox
    ) throws -> (zygotes: [Int32], runners: [Int32]) {
        try install("demo", script, in: sandbox)
        #expect(try sandbox.nervous("run", "demo", "--background").code == 0)
        try wait(sandbox) { $0.contains("running, background") }
        let zygotes = ProcessTree.children(of: host.pid)
        return (zygotes, zygotes.flatMap(ProcessTree.children))
    }

    /// Asks what the apps do until it is as it should be.
    private static func wait(
        _ sandbox: Sandbox, _ isRight: (String) -> Bool
    ) throws {
        try waitUntil(otherwise: { try sandbox.nervous("apps").output }) {
            isRight(try sandbox.nervous("apps").output)
        }
    }

    @Test func `no app stays with a host that ends with another command`() throws {
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

    @Test func `nothing of an app outlives a host that is killed`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let (zygotes, runners) = try Self.begin("for (;;);", host, in: sandbox)
        #expect(zygotes.count == 1)
        #expect(!runners.isEmpty)
        host.kill(SIGKILL)
        #expect(try host.wait() == 128 + SIGKILL)
        try ProcessTree.waitForEnd(of: zygotes + runners)
    }

    @Test func `a host that is asked to end takes its apps along`() throws {
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
    func `an app in the background comes back with the next host, until it is stopped`(
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
    func `after a crash the next process has another layout`(
        signal: Int32, name: String
    ) throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let (zygotes, runners) = try Self.begin("setInterval(() => {}, 1)", host, in: sandbox)
        let before = Set(runners.compactMap { ProcessTree.address(of: "javascriptcore", in: $0) })
        #expect(before.count == 1)
        // The one that waits for the next app is hit as well.
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
            // On a busy machine the time of the turn ends before its processor time.
            ("loop", "for (;;);", "budget-turn", 124),
            (
                "bomb", "const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })",
                "budget-memory", 137
            ),
            ("error", "undefined.x", "finished", 1), ("own", "nervous.exit(7)", "finished", 7),
        ]
        for (name, script, ending, code) in scripts {
            try Self.install(name, script, in: sandbox)
            let run = try sandbox.nervous("run", name)
            let line = try sandbox.nervous("apps").output.split(separator: "\n")
                .last { $0.hasPrefix(name) }
            // Where memory ends, the engine throws or stops, as it comes.
            let isThrown = name == "bomb" && run.code == 1
            #expect(run.code == code || isThrown, "\(name): \(run.errors.suffix(300))")
            #expect(line?.contains(ending) == true || isThrown, "\(line ?? "none")")
        }
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }
}
