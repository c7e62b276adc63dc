/// Counts the calls of each client, within a minute and at once.
public actor CallMeter {
    /// Calls of all clients that may be under way at once.
    static let most = 16
    private static let minute = Duration.seconds(60)

    private struct Count {
        var start: ContinuousClock.Instant
        var calls = 0
        var running = 0
    }

    private let now: @Sendable () -> ContinuousClock.Instant
    private var counts: [String: Count] = [:]
    private var running = 0

    public init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
    }

    /// Begins a call; every one that was begun has to be ended.
    ///
    /// - Throws: `tooManyCalls`.
    public func begin(_ client: String, _ limits: FetchLimits) throws(NetError) {
        let now = now()
        counts = counts.filter { $0.value.running > 0 || now - $0.value.start < Self.minute }
        var count = counts[client] ?? Count(start: now)
        if now - count.start >= Self.minute { (count.start, count.calls) = (now, 0) }
        guard count.running < limits.atOnce else {
            throw NetError(
                .tooManyCalls,
                "\(client) may have \(limits.atOnce) calls to other servers under way at once.",
                retryAfter: .seconds(1))
        }
        guard count.calls < limits.perMinute else {
            throw NetError(
                .tooManyCalls,
                "\(client) may make \(limits.perMinute) calls to other servers a minute.",
                retryAfter: Self.minute - (now - count.start))
        }
        guard running < Self.most else {
            throw NetError(
                .tooManyCalls, "Too many calls to other servers are under way.",
                retryAfter: .seconds(1))
        }
        count.calls += 1
        count.running += 1
        running += 1
        counts[client] = count
    }

    /// Ends a call.
    public func end(_ client: String) {
        counts[client]?.running -= 1
        running -= 1
    }
}
