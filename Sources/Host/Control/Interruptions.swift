import Glibc
import Synchronization
import UnixSignals

/// The signals by which a person ends what a command does: SIGINT and SIGTERM.
///
/// They are trapped from the first time that somebody listens to the end of the process, by one source:
/// a source that is being cancelled takes along what comes just then. What comes while nobody listens is
/// told to who listens next; one more then ends the process.
final class Interruptions: Sendable {
    private struct State {
        var trap: Task<Void, Never>?
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var count = 0
        /// Whether one came that nobody was told of.
        var isPending = false
    }

    private let state = Mutex(State())
    private let giveUp: @Sendable () -> Void

    /// - Parameter giveUp: ends the process.
    init(giveUp: @escaping @Sendable () -> Void = { exit(130) }) {
        self.giveUp = giveUp
    }

    /// Tells of each from now on, until the task that iterates is cancelled.
    func listen() async -> AsyncStream<Void> {
        await trap()
        return heard()
    }

    /// The same, of those that ``tell()`` is called for.
    func heard() -> AsyncStream<Void> {
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

    /// Tells everybody who listens.
    func tell() {
        let isIgnored = state.withLock { state in
            let isHeard = state.listeners.values.reduce(false) { isHeard, listener in
                if case .enqueued = listener.yield() { return true }
                return isHeard
            }
            defer { state.isPending = !isHeard }
            return !isHeard && state.isPending
        }
        if isIgnored { giveUp() }
    }

    /// Returns as soon as no signal is lost.
    private func trap() async {
        let trap = state.withLock { state in
            if let trap = state.trap { return trap }
            let trap = Task {
                let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
                Task { for await _ in signals { tell() } }
            }
            state.trap = trap
            return trap
        }
        await trap.value
    }
}
