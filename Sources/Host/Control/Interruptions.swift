import Glibc
import Synchronization
import UnixSignals

/// SIGINT and SIGTERM, delivered to the parts of a command that can be interrupted.
///
/// One signal source traps them from the first `listen()` to the end of the process, because a
/// source that is being cancelled can lose a signal. A signal without a listener is delivered to
/// the next listener; a second one ends the process.
package final class Interruptions: Sendable {
    private struct State {
        var trap: Task<Void, Never>?
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var count = 0
        /// Whether a signal was not delivered to any listener.
        var isPending = false
    }

    private let state = Mutex(State())
    private let terminate: @Sendable () -> Void

    /// - Parameter terminate: ends the process.
    package init(terminate: @escaping @Sendable () -> Void = { exit(130) }) {
        self.terminate = terminate
    }

    /// The signals from now on, until the iterating task is cancelled.
    package func listen() async -> AsyncStream<Void> {
        await trap()
        return subscribe()
    }

    /// The same as ``listen()``, without trapping signals: only calls of ``deliver()`` count.
    func subscribe() -> AsyncStream<Void> {
        let (stream, listener) = AsyncStream.makeStream(of: Void.self)
        let number = state.withLock { state in
            state.count += 1
            state.listeners[state.count] = listener
            if state.isPending { listener.yield() }
            state.isPending = false
            return state.count
        }
        listener.onTermination = { _ in
            self.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    /// Delivers a signal to all listeners.
    func deliver() {
        let isSecond = state.withLock { state in
            let isDelivered = state.listeners.values.reduce(false) { isDelivered, listener in
                if case .enqueued = listener.yield() { return true }
                return isDelivered
            }
            defer { state.isPending = !isDelivered }
            return !isDelivered && state.isPending
        }
        if isSecond { terminate() }
    }

    /// Returns as soon as signals are trapped.
    private func trap() async {
        let trap = state.withLock { state in
            if let trap = state.trap { return trap }
            let trap = Task {
                let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
                Task { for await _ in signals { deliver() } }
            }
            state.trap = trap
            return trap
        }
        await trap.value
    }
}
