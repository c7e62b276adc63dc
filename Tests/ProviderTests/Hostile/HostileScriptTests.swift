import AppRuns
import Auth
import Foundation
import Samples
import Testing

@testable import Provider

/// Hostile scripts, run by a complete host: each ends at its limit, and the host
/// continues.
struct HostileScriptTests {
    private static let isLong = HostileScript.isLong
    /// The number of concurrent runs.
    private static let width = isLong ? 1 : 3
    /// Beside other processes the same work takes up to twice the processor time, and the engine of a
    /// debug build up to half a second to start; only the long test runs alone.
    private static let grace = isLong ? Duration.milliseconds(300) : .seconds(2)
    private static let memory = 160 << 20

    @Test(.timeLimit(.minutes(isLong ? 20 : 10)))
    func `every script ends at its limit, and the host always responds`() async throws {
        let scripts = Dictionary(
            uniqueKeysWithValues: HostileScript.all.enumerated().map { ("app-\($0)", $1) })
        try await ServedHost.with(
            budget: { scripts[$0]?.limit.budget ?? RunBudget() }
        ) { host in
            for (app, script) in scripts { try await host.install(app, script: script.source) }
            await host.gauge(7)
            try await host.decide(.allowAlways, "sensor:gauge", by: "app-0")
            let watched = try await host.supervisor.prepare(app: "app-0").id
            let token = try await host.begin("app-0").token
            let asking = Task { try await Self.latencies(host, token) }
            await Self.run(scripts, on: host)
            asking.cancel()
            let latencies = try await asking.value.sorted()
            let (median, p95) = (
                latencies[latencies.count / 2], latencies[latencies.count * 95 / 100]
            )
            print("\(latencies.count) answers, median \(median), 95% \(p95)")
            #expect(latencies.count > 50)
            #expect(p95 < (Self.isLong ? .milliseconds(100) : .seconds(1)))
            #expect(try await host.supervisor.stop(watched).ending?.name == "stopped")
        }
    }

    private static func run(_ scripts: [String: HostileScript], on host: ServedHost) async {
        await withTaskGroup(of: Void.self) { group in
            for (index, app) in scripts.keys.sorted().enumerated() {
                if index >= width { await group.next() }
                group.addTask {
                    guard let script = scripts[app] else { return }
                    do {
                        try await check(script, app, host)
                    } catch {
                        Issue.record("\(script.name): \(error)")
                    }
                }
            }
        }
    }

    private static func check(
        _ script: HostileScript, _ app: String, _ host: ServedHost
    ) async throws {
        let run = try await host.supervisor.prepare(app: app).id
        let clock = ContinuousClock()
        let start = clock.now
        let report = try await host.supervisor.run(run) { _ in }
        let took = clock.now - start
        let name = report.ending?.name ?? "none"
        let facts =
            "\(script.name): \(name) after \(took), \(report.usage.cpu) of processor time, "
            + "\(report.usage.memory >> 20) MiB, \(report.ending?.detail ?? "")"
        if ProcessInfo.processInfo.environment["NERVOUS_SHOW_RUNS"] == "1" { print(facts) }
        #expect(script.endings.contains(name), "\(facts)")
        #expect(report.usage.memory < memory, "\(facts)")
        // Includes the start of the engine.
        #expect(report.usage.cpu <= script.limit.cpu + grace, "\(facts)")
        let longest = script.limit.longest
        #expect(took <= longest + (isLong ? grace : .seconds(20)), "\(facts)")
    }

    /// The longest response time of the host, measured repeatedly until cancelled.
    private static func latencies(_ host: ServedHost, _ token: String) async throws -> [Duration] {
        let call = HostCall(
            method: "GET", target: "/api/v1/sensors/gauge/latest", host: "app-0.localhost",
            headers: [("Authorization", "Bearer \(token)")])
        let clock = ContinuousClock()
        var all: [Duration] = []
        while !Task.isCancelled {
            let start = clock.now
            try await host.provider.connection.send(call) { part in
                if case .head(let status, _) = part { #expect(status == 200) }
            }
            all.append(clock.now - start)
            try? await clock.sleep(for: .milliseconds(20))
        }
        return all
    }
}
