internal import Glibc

/// The clock of timers and of `performance.now()`; it never jumps.
struct Clock {
    private let start: UInt64

    init() {
        start = Self.read()
    }

    /// Nanoseconds since the start of the process.
    var now: UInt64 { Self.read() - start }

    private static func read() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
