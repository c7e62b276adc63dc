public import Samples
public import Scheduling
import Synchronization

/// Clocks that only a test advances, and a timer that wakes sleeping tasks in order.
///
/// ``run(for:leaving:)`` waits for each sleeper it woke to sleep again, so that everything done
/// until then belongs to that moment.
public final class ManualTime: TimeSource {
    private struct Sleeper {
        let id: Int
        let end: Int64
        let wake: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: Int64
        /// The time of the monotonic clock, in microseconds; setting the wall clock does not change
        /// it.
        var elapsed: Int64 = 0
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var nextID = 0

        mutating func advance(by microseconds: Int64) {
            now += microseconds
            elapsed += microseconds
        }
    }

    private let state: Mutex<State>
    private let origin = ContinuousClock.Instant.now
    private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)

    public init(at now: Timestamp = Timestamp(microseconds: 1_700_000_010_000_000)) {
        state = Mutex(State(now: now.microseconds))
    }

    public func now() -> Timestamp {
        Timestamp(microseconds: state.withLock { $0.now })
    }

    public func instant() -> ContinuousClock.Instant {
        origin.advanced(by: .microseconds(state.withLock { $0.elapsed }))
    }

    /// Sets the wall clock, like a user or a time server; the monotonic clock does not change.
    public func set(to time: Timestamp) {
        state.withLock { $0.now = time.microseconds }
    }

    /// Advances both clocks and wakes every task that is due, without waiting for its work.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.advance(by: duration.wholeMicroseconds)
            let due = state.sleepers.filter { $0.end <= state.now }.sorted { $0.end < $1.end }
            state.sleepers.removeAll { $0.end <= state.now }
            return due
        }
        for sleeper in due { sleeper.wake.resume() }
    }

    /// Returns when this number of tasks sleep.
    public func waitForSleepers(_ count: Int) async {
        if state.withLock({ $0.sleepers.count >= count }) { return }
        for await _ in arrivals where state.withLock({ $0.sleepers.count >= count }) { return }
    }

    /// Advances the clocks, waking each task at its time and waiting until as many sleep again.
    ///
    /// - Parameter last: how many tasks sleep in the end, if not as many as before.
    public func run(for duration: Duration, leaving last: Int? = nil) async {
        let end = state.withLock { $0.now } + duration.wholeMicroseconds
        let count = state.withLock { $0.sleepers.count }
        while let next = state.withLock({ $0.sleepers.map(\.end).min() }), next <= end {
            let due = state.withLock { state in
                state.advance(by: max(0, next - state.now))
                let place = state.sleepers.firstIndex { $0.end == next }
                return place.map { state.sleepers.remove(at: $0) }
            }
            let isLast = state.withLock { $0.sleepers.allSatisfy { $0.end > end } }
            due?.wake.resume()
            await waitForSleepers(isLast ? last ?? count : min(count, last ?? count))
        }
        state.withLock { $0.advance(by: max(0, end - $0.now)) }
    }

    public func sleep(for duration: Duration) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wake in
                let isCancelled = state.withLock { state in
                    if state.cancelled.remove(id) != nil || Task.isCancelled { return true }
                    let end = state.now + duration.wholeMicroseconds
                    state.sleepers.append(Sleeper(id: id, end: end, wake: wake))
                    return false
                }
                if isCancelled { wake.resume(throwing: CancellationError()) }
                arrival.yield()
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let place = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.sleepers.remove(at: place)
            }
            sleeper?.wake.resume(throwing: CancellationError())
        }
    }
}
