import Samples
import Synchronization

@testable import VM

/// A clock that moves only when told to, and then wakes its sleepers one by one in their order.
///
/// `run(for:)` waits for each sleeper it woke to sleep again, so what happens until then belongs to
/// that moment.
final class VirtualClock: Sendable {
    private struct Sleeper {
        let id: Int
        let end: Int64
        let wake: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: Int64
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var nextID = 0
    }

    private let state: Mutex<State>
    private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)

    init(at now: Int64 = 1_700_000_010_000_000) {
        state = Mutex(State(now: now))
    }

    var now: Timestamp { Timestamp(microseconds: state.withLock { $0.now }) }

    var source: TimeSource {
        TimeSource(now: { self.now }, sleep: { try await self.sleep($0) })
    }

    /// Returns when this many tasks sleep.
    func waitForSleepers(_ count: Int) async {
        if state.withLock({ $0.sleepers.count >= count }) { return }
        for await _ in arrivals where state.withLock({ $0.sleepers.count >= count }) { return }
    }

    /// Moves the clock, waking whoever is due and waiting until as many sleep again.
    ///
    /// - Parameter last: how many sleep when all is done, where that is not as many as before.
    func run(for duration: Duration, leaving last: Int? = nil) async {
        let end = state.withLock { $0.now } + duration.wholeMicroseconds
        let count = state.withLock { $0.sleepers.count }
        while let next = state.withLock({ $0.sleepers.map(\.end).min() }), next <= end {
            let due = state.withLock { state in
                state.now = max(state.now, next)
                let place = state.sleepers.firstIndex { $0.end == next }
                return place.map { state.sleepers.remove(at: $0) }
            }
            let isLast = state.withLock { $0.sleepers.allSatisfy { $0.end > end } }
            due?.wake.resume()
            await waitForSleepers(isLast ? last ?? count : min(count, last ?? count))
        }
        state.withLock { $0.now = end }
    }

    private func sleep(_ duration: Duration) async throws {
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
