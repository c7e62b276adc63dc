import Synchronization

/// Resumes waiting callers one at a time, and records their requested durations.
final class Metronome: Sendable {
    private let (turns, turn) = AsyncStream.makeStream(of: Void.self)
    private let (asks, ask) = AsyncStream.makeStream(of: Duration.self)

    /// Waits for `tick()`, whatever the duration.
    func sleep(_ duration: Duration) async throws {
        ask.yield(duration)
        for await _ in turns { return }
        throw CancellationError()
    }

    /// The duration of the next wait.
    func asked() async -> Duration? {
        for await duration in asks { return duration }
        return nil
    }

    func tick() { turn.yield() }
}
