import Auth
import JSApps
import Synchronization

/// One start of the runner without an app, supervised like that of an app.
struct ProbeRun: Sendable {
    /// The layers that it said it had; `nil` when it did not come so far.
    let layers: [String]?
    let outcome: RunOutcome

    /// - Parameter probe: the way out of the sandbox that it is to try; `nil` for none.
    static func of(runner: String, probe: String? = nil) async -> ProbeRun {
        var configuration = RunConfiguration(
            runner: runner, app: "nervous-doctor", token: "", scripts: [])
        configuration.probe = probe
        let layers = Mutex<[String]?>(nil)
        do {
            let run = try await AppRun(configuration, connection: NoConnection()) { event in
                if case .started(let found) = event { layers.withLock { $0 = found } }
            }
            let outcome = await run.run()
            return ProbeRun(layers: layers.withLock { $0 }, outcome: outcome)
        } catch {
            return ProbeRun(layers: nil, outcome: .failedToStart(error.message))
        }
    }
}

/// The host that a runner without an app speaks to: none.
private struct NoConnection: HostConnection {
    func send(_ call: HostCall) async throws -> HostAnswer {
        throw CommandFailure(.failed, "There is no host to call.")
    }
}
