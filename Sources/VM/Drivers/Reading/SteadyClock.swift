/// A clock that only moves forward, against which rates are measured.
struct SteadyClock: Sendable {
    /// The time that the machine was awake, from an arbitrary moment.
    static let system = {
        let start = SuspendingClock.now
        return SteadyClock {
            let (seconds, attoseconds) = start.duration(to: .now).components
            return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
        }
    }()

    /// Nanoseconds since an arbitrary moment.
    let now: @Sendable () -> Int64

    init(now: @escaping @Sendable () -> Int64) {
        self.now = now
    }
}
