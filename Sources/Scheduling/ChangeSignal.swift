import Synchronization

/// Signals to watchers that some state has changed, without saying what.
///
/// Changes that a watcher has not received yet are merged into one element, so a slow watcher needs no more
/// memory.
///
/// ```swift
/// let changes = ChangeSignal()
/// for await _ in changes.watch() { print(await levels()) }
/// ```
public final class ChangeSignal: Sendable {
    private struct Watchers {
        var all: [Int: AsyncStream<Void>.Continuation] = [:]
        var last = 0
    }

    private let watchers = Mutex(Watchers())

    /// Creates a signal without watchers.
    public init() {}

    /// A stream with an element after each change; to stop watching, discard the stream.
    public func watch() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = watchers.withLock { watchers in
            watchers.last += 1
            watchers.all[watchers.last] = continuation
            return watchers.last
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.watchers.withLock { $0.all.removeValue(forKey: number) }
        }
        return stream
    }

    /// Reports a change.
    public func send() {
        for watcher in watchers.withLock({ Array($0.all.values) }) { watcher.yield() }
    }

    /// The number of watchers.
    var count: Int { watchers.withLock { $0.all.count } }
}
