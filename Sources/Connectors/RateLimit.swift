import Samples

/// At most so many messages a second, with the bursts of one second.
struct TokenBucket: Sendable {
    /// Messages a second.
    let rate: Double
    private var tokens: Double
    private var last: Timestamp?

    /// - Parameter rate: messages a second, above zero.
    init(rate: Double) {
        self.rate = rate
        tokens = max(1, rate)
    }

    mutating func admits(at time: Timestamp) -> Bool {
        if let last, time > last {
            let passed = Double(time.microseconds - last.microseconds) / 1e6
            tokens = min(max(1, rate), tokens + passed * rate)
        }
        // A clock that is put back gives nothing twice.
        last = time
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}
