import AppRuns
import Auth
import Foundation
import JSApps
import Provider
import Samples
import Testing
import Text

/// Runs in the background.
@Suite(.timeLimit(.minutes(10)))
struct BackgroundRunTests {
    private static func policy(first: Duration, failures: Int = 3) -> RestartPolicy {
        var policy = RestartPolicy()
        policy.first = first
        policy.failures = failures
        return policy
    }

    private static func begin(_ script: String, _ host: ServedHost) async throws -> String {
        try await host.install("demo", script: script)
        let run = try await host.supervisor.prepare(app: "demo", isForeground: false).id
        try await host.supervisor.runInBackground(run)
        return run
    }

    @Test func `an app that fails is restarted until it fails too often`()
        async throws
    {
        try await ServedHost.with(restarts: Self.policy(first: .milliseconds(10))) { host in
            let run = try await Self.begin("console.log('again'); throw 1", host)
            let report = try await host.report(run) { $0.state == .ended }
            #expect(report.hasGivenUp)
            #expect(report.restarts == 2)
            #expect(report.ending?.name == "finished")
            #expect(report.ending?.exitCode == 1)
            let lines = await host.supervisor.console(of: run)
            #expect(lines.filter { $0.event == .console(level: .log, text: "again") }.count == 3)
            let shown = try await host.send(
                Call("GET", "/api/v1/runs/\(run)", token: host.owner)
            ).json()
            #expect(shown["gaveUp"]?.bool == true)
            let times = shown["console"]?.array?.map { $0["time"]?.number?.double ?? 0 } ?? []
            #expect(times.count == lines.count && times == times.sorted())
            #expect(times == lines.map(\.time.milliseconds))
            #expect(times.allSatisfy { $0 >= report.started.timeIntervalSince1970 * 1000 - 1 })
            #expect(shown["restarts"]?.number?.int64 == 2)
        }
    }

    @Test func `the state of an app that threw contains its error`() async throws {
        try await ServedHost.with(restarts: Self.policy(first: .milliseconds(10))) { host in
            let run = try await Self.begin("throw new TypeError('no door')", host)
            let report = try await host.report(run) { $0.state == .ended }
            #expect(report.ending?.detail?.contains("TypeError: no door") == true)
            let own = try await Self.begin("nervous.exit(7)", host)
            let other = try await host.report(own) { $0.state == .ended }
            #expect(other.ending?.detail == "exit code 7")
        }
    }

    /// How a background run comes to its end, and whether the next host resumes it.
    @Test(
        arguments: [
            ("setInterval(() => {}, 1000)", "host", true), ("throw 1", "host", true),
            ("setInterval(() => {}, 1000)", "stop", false), ("throw 1", "stop", false),
            ("1", "itself", false), ("throw 1", "gives-up", false),
            ("setInterval(() => {}, 1000)", "uninstall", false),
            ("setInterval(() => {}, 1000)", "unconfined", false),
        ])
    func `the next host resumes background runs that neither ended nor were stopped`(
        script: String, end: String, isResumed: Bool
    ) async throws {
        let wait: Duration = end == "gives-up" ? .milliseconds(1) : .seconds(3600)
        try await ServedHost.with(restarts: Self.policy(first: wait)) { host in
            try await host.install("demo", script: script)
            let run = try await host.supervisor.prepare(app: "demo", isForeground: false).id
            try await host.supervisor.runInBackground(run, isInsecure: end == "unconfined")
            switch end {
            case "stop":
                try await host.supervisor.stop(run)
            case "uninstall":
                let removal = Call("DELETE", "/api/v1/apps/demo", token: host.owner)
                #expect(try await host.send(removal).status == 204)
                try await host.install("demo", script: script)
            case "itself", "gives-up":
                _ = try await host.report(run) { $0.state == .ended }
            default:
                _ = try await host.report(run) { [.running, .waiting].contains($0.state) }
            }
            await host.supervisor.close()
            let next = host.nextSupervisor()
            await next.open(host.provider.connection)
            await next.resumeBackgroundRuns()
            let resumed = await next.runs()
            #expect(resumed.map(\.app) == (isResumed ? ["demo"] : []))
            #expect(resumed.allSatisfy { !$0.isForeground && $0.id != run })
            // Another host after this one resumes it, too.
            await next.close()
            let third = host.nextSupervisor()
            await third.open(host.provider.connection)
            await third.resumeBackgroundRuns()
            #expect(await third.runs().count == resumed.count)
            await third.close()
        }
    }

    @Test func `an app that ends by itself is not restarted`() async throws {
        try await ServedHost.with(restarts: Self.policy(first: .milliseconds(10))) { host in
            let run = try await Self.begin("console.log('once')", host)
            let report = try await host.report(run) { $0.state == .ended }
            #expect(report.restarts == 0)
            #expect(!report.hasGivenUp)
        }
    }

    @Test func `a run that waits for its restart can be stopped, also twice`() async throws {
        try await ServedHost.with(restarts: Self.policy(first: .seconds(3600))) { host in
            let run = try await Self.begin("throw 1", host)
            _ = try await host.report(run) { $0.state == .waiting }
            let stopped = try await host.supervisor.stop(run)
            #expect(stopped.state == .ended)
            #expect(stopped.ending?.name == "stopped")
            #expect(try await host.supervisor.stop(run) == stopped)
        }
    }

    @Test func `a run can be started once, and an unknown one is not found`() async throws {
        try await ServedHost.with { host in
            let run = try await Self.begin("setInterval(() => {}, 1000)", host)
            _ = try await host.report(run) { $0.state == .running }
            let again = await #expect(throws: AppRunsError.self) {
                try await host.supervisor.runInBackground(run)
            }
            #expect(again?.code == .conflict)
            let call = Call("POST", "/api/v1/runs/\(run)/start", token: host.owner)
            #expect(try await host.send(call).status == 409)
            let none = await #expect(throws: AppRunsError.self) {
                try await host.supervisor.stop("none")
            }
            #expect(none?.code == .noRun)
            #expect(try await host.supervisor.stop(run).ending?.name == "stopped")
        }
    }

    @Test func `the runs of an uninstalled app end`() async throws {
        try await ServedHost.with { host in
            let run = try await Self.begin(
                "setInterval(() => fetch('/api/v1/me').then((r) => r.text()), 5)", host)
            _ = try await host.report(run) { $0.usage.calls > 2 }
            let removal = Call("DELETE", "/api/v1/apps/demo", token: host.owner)
            #expect(try await host.send(removal).status == 204)
            #expect(await host.supervisor.runs().isEmpty)
            await #expect(throws: AppRunsError.self) { try await host.supervisor.report(run) }
            #expect(await host.supervisor.lastRun(of: "demo") == nil)
        }
    }

    @Test func `a run that was prepared and never started is forgotten with its decisions`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.install("demo", script: "1")
            let run = try await host.supervisor.prepare(app: "demo").id
            let body = #"{"decision": "allow-once", "run": "\#(run)"}"#
            let decide = Call(
                "PUT", "/api/v1/grants/demo/sensor:gauge", token: host.owner, json: body)
            #expect(try await host.send(decide).status == 200)
            host.clock.advance(.seconds(590))
            #expect(await host.supervisor.runs().map(\.id) == [run])
            host.clock.advance(.seconds(20))
            #expect(await host.supervisor.runs().isEmpty)
            #expect(await host.authority.permissions.records(of: "demo").isEmpty)
            let start = Call("POST", "/api/v1/runs/\(run)/start", token: host.owner)
            #expect(try await host.send(start).status == 404)
        }
    }

    @Test func `every run ends with the host, whatever it does`() async throws {
        // Budgets that would end the run much later.
        var budget = RunBudget()
        budget.turn = .seconds(3600)
        (budget.turnCPU, budget.cpuPerMinute) = (.seconds(3600), .seconds(3600))
        let generous = budget
        try await ServedHost.with(budget: { _ in generous }) { host in
            let busy = try await Self.begin("for (;;);", host)
            let idle = try await host.supervisor.prepare(app: "demo").id
            _ = try await host.report(busy) { $0.state == .running }
            await host.supervisor.close()
            for run in [busy, idle] {
                #expect(try await host.supervisor.report(run).ending?.name == "stopped")
            }
        }
    }
}
