import Samples
import Scheduling
import Synchronization

/// A clock that stands until it is set, and never goes back.
final class VirtualClock: Sendable {
    let start: Timestamp
    private let time: Mutex<Timestamp>

    init(start: Timestamp) {
        self.start = start
        time = Mutex(start)
    }

    var now: Timestamp { time.withLock { $0 } }

    func advance(to moment: Timestamp) {
        time.withLock { $0 = max($0, moment) }
    }
}

/// The virtual wall clock, for parts of the host whose timers are real.
struct VirtualWallClock: TimeSource {
    let clock: VirtualClock

    func now() -> Timestamp { clock.now }

    func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration)
    }
}
