import Samples
import Scheduling

/// A time source whose clock and waits are given as closures.
struct ScriptedTime: TimeSource {
    /// Reads the clock.
    var clock: @Sendable () -> Timestamp = { .now() }
    /// Replaces waiting.
    var wait: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// Ends every wait at once, unless the task is cancelled.
    static let withoutWaiting = ScriptedTime(wait: { _ in try Task.checkCancellation() })

    func now() -> Timestamp { clock() }

    func sleep(for duration: Duration) async throws { try await wait(duration) }
}
