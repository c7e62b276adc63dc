public import Samples
public import Statistics

/// A query for statistics of the fields of a sensor.
///
/// ```swift
/// let query = StatisticsQuery(
///     range: range, fields: ["busy"], statistics: [.mean, .percentile(95)], every: .seconds(3600))
/// ```
public struct StatisticsQuery: Hashable, Sendable {
    /// The maximum number of windows of one answer.
    public static let windowLimit = 10_000
    /// The maximum count of numbers in one answer: windows times fields times statistics.
    public static let numberLimit = 1_000_000

    /// The time range.
    public var range: TimeRange
    /// Numeric fields; `nil` for all of them.
    public var fields: [String]?
    /// The statistics, in the order of the answer.
    public var statistics: [Statistic]
    /// The width of the windows; the first begins with the range; `nil` for one window.
    public var every: Duration?
    /// Windows of the calendar, in place of windows of the width ``every``.
    public var calendar: CalendarWindows?
    /// Windows that may overlap, in place of windows of the width ``every``; the range is that of the windows.
    public var moving: MovingWindows?
    /// Conditions that a sample must meet to count.
    public var conditions: [Condition]

    /// Creates a query.
    public init(
        range: TimeRange = .all, fields: [String]? = nil,
        statistics: [Statistic] = Statistic.standard, every: Duration? = nil,
        calendar: CalendarWindows? = nil, conditions: [Condition] = []
    ) {
        self.range = range
        self.fields = fields
        self.statistics = statistics
        self.every = every
        self.calendar = calendar
        self.conditions = conditions
    }

    /// Creates a query for moving windows; percentiles are within 1 %.
    ///
    /// ```swift
    /// let windows = MovingWindows(from: noon, every: 60_000_000, count: 60, width: 300_000_000)
    /// let query = StatisticsQuery(moving: windows, fields: ["busy"], statistics: [.mean])
    /// ```
    public init(moving: MovingWindows, fields: [String]? = nil, statistics: [Statistic]) {
        self.init(range: moving.range, fields: fields, statistics: statistics)
        self.moving = moving
    }
}

/// Windows of the same width, which end at times that are a fixed step apart.
///
/// A window contains its end and not its start, so that the window before a sample's time contains the sample. Under a
/// statistics-only grant it contains its start and not its end, like the cells to which it is widened.
public struct MovingWindows: Hashable, Sendable {
    /// The end of the first window.
    public let first: Timestamp
    /// Microseconds between the ends of two windows, at least 1.
    public let step: Int64
    /// The number of windows.
    public let count: Int
    /// The width of a window in microseconds, at least 1.
    public let width: Int64

    /// - Parameters:
    ///   - first: the end of the first window.
    ///   - step: microseconds between two windows.
    ///   - width: microseconds.
    public init(from first: Timestamp, every step: Int64, count: Int, width: Int64) {
        self.first = first
        self.step = max(1, step)
        self.count = max(1, count)
        self.width = max(1, width)
    }

    /// The end of a window.
    public func end(of window: Int) -> Timestamp {
        let (offset, overflow) = step.multipliedReportingOverflow(by: Int64(window))
        return first.advanced(byMicroseconds: overflow ? .max : offset)
    }

    /// The time range of a window.
    public func range(of window: Int) -> TimeRange {
        let end = end(of: window).advanced(byMicroseconds: 1)
        return TimeRange(from: end.advanced(byMicroseconds: -width), to: end)
    }

    /// The time range of a window under a statistics-only grant.
    func cellRange(of window: Int) -> TimeRange {
        let end = end(of: window)
        return TimeRange(from: end.advanced(byMicroseconds: -width), to: end)
    }

    /// The time range that contains all windows.
    public var range: TimeRange {
        TimeRange(from: range(of: 0).from, to: range(of: count - 1).to)
    }
}

/// Statistics by window and field.
public struct StatisticsTable: Hashable, Sendable {
    /// One window of the range.
    public struct Window: Hashable, Sendable {
        /// Its time range; without `every` or a calendar, the range of the query.
        public let range: TimeRange
        /// The number of its samples; `nil` when suppressed.
        public let count: Int?
        /// One row per field with one number per statistic, in the order of the table; `nil` where
        /// a statistic is not defined or is suppressed.
        public let values: [[Double?]]
        /// Whether it includes pruned samples, of which only summaries exist: percentiles are then
        /// within 1 %, like approximate ones.
        public let isFromSummaries: Bool
        /// Whether samples are missing: they are damaged, or only summaries exist that extend
        /// beyond the window or to which conditions and terms cannot be applied.
        public let isPartial: Bool
        /// The share of its time for which samples exist; `nil` when unknown.
        public let coverage: Coverage?

        init(
            _ range: TimeRange, _ summary: WindowSummary, _ coverage: Coverage?, count: Int?,
            values: [[Double?]], isApproximate: Bool = false
        ) {
            self.range = range
            self.coverage = coverage
            self.count = count
            self.values = values
            isFromSummaries = summary.isFromSummaries || isApproximate
            isPartial = summary.isPartial
        }
    }

    /// The fields, in the order of the rows of each window.
    public let fields: [Field]
    /// The statistics, in the order of the numbers of each row.
    public let statistics: [Statistic]
    /// The windows, in order of time.
    public let windows: [Window]
    /// The time ranges in which samples are damaged, in order.
    public let damage: [TimeRange]
}

/// The share of a time range that the samples of an answer cover.
///
/// A sample covers the time up to the next one, at most four times the usual interval, which is the
/// second longest of the four intervals before it; see `Spacing` and `ObservedTime`. Missing
/// samples cover nothing. The future is excluded: a range is cut at the current time, and an open
/// range begins with its first sample.
public struct Coverage: Hashable, Sendable {
    /// Microseconds that are covered.
    public let covered: Int64
    /// Microseconds of the range, at least 1.
    public let whole: Int64

    /// The share that is covered, 0 to 1.
    public var share: Double { Double(covered) / Double(whole) }

    /// - Parameter range: bounded on both sides.
    /// - Returns: `nil` when it is unknown, or the range is in the future.
    init?(_ covered: Int64?, of range: TimeRange) {
        let (whole, overflow) = range.to.microseconds.subtractingReportingOverflow(
            range.from.microseconds)
        guard let covered, !overflow, whole > 0 else { return nil }
        (self.covered, self.whole) = (min(covered, whole), whole)
    }

    /// The coverage of adjacent windows.
    ///
    /// - Parameter ranges: the time ranges of the windows.
    static func of(
        _ windows: [WindowSummary], in ranges: [TimeRange], now: Timestamp
    ) -> [Coverage?] {
        let ranges = zip(windows, ranges).map { window, range in
            let from =
                range.from == .distantPast ? window.spacing?.first ?? range.from : range.from
            return TimeRange(from: from, to: max(from, min(range.to, now)))
        }
        let unknown = windows.indices.filter { windows[$0].hasUnknownTimes }
        let covered = ObservedTime(windows.map(\.spacing), unknown: Set(unknown), in: ranges)
            .microseconds
        return zip(covered, ranges).map { Coverage($0, of: $1) }
    }
}
