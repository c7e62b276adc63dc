import Samples

/// Numbers of one field and when each was read, in the order of time.
public struct Series: Hashable, Sendable {
    /// Microseconds since 1970; never descending.
    public private(set) var times: [Int64] = []
    public private(set) var values: [Double] = []

    public init() {}

    /// Pairs at equal places, as many as the shorter has.
    public init(times: [Int64], values: [Double]) {
        let count = min(times.count, values.count)
        self.times = Array(times.prefix(count))
        self.values = Array(values.prefix(count))
    }

    public var count: Int { times.count }
    public var isEmpty: Bool { times.isEmpty }
    public var indices: Range<Int> { times.indices }

    public mutating func append(_ value: Double, at time: Int64) {
        times.append(time)
        values.append(value)
    }

    public func item(_ place: Int) -> TimedValue {
        TimedValue(time: Timestamp(microseconds: times[place]), value: values[place])
    }

    /// Seconds from one moment to another; right for any two.
    public static func seconds(from start: Int64, to end: Int64) -> Double {
        let (difference, overflow) = end.subtractingReportingOverflow(start)
        return overflow
            ? Double(end) / 1_000_000 - Double(start) / 1_000_000 : Double(difference) / 1_000_000
    }
}
