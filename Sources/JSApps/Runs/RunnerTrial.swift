import Synchronization

/// One runner without an app, made, confined and supervised as for one.
public struct RunnerTrial: Sendable {
    /// The layers that it said it had; `nil` when it did not come so far.
    public let layers: [String]?
    public let outcome: RunOutcome

    /// Makes a runner and waits for its end.
    ///
    /// - Parameters:
    ///   - runner: the path of `nervous-runner`.
    ///   - probe: the way out of the sandbox that it is to try; `nil` for none.
    public static func run(runner: String, probe: String? = nil) async -> RunnerTrial {
        let layers = Mutex<[String]?>(nil)
        do throws(JSAppsError) {
            let zygote = try await Zygote.start(path: runner, probe: probe)
            let process: RunnerProcess
            do throws(JSAppsError) {
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
            return RunnerTrial(layers: layers.withLock { $0 }, outcome: outcome)
        } catch {
            return RunnerTrial(layers: nil, outcome: .failedToStart(error.message))
        }
    }
}

/// The host that a runner without an app speaks to: none.
private struct NoConnection: HostConnection {
    func send(
        _ call: HostCall, receive: @escaping @Sendable (HostAnswerPart) async throws -> Void
    ) async throws {
        throw JSAppsError(.io, "There is no host to call.")
    }
}
