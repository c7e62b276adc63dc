import ServiceLifecycle

/// When a stream of events has something to say: at each signal, and at a beat that keeps its
/// connection alive.
struct EventTurns<Signal: Sendable>: Sendable {
    let signals: AsyncStream<Signal>
    /// Between two beats; `nil` where the signals keep the connection alive.
    let heartbeat: Duration?
    /// Ends when the reader has left.
    let presence: AsyncStream<Void>

    /// Hands out turns, `nil` at a beat, until the reader leaves or the host stops, or `body` throws.
    ///
    /// - Parameters:
    ///   - limit: how many turns wait at most while `body` is busy; the newest are kept.
    ///   - body: goes on until there are no more turns.
    func follow(
        keeping limit: Int, _ body: (AsyncStream<Signal?>) async throws -> Void
    ) async throws {
        let (turns, turn) = AsyncStream.makeStream(
            of: Signal?.self, bufferingPolicy: .bufferingNewest(limit))
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { for await signal in signals { turn.yield(signal) } }
            group.addTask {
                try? await gracefulShutdown()
                turn.finish()
            }
            group.addTask {
                for await _ in presence {}
                turn.finish()
            }
            if let heartbeat {
                group.addTask {
                    while (try? await Task.sleep(for: heartbeat)) != nil { turn.yield(nil) }
                }
            }
            try await body(turns)
            group.cancelAll()
        }
    }
}
