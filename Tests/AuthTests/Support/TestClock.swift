import Samples
import Synchronization

/// A wall clock that stands still until told otherwise.
final class TestClock: Sendable {
    private let time = Mutex(Timestamp(microseconds: 1_800_000_000_000_000))

    var now: Timestamp { time.withLock { $0 } }

    func advance(_ duration: Duration) {
        time.withLock { $0 = $0.advanced(byMicroseconds: duration.wholeMicroseconds) }
    }
}
