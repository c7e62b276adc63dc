/// The last four intervals, in microseconds.
struct RecentIntervals: Hashable, Sendable {
    private(set) var intervals = SIMD4<Int64>()

    init() {}

    init(_ intervals: SIMD4<Int64>) {
        self.intervals = intervals
    }

    mutating func append(_ interval: Int64) {
        intervals = SIMD4(intervals[1], intervals[2], intervals[3], interval)
    }

    /// The shortest of them; 0 where there are fewer than four.
    var shortest: Int64 { intervals.min() }

    /// How much of the next interval counts: a multiple of the second longest of these.
    var limit: Int64 {
        let (left, right) = (
            (min(intervals[0], intervals[1]), max(intervals[0], intervals[1])),
            (min(intervals[2], intervals[3]), max(intervals[2], intervals[3]))
        )
        let second = max(min(left.1, right.1), max(left.0, right.0))
        let (limit, overflow) = second.multipliedReportingOverflow(by: Spacing.tolerance)
        return overflow ? .max : limit
    }
}
