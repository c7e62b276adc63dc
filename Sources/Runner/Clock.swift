/// The clock of timers and of `performance.now()`; it never jumps of its own accord.
struct Clock {
    private let start = SuspendingClock.now
    /// Nanoseconds after the start as the host says; `nil` where the machine's clock is followed.
    private(set) var told: UInt64?

    /// Nanoseconds since the start: of the process, or of the time that the host lets pass.
    var now: UInt64 { told ?? steady }

    /// Nanoseconds since the start of the process, whatever the host says.
    var steady: UInt64 {
        let (seconds, attoseconds) = start.duration(to: .now).components
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
    }

    /// Whether the host says what time it is.
    var isTold: Bool { told != nil }

    /// Follows the host from now on; its time never goes back.
    mutating func tell(_ time: UInt64) {
        told = max(time, told ?? 0)
    }
}
