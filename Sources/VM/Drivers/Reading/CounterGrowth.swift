/// How fast counters that the kernel only ever adds to are growing.
struct CounterGrowth: Sendable {
    private var last: (nanoseconds: Int64, counters: [Int64])?

    /// The growth of each counter per second since the call before.
    ///
    /// - Returns: `nil` on the first call, when no time has passed, and when a counter is less than
    ///   before: it wrapped or its device was replaced, and nobody knows how far it had come.
    mutating func perSecond(_ counters: [Int64], at nanoseconds: Int64) -> [Double]? {
        guard let last, last.counters.count == counters.count else {
            last = (nanoseconds, counters)
            return nil
        }
        let elapsed = (Double(nanoseconds) - Double(last.nanoseconds)) / 1e9
        guard elapsed > 0 else { return nil }
        self.last = (nanoseconds, counters)
        let pairs = zip(counters, last.counters)
        guard pairs.allSatisfy({ $0 >= $1 }) else { return nil }
        return pairs.map { (Double($0) - Double($1)) / elapsed }
    }
}
