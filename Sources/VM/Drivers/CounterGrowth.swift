/// Returns the time that the machine was awake, since an arbitrary moment.
///
/// Rates are measured against it, because counters do not grow while the machine sleeps.
typealias AwakeTime = @Sendable () -> Duration

/// The machine's own ``AwakeTime``.
let systemAwakeTime: AwakeTime = {
    let start = SuspendingClock.now
    return { start.duration(to: .now) }
}()

/// Computes the rates of counters that the kernel only increments.
struct CounterGrowth: Sendable {
    private var last: (time: Duration, counters: [Int64])?

    /// The growth of each counter per second since the previous call.
    ///
    /// - Returns: `nil` on the first call, when the number of counters has changed, when no time has
    ///   passed, and when a counter decreased: it wrapped or its device was replaced, so its growth
    ///   is unknown.
    mutating func perSecond(_ counters: [Int64], at time: Duration) -> [Double]? {
        guard let last, last.counters.count == counters.count else {
            last = (time, counters)
            return nil
        }
        let elapsed = (time - last.time) / .seconds(1)
        guard elapsed > 0 else { return nil }
        self.last = (time, counters)
        let pairs = zip(counters, last.counters)
        guard pairs.allSatisfy({ $0 >= $1 }) else { return nil }
        return pairs.map { (Double($0) - Double($1)) / elapsed }
    }
}
