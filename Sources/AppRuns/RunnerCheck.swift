import Synchronization

/// Starts a runner without an app, with the same confinement and supervision as for an app.
///
/// ```swift
/// let check = await RunnerCheck.run(runner: path)
/// print(check.layers ?? [])
/// ```
public struct RunnerCheck: Sendable {
    /// The layers that it reported; `nil` if it did not start.
    public let layers: [String]?
    /// How it ended.
    public let outcome: RunOutcome

    /// Starts a runner and waits for its end.
    ///
    /// - Parameters:
    ///   - runner: the path of `nervous-runner`.
    ///   - probe: the escape attempt that it makes; `nil` for none.
    public static func run(runner: String, probe: String? = nil) async -> RunnerCheck {
        let layers = Mutex<[String]?>(nil)
        do throws(AppRunsError) {
            let zygote = try await Zygote.start(path: runner, probe: probe)
            let process: RunnerProcess
            do throws(AppRunsError) {
                process = try await zygote.makeRunner(RunBudget())
            } catch {
                await zygote.end()
                throw error
            }
            let run = AppRun(
                RunConfiguration(app: "nervous-doctor", token: "", scripts: []), process: process,
                connection: NoConnection()
            ) { event in
                if case .started(let found) = event { layers.withLock { $0 = found } }
            }
            let outcome = await run.run().0
            await zygote.end()
            return RunnerCheck(layers: layers.withLock { $0 }, outcome: outcome)
        } catch {
            return RunnerCheck(layers: nil, outcome: .failedToStart(error.message))
        }
    }
}

/// A runner without an app makes no calls.
private struct NoConnection: HostConnection {
    func send(
        _ call: HostCall, receive: @escaping @Sendable (HostAnswerPart) async throws -> Void
    ) async throws {
        throw AppRunsError(.io, "No host.")
    }
}
