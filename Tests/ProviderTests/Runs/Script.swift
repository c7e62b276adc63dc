import AppRuns
import Synchronization

/// The output of a run.
final class Lines: Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func take(_ event: RunEvent) {
        if case .console(_, let text) = event { texts.withLock { $0.append(text) } }
    }
}

extension ServedHost {
    /// Installs a script as an app and runs it to its end.
    func run(_ script: String, as app: String = "demo") async throws -> (RunReport, [String]) {
        try await install(app, script: script)
        let lines = Lines()
        let run = try await supervisor.prepare(app: app).id
        let report = try await supervisor.run(run) { lines.take($0) }
        return (report, lines.all)
    }

    /// Waits until a run meets a condition.
    func report(
        _ run: String, when meetsCondition: @Sendable (RunReport) -> Bool
    ) async throws -> RunReport {
        // The supervisor does not announce changes, so it is asked repeatedly.
        while true {
            let report = try await supervisor.report(run)
            if meetsCondition(report) { return report }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
