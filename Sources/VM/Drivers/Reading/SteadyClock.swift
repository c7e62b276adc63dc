internal import Glibc

/// A clock that only moves forward, against which rates are measured.
struct SteadyClock: Sendable {
    /// `CLOCK_MONOTONIC`; see clock_gettime(2).
    static let system = SteadyClock {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// Nanoseconds since an arbitrary moment.
    let now: @Sendable () -> Int64

    init(now: @escaping @Sendable () -> Int64) {
        self.now = now
    }
}
