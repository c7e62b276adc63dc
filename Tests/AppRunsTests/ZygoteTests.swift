import Foundation
import TestSupport
import Testing

@testable import AppRuns

/// The process that forks runners, and its runners.
@Suite(.blocking)
struct ZygoteTests {
    private static let program = BuiltProgram.path("nervous-runner")

    @Test func `a runner is confined, in its own session, and holds only the descriptors it needs`()
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
        #expect(try runner.facts.session() == runner.pid)
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
        #expect(try facts.status()["Threads"] == "1")
        #expect(try facts.session() == zygote.pid)
        let open = try facts.descriptors()
        #expect(Set(open.keys) == [0, 1, 2, 3])
        #expect(zygote.layers.contains { $0.hasPrefix("landlock") })
        await zygote.end()
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

    /// Waits until a spare process is ready.
    private static func spare(of pool: RunnerPool) async throws -> pid_t {
        while true {
            if let pid = await pool.spare?.pid { return pid }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
