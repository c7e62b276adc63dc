import Synchronization

/// Lets those who wait go on one at a time, and notes for how long they wanted to wait.
final class Metronome: Sendable {
    private let (turns, turn) = AsyncStream.makeStream(of: Void.self)
    private let (asks, ask) = AsyncStream.makeStream(of: Duration.self)

    /// Waits for `tick`, however long `duration` is.
    func sleep(_ duration: Duration) async throws {
        ask.yield(duration)
        for await _ in turns { return }
        throw CancellationError()
    }

    /// The next wait that began.
    func asked() async -> Duration? {
        for await duration in asks { return duration }
        return nil
    }

    func tick() { turn.yield() }
}
