import Samples

/// Numbers of one field and when each was read, in the order of time.
struct Series: Hashable, Sendable {
    /// Microseconds since 1970; never descending.
    private(set) var times: [Int64] = []
    private(set) var values: [Double] = []

    init() {}

    /// Pairs at equal places, as many as the shorter has.
    init(times: [Int64], values: [Double]) {
        let count = min(times.count, values.count)
        self.times = Array(times.prefix(count))
        self.values = Array(values.prefix(count))
    }

    var count: Int { times.count }
    var isEmpty: Bool { times.isEmpty }
    var indices: Range<Int> { times.indices }

    mutating func append(_ value: Double, at time: Int64) {
        times.append(time)
        values.append(value)
    }

    func item(_ place: Int) -> TimedValue {
        TimedValue(time: Timestamp(microseconds: times[place]), value: values[place])
    }

    /// Seconds from one moment to another; right for any two.
    static func seconds(from start: Int64, to end: Int64) -> Double {
        let (difference, overflow) = end.subtractingReportingOverflow(start)
        return overflow
            ? Double(end) / 1_000_000 - Double(start) / 1_000_000 : Double(difference) / 1_000_000
    }
}
