import Samples

/// Lets so many through within a stretch of time, and says how long to wait for the next.
struct RateLimit: Sendable {
    let count: Int
    let window: Duration
    private var times: [Timestamp] = []

    init(_ count: Int, within window: Duration) {
        self.count = count
        self.window = window
    }

    /// Takes one.
    ///
    /// Those that must wait do not make the wait longer.
    ///
    /// - Returns: how long to wait; `nil` when it was let through.
    mutating func take(at now: Timestamp) -> Duration? {
        let start = now.advanced(byMicroseconds: -window.wholeMicroseconds)
        // A clock that was set back leaves times in the future, which must hold nobody off.
        times = times.filter { start < $0 && $0 <= now }
        guard times.count >= count, let oldest = times.first else {
            times.append(now)
            return nil
        }
        return .microseconds(oldest.microseconds - start.microseconds)
    }

    /// Whether nothing is remembered that matters any more.
    func isIdle(at now: Timestamp) -> Bool {
        let start = now.advanced(byMicroseconds: -window.wholeMicroseconds)
        return times.allSatisfy { $0 <= start || now < $0 }
    }
}
