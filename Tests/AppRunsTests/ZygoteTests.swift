import Foundation
import RunnerProtocol
import Synchronization
import TestSupport
import Testing

@testable import AppRuns

/// The process that forks runners, and its runners.
@Suite(.blocking)
struct ZygoteTests {
    private static let program = BuiltProgram.path("nervous-runner")

    @Test
    func
        `a runner is confined, in the session of the zygote, and holds only the descriptors it needs`()
        async throws
    {
        let zygote = try await Zygote.start(path: Self.program)
        let runner = try await zygote.makeRunner(RunBudget())
        try runner.waitUntilReady()
        let status = try runner.facts.status()
        #expect(status["Seccomp"] == "2")
        #expect(status["NoNewPrivs"] == "1")
        // A limit has no effect if its signal is blocked.
        #expect(status["SigBlk"] == "0000000000000000")
        #expect(status["PPid"] == "\(zygote.pid)")
        #expect(try runner.facts.session() == zygote.pid)
        #expect(try runner.facts.text("oom_score_adj") == "1000\n")
        #expect(try runner.facts.text("environ") == "")
        #expect(try runner.facts.text("limits").contains("Max core file size        0"))
        let open = try runner.facts.descriptors()
        #expect(open[0] == "/dev/null")
        #expect(open[1]?.hasPrefix("pipe:") == true)
        #expect(open[1] == open[2])
        #expect(open[3]?.hasPrefix("socket:") == true)
        // Descriptors of the engine: its wake-up counter, random numbers, its own size.
        let kept: Set = ["anon_inode:[eventfd]", "/dev/urandom", "/proc/\(runner.pid)/statm"]
        #expect(open.filter { $0.key > 3 }.values.allSatisfy(kept.contains))
        #expect(open.count <= 4 + kept.count)
        await zygote.end()
    }

    @Test func `the zygote is confined as far as the engine's start allows`() async throws {
        let zygote = try await Zygote.start(path: Self.program)
        let facts = ProcessFacts(pid: zygote.pid)
        #expect(try facts.status()["NoNewPrivs"] == "1")
        // A thread of the engine that waits before its first instruction.
        #expect(try #require(facts.status()["Threads"].flatMap { Int($0) }) <= 2)
        #expect(try facts.session() == zygote.pid)
        let open = try facts.descriptors()
        #expect(Set(open.keys).isSuperset(of: [0, 1, 2, 3]))
        let kept: Set = ["anon_inode:[eventfd]", "/dev/urandom", "/proc/\(zygote.pid)/statm"]
        #expect(open.filter { $0.key > 3 }.values.allSatisfy(kept.contains))
        #expect(zygote.layers.contains { $0.hasPrefix("landlock") })
        await zygote.end()
    }

    @Test func `runners of one zygote share no event counter`() async throws {
        let zygote = try await Zygote.start(path: Self.program)
        let runners = [
            try await zygote.makeRunner(RunBudget()), try await zygote.makeRunner(RunBudget()),
        ]
        for runner in runners { try runner.waitUntilReady() }
        let processes = [ProcessFacts(pid: zygote.pid)] + runners.map(\.facts)
        let counters = try processes.map { try $0.eventCounters() }
        #expect(counters.allSatisfy { $0.count == counters[0].count })
        #expect(Set(counters.joined()).count == counters.joined().count)
        await zygote.end()
    }

    @Test func `runners of one zygote draw different random numbers and have a time of their own`()
        async throws
    {
        let pool = RunnerPool(path: Self.program, keepsSpare: false)
        let source = """
            console.log([performance.timeOrigin, ...[...Array(200)].map(() => Math.random())].join());
            """
        var numbers: Set<Double> = []
        for _ in 0..<2 {
            // The zygote is older.
            _ = try await pool.current()
            let start = Date().timeIntervalSince1970 * 1000
            let line = try #require(try await Self.lines(of: source, in: pool).first)
            let values = line.split(separator: ",").compactMap { Double($0) }
            // The engine's clock is rounded down to milliseconds.
            #expect(values[0] > start - 2)
            #expect(values.dropFirst().allSatisfy { (0..<1).contains($0) })
            numbers.formUnion(values.dropFirst())
        }
        #expect(numbers.count == 400)
        await pool.close()
    }

    @Test func `runners share the libraries and the scripts that the host provides`() async throws {
        let document = """
            (function () { return () => ({
                globals: { DOMParser: "shared" }, parse: () => ({}), complete() {}, view() {},
                markup() {},
            }); })
            """
        let scripts = [
            RunScript(name: "sdk.js", source: "globalThis.count = (globalThis.count ?? 0) + 1;"),
            // Nothing leaves a process that has no run.
            RunScript(name: "early.js", source: "console.log('early'); setTimeout(() => early());"),
            RunScript(name: "broken.js", source: "throw new TypeError('broken')"),
        ]
        let pool = RunnerPool(
            path: Self.program, keepsSpare: false,
            libraries: RunLibraries([.document: Array(document.utf8)]), scripts: scripts)
        let source = "console.log(count, DOMParser, typeof document); count = 'changed';"
        for _ in 0..<2 {
            let lines = try await Self.lines(of: source, after: scripts, in: pool, opensPage: true)
            #expect(lines == ["uncaught TypeError: broken", "1 shared object"])
        }
        // A script that differs from the one that was provided is another one.
        let other = [RunScript(name: "sdk.js", source: "globalThis.count = 'other';")]
        let lines = try await Self.lines(of: source, after: other, in: pool, opensPage: true)
        #expect(lines == ["other shared object"])
        await pool.close()
    }

    @Test func `a library that cannot be loaded before a run is reported by the run`()
        async throws
    {
        let pool = RunnerPool(
            path: Self.program, keepsSpare: false,
            libraries: RunLibraries([.document: Array("(function () { throw 1; })".utf8)]))
        let lines = try await Self.lines(
            of: "console.log(typeof DOMParser);", in: pool, opensPage: true)
        #expect(lines.last == "undefined")
        #expect(lines.first?.contains("The document is not available in this run") == true)
        await pool.close()
    }

    @Test func `runners die with their zygote, and the next comes from a new one`() async throws {
        let pool = RunnerPool(path: Self.program, keepsSpare: false)
        let first = try await pool.runner(for: RunBudget())
        let second = try await pool.runner(for: RunBudget())
        try first.waitUntilReady()
        let zygote = try await pool.current()
        kill(zygote.pid, SIGKILL)
        for runner in [first, second] {
            #expect(await runner.facts.ends())
            for await ending in runner.endings { #expect(ending.kind == .signalled(SIGKILL)) }
        }
        let third = try await pool.runner(for: RunBudget())
        try third.waitUntilReady()
        #expect(try await pool.current().pid != zygote.pid)
        #expect(third.isAlive)
        await pool.close()
        #expect(await third.facts.ends())
    }

    @Test func `runners of one zygote share a memory layout, and a new zygote has another`()
        async throws
    {
        let pool = RunnerPool(path: Self.program, keepsSpare: false)
        let first = try await pool.runner(for: RunBudget())
        let second = try await pool.runner(for: RunBudget())
        try first.waitUntilReady()
        try second.waitUntilReady()
        #expect(try first.facts.engineAddress() == second.facts.engineAddress())
        let old = try await pool.current()
        await pool.renew()
        let third = try await pool.runner(for: RunBudget())
        try third.waitUntilReady()
        #expect(try !third.facts.engineAddress().isEmpty)
        #expect(try third.facts.engineAddress() != first.facts.engineAddress())
        // Active runners continue; the zygote ends with the last of them.
        #expect(first.isAlive && second.isAlive)
        await first.killAndWait()
        await second.killAndWait()
        #expect(await ProcessFacts(pid: old.pid).ends())
        await pool.close()
    }

    @Test func `the spare process is used, replaced, and not used after it was killed`()
        async throws
    {
        let pool = RunnerPool(path: Self.program, keepsSpare: true)
        await pool.warmUp()
        let spare = try await Self.spare(of: pool)
        let used = try await pool.runner(for: RunBudget())
        #expect(used.pid == spare)
        let next = try await Self.spare(of: pool)
        #expect(next != spare)
        if let waiting = await pool.spare { await waiting.killAndWait() }
        let other = try await pool.runner(for: RunBudget())
        #expect(other.pid != next && other.isAlive)
        #expect(try await Self.spare(of: pool) != next)
        // A runner for another budget is another process.
        var small = RunBudget()
        small.memory = 32 << 20
        let waiting = try await Self.spare(of: pool)
        #expect(try await pool.runner(for: small).pid != waiting)
        // No runner of a retired zygote waits for an app.
        await pool.renew()
        let renewed = try await Self.spare(of: pool)
        #expect(renewed != waiting)
        #expect(await ProcessFacts(pid: waiting).ends())
        await pool.close()
        #expect(await ProcessFacts(pid: renewed).ends())
        await #expect(throws: AppRunsError.self) { try await pool.runner(for: RunBudget()) }
    }

    @Test func `concurrent callers share one zygote`() async throws {
        let pool = RunnerPool(path: Self.program, keepsSpare: false)
        let zygotes = try await withThrowingTaskGroup(of: pid_t.self) { group in
            for _ in 0..<8 { group.addTask { try await pool.current().pid } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(zygotes.count == 1)
        await pool.close()
    }

    @Test func `an invalid program causes an error`() async {
        let missing = await #expect(throws: AppRunsError.self) {
            _ = try await Zygote.start(path: "/nonexistent")
        }
        #expect(missing?.code == .io)
        let wrong = await #expect(throws: AppRunsError.self) {
            _ = try await Zygote.start(path: "/bin/true")
        }
        #expect(wrong?.code == .confinement)
    }

    /// Answers every call with status 404.
    private struct Nothing: HostConnection {
        func send(
            _ call: HostCall, receive: @escaping @Sendable (HostAnswerPart) async throws -> Void
        ) async throws {
            try await receive(.whole(status: 404, headers: [], body: []))
        }
    }

    /// The lines and uncaught errors of a run that ends with a script.
    private static func lines(
        of source: String, after scripts: [RunScript] = [], in pool: RunnerPool,
        opensPage: Bool = false
    ) async throws -> [String] {
        let lines = Mutex<[String]>([])
        let run = AppRun(
            RunConfiguration(
                app: "demo", token: "secret",
                scripts: scripts + [RunScript(name: "app.js", source: source)]),
            process: try await pool.runner(for: RunBudget(), opensPage: opensPage),
            connection: Nothing()
        ) { event in
            switch event {
            case .console(_, let text): lines.withLock { $0.append(text) }
            case .uncaught(let message, _, _): lines.withLock { $0.append("uncaught \(message)") }
            default: break
            }
        }
        _ = await run.run()
        return lines.withLock { $0 }
    }

    /// Waits until a spare process is ready.
    private static func spare(of pool: RunnerPool) async throws -> pid_t {
        while true {
            if let pid = await pool.spare?.pid { return pid }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
