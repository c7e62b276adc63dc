import AppRuns
import Auth
import JSApps
import Samples
import Simulation

extension TestLab {
    /// What an app did when it was given all that it asked for.
    struct Trial: Sendable {
        let entries: [AccessLogEntry]
        let result: TestResult
        let run: RunReport
        /// Of the app's own time.
        let elapsed: Duration
    }

    /// Lines of the access log that are read at once.
    private static let page = 1000

    /// Runs the app itself, with every sensor there and everything allowed.
    func trial(_ settings: Settings) async throws -> Trial {
        try await withHost(settings, hasAll: true) { host in
            let prepared = try await host.services.supervisor.prepare(app: app.name.text)
            let declared = app.manifest.privileges.map(\.id)
            let every = SimulatedDriver.sensors.map { PrivilegeID(sensor: $0, access: .raw) }
            let all = Set(declared + every + [.identity, .storage, .notify])
            try await host.allow(
                all.sorted { $0.description < $1.description }, app, run: prepared.id)
            let bench = host.bench(of: app.manifest, run: prepared.id)
            let run = try await host.services.supervisor.run(
                prepared.id,
                presentation: RunPresentation(lifetime: settings.limit + .milliseconds(1))
            ) { event in await bench.note(event) }
            let passed = host.clock.now.microseconds - host.clock.start.microseconds
            return Trial(
                entries: try await entries(host), result: await bench.result, run: run,
                elapsed: .microseconds(passed))
        }
    }

    /// What the access log has of the app.
    private func entries(_ host: TestHost) async throws -> [AccessLogEntry] {
        var found: [AccessLogEntry] = []
        while true {
            let query = AccessLogQuery(
                client: app.name.text, before: found.last?.id, limit: Self.page)
            let lines = try await host.services.authority.log.entries(query)
            found += lines
            guard lines.count == Self.page else { return found }
        }
    }
}
