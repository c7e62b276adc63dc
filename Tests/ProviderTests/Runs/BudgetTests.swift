import AppRuns
import Foundation
import Testing

/// Each budget, exceeded by a real app in a real process.
@Suite(.timeLimit(.minutes(10)))
struct BudgetTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let budget: Budget
        let script: String
        let limits: @Sendable (inout RunBudget) -> Void

        var testDescription: String { budget.rawValue }
    }

    private static let busy = "setInterval(() => { for (let i = 0; i < 2e5; i++); })"

    @Test(arguments: [
        Case(budget: .turn, script: "for (;;);") {
            $0.turn = .milliseconds(200)
            $0.turnCPU = .seconds(60)
        },
        Case(budget: .turnCPU, script: "for (;;);") {
            $0.turn = .seconds(60)
            $0.turnCPU = .milliseconds(200)
        },
        Case(budget: .cpu, script: busy) { $0.cpu = .seconds(1) },
        Case(budget: .cpuPerMinute, script: busy) { $0.cpuPerMinute = .milliseconds(200) },
        Case(budget: .memory, script: "const m = new Map(); for (let i = 0; ; i++) m.set(i, [i])") {
            $0.memory = 24 << 20
            $0.turn = .seconds(60)
            $0.turnCPU = .seconds(60)
        },
        Case(budget: .duration, script: "setInterval(() => {}, 10)") {
            $0.duration = .milliseconds(300)
        },
        Case(budget: .logPerMinute, script: "setInterval(() => console.log('x'.repeat(500)))") {
            $0.logPerMinute = 4096
        },
    ])
    func `an exceeded budget ends the run, with its name`(item: Case) async throws {
        var budget = RunBudget()
        item.limits(&budget)
        let chosen = budget
        try await ServedHost.with(budget: { _ in chosen }) { host in
            let (report, _) = try await host.run(item.script)
            #expect(report.ending?.name == "budget-\(item.budget.rawValue)")
            #expect(report.state == .ended)
            #expect(await host.supervisor.lastRun(of: "demo")?.ending == report.ending)
        }
    }

    @Test func `a call beyond the budget is refused, and the run continues`() async throws {
        let script = """
            (async () => {
              for (let i = 0; i < 4; i++) {
                try { console.log((await fetch("/api/v1/me")).status) }
                catch (error) { console.log(error.message) }
              }
            })()
            """
        var budget = RunBudget()
        budget.callsPerMinute = 2
        let chosen = budget
        try await ServedHost.with(budget: { _ in chosen }) { host in
            let (report, lines) = try await host.run(script)
            #expect(report.ending?.name == "finished")
            #expect(report.ending?.exitCode == 0)
            #expect(report.usage.calls == 4)
            #expect(lines.prefix(2) == ["200", "200"])
            #expect(lines.count == 4)
            #expect(lines.dropFirst(2).allSatisfy { $0.contains("calls-per-minute") })
        }
    }

    @Test func `repeated groups of 64 concurrent calls are permitted`() async throws {
        let script = """
            (async () => {
              const one = async () => {
                for (let i = 0; i < 8; i++) await (await fetch("/api/v1/me")).text();
              };
              await Promise.all(Array.from({ length: 64 }, one));
              const given = Array.from({ length: 64 }, () => {
                const leaving = new AbortController();
                const call = fetch("/api/v1/me", { signal: leaving.signal }).catch(() => {});
                leaving.abort();
                return call;
              });
              await Promise.all(given);
              await Promise.all(Array.from({ length: 64 }, one));
              console.log("done");
            })()
            """
        try await ServedHost.with { host in
            let (report, lines) = try await host.run(script)
            #expect(report.ending?.name == "finished", "\(report.ending?.detail ?? "")")
            #expect(lines == ["done"])
            #expect(report.usage.calls == 64 * 17)
        }
    }

    @Test func `the usage of a run is reported`() async throws {
        try await ServedHost.with { host in
            let (report, _) = try await host.run(
                "console.log('x'.repeat(100)); fetch('/api/v1/me').then((r) => r.text())")
            #expect(report.usage.calls == 1)
            #expect(report.usage.logged == 100)
            #expect(report.usage.cpu > .zero)
            #expect(report.usage.memory > 10 << 20 && report.usage.memory < 100 << 20)
        }
    }
}
