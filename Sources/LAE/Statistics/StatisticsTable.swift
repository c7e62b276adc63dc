public import Samples

/// Statistics by window and field.
public struct StatisticsTable: Hashable, Sendable {
    public struct Window: Hashable, Sendable {
        /// The time it stands for; without `every`, the range that was asked for.
        public let range: TimeRange
        /// Samples that went into it; `nil` when they were too few to be told.
        public let count: Int?
        /// One row a field, one number a statistic, in the order of the table; `nil` where a
        /// statistic is not defined or may not be told.
        public let values: [[Double?]]
    }

    public let fields: [Field]
    public let statistics: [Statistic]
    public let windows: [Window]
}
