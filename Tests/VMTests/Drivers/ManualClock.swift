import Synchronization

@testable import VM

/// A clock that stands still until told otherwise.
final class ManualClock: Sendable {
    private let nanoseconds = Mutex<Int64>(1_000_000_000)

    var clock: SteadyClock {
        SteadyClock { self.nanoseconds.withLock { $0 } }
    }

    func advance(seconds: Double) {
        nanoseconds.withLock { $0 += Int64(seconds * 1e9) }
    }
}
