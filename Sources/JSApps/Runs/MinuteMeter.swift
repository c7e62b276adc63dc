/// Counts what happens within a minute.
struct MinuteMeter {
    private let limit: Int
    private var start: ContinuousClock.Instant?
    private var count = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// - Returns: whether that much more is within the limit.
    mutating func add(_ amount: Int, at now: ContinuousClock.Instant) -> Bool {
        if start.map({ now - $0 >= .seconds(60) }) ?? true {
            start = now
            count = 0
        }
        count += amount
        return count <= limit
    }
}
