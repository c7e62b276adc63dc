public import Samples

/// A time series: the values of one field and their times, in ascending order of time.
///
/// ```swift
/// let series = Series(times: [0, 1_000_000], values: [20, 21])
/// RateOfChange.of(series).map(\.value)  // [1.0]
/// ```
public struct Series: Hashable, Sendable {
    /// Microseconds since 1970; never descending.
    public private(set) var times: [Int64] = []
    /// One value for each time, in the unit of the field.
    public private(set) var values: [Double] = []

    /// An empty series.
    public init() {}

    /// Pairs times and values by index, up to the length of the shorter array.
    ///
    /// - Parameter times: microseconds since 1970, never descending.
    public init(times: [Int64], values: [Double]) {
        let count = min(times.count, values.count)
        self.times = Array(times.prefix(count))
        self.values = Array(values.prefix(count))
    }

    /// The number of values.
    public var count: Int { times.count }
    /// Whether there are no values.
    public var isEmpty: Bool { times.isEmpty }
    /// The valid indices: `0..<count`.
    public var indices: Range<Int> { times.indices }

    /// Appends a value; `time` must not be before the last one.
    public mutating func append(_ value: Double, at time: Int64) {
        times.append(time)
        values.append(value)
    }

    /// The value at an index with its time; traps outside ``indices``.
    public func item(_ index: Int) -> TimedValue {
        TimedValue(time: Timestamp(microseconds: times[index]), value: values[index])
    }

    /// The seconds between two times in microseconds, without overflow.
    public static func seconds(from start: Int64, to end: Int64) -> Double {
        let (difference, overflow) = end.subtractingReportingOverflow(start)
        return overflow
            ? Double(end) / 1_000_000 - Double(start) / 1_000_000 : Double(difference) / 1_000_000
    }
}

/// A value and its time.
public struct TimedValue: Hashable, Sendable {
    /// When the value was measured.
    public let time: Timestamp
    /// The value, in the unit of the field.
    public let value: Double

    /// Pairs a value with its time.
    public init(time: Timestamp, value: Double) {
        self.time = time
        self.value = value
    }
}

/// The rate of change between consecutive values.
public enum RateOfChange {
    /// First differences divided by the elapsed time, (x₂ − x₁) / (t₂ − t₁).
    ///
    /// Of values with equal times only the last is used. Rates that are not finite are omitted.
    /// - Returns: rates in units per second, each at the time of the later value.
    public static func of(_ series: Series) -> [TimedValue] {
        var rates: [TimedValue] = []
        var previous: Int?
        for index in series.indices {
            let isLast = index + 1 == series.count || series.times[index + 1] != series.times[index]
            guard isLast else { continue }
            defer { previous = index }
            guard let previous else { continue }
            let seconds = Series.seconds(from: series.times[previous], to: series.times[index])
            let rate = (series.values[index] - series.values[previous]) / seconds
            if let rate = rate.finite {
                rates.append(
                    TimedValue(time: Timestamp(microseconds: series.times[index]), value: rate))
            }
        }
        return rates
    }
}

extension Double {
    /// The number, or `nil` when it is an infinity or NaN.
    public var finite: Double? { isFinite ? self : nil }
}
