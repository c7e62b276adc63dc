public import Samples
public import Statistics

/// Which statistics of which fields over which time.
public struct StatisticsQuery: Hashable, Sendable {
    /// The most windows of one answer.
    public static let windowLimit = 10_000
    /// The most numbers of one answer: statistics of fields in windows.
    public static let numberLimit = 1_000_000

    public var range: TimeRange
    /// Numeric fields; `nil` for all of them.
    public var fields: [String]?
    public var statistics: [Statistic]
    /// The width of the windows, the first of which begins with the range; `nil` for one window.
    public var every: Duration?
    /// Conditions that must all hold for a sample to count.
    public var conditions: [Condition]

    public init(
        range: TimeRange = .all, fields: [String]? = nil,
        statistics: [Statistic] = Statistic.standard, every: Duration? = nil,
        conditions: [Condition] = []
    ) {
        self.range = range
        self.fields = fields
        self.statistics = statistics
        self.every = every
        self.conditions = conditions
    }
}
