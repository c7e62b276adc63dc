import Samples
import Scheduling
import Synchronization

/// A wall clock that only a test advances.
final class TestClock: Sendable {
    private let time: Mutex<Timestamp>

    init(_ time: Timestamp = .now()) {
        self.time = Mutex(time)
    }

    var now: Timestamp {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    func advance(_ duration: Duration) {
        time.withLock { $0 = $0.advanced(byMicroseconds: duration.wholeMicroseconds) }
    }
}

/// The wall clock of a test, with real timers.
struct TestWallClock: TimeSource {
    let clock: TestClock

    func now() -> Timestamp { clock.now }

    func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration)
    }
}
