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
        var tried: Set<Int> = []
        // `yield` must not be called with the lock of `state` held: it takes the lock of the task that
        // iterates. If that task is being cancelled, it holds its lock while `onTermination` waits for
        // the lock of `state`, so both would wait forever.
        while let listeners = untriedListeners(tried) {
            let isDelivered = listeners.values.reduce(false) { isDelivered, listener in
                if case .enqueued = listener.yield() { return true }
                return isDelivered
            }
            if isDelivered { return state.withLock { $0.isPending = false } }
            tried.formUnion(listeners.keys)
        }
    }

    /// The listeners to which a signal was not delivered yet.
    ///
    /// - Returns: `nil` if there are none; then the signal is pending, or terminates the process.
    private func untriedListeners(_ tried: Set<Int>) -> [Int: AsyncStream<Void>.Continuation]? {
        var isSecond = false
        let listeners = state.withLock { state in
            let listeners = state.listeners.filter { !tried.contains($0.key) }
            if listeners.isEmpty {
                isSecond = state.isPending
                state.isPending = true
            }
            return listeners
        }
        if isSecond { terminate() }
        return listeners.isEmpty ? nil : listeners
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
