/// The clock of timers and of `performance.now()`; it never jumps.
struct Clock {
    private let start = SuspendingClock.now

    /// Nanoseconds since the start of the process.
    var now: UInt64 {
        let (seconds, attoseconds) = start.duration(to: .now).components
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
    }
}
