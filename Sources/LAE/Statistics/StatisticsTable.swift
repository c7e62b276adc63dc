public import Samples
public import Statistics

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
        /// Whether samples went into it of which only summaries are left: percentiles are then within
        /// 1 %, like approximate ones.
        public let isFromSummaries: Bool
        /// Whether samples are left out of it: only summaries are left of them that reach beyond it, or
        /// that conditions and terms cannot be asked of, or they are damaged.
        public let isPartial: Bool
        /// How much of its time was seen; `nil` when that cannot be told.
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

    public let fields: [Field]
    public let statistics: [Statistic]
    public let windows: [Window]
    /// Where samples of the range are known to be damaged, in order.
    public let damage: [TimeRange]
}
