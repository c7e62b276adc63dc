/// Bounds the processor time that a process uses within a minute, from what it has used in all.
struct ProcessorMeter {
    private let limit: Duration
    private var marks: [(time: ContinuousClock.Instant, cpu: Duration)] = []

    /// What may still be used at once.
    var room: Duration { limit - used }

    init(limit: Duration) {
        self.limit = limit
    }

    /// - Parameter cpu: what was used since the process began.
    /// - Returns: whether what was used within the last minute is within the limit.
    mutating func add(_ cpu: Duration, at now: ContinuousClock.Instant) -> Bool {
        marks.append((now, cpu))
        // One older mark stays: it tells what had been used when the minute began.
        while marks.count > 1, now - marks[1].time >= .seconds(60) { marks.removeFirst() }
        return used <= limit
    }

    private var used: Duration {
        guard let first = marks.first, let last = marks.last else { return .zero }
        return last.cpu - first.cpu
    }
}
