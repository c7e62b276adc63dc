import LAE
import Samples
import Statistics

/// Statistics as the API gives them.
public struct StatisticsAnswer: Codable, Sendable {
    public struct Window: Codable, Sendable {
        /// Milliseconds since 1970; not there for an open end.
        public let from: Double?
        public let to: Double?
        /// Not there when the samples were too few to be told.
        public let count: Int?
        /// By field, then by statistic.
        public let values: [String: [String: Double?]]
        /// True when only summaries are left of some of its samples: percentiles are within 1 %.
        public let approximate: Bool?
        /// True when samples are left out: only summaries are left of them that reach beyond it, or they
        /// are damaged.
        public let partial: Bool?
        /// How much of its time was seen, 0 to 1, up to now; not there when that cannot be told.
        public let coverage: Double?
        /// The same in milliseconds.
        public let seen: Double?
    }

    public let sensor: String
    public let fields: [SensorDescription.FieldDescription]
    /// The names of the statistics, in the order in which they were asked for.
    public let fn: [String]
    public let items: [Window]
    /// Where samples of the range are damaged; not there when none are known to be.
    public let damaged: [DamagedRange]?

    init(_ table: StatisticsTable, of sensor: SensorID) {
        self.sensor = sensor.description
        fields = table.fields.map(SensorDescription.FieldDescription.init)
        let names = table.statistics.map(\.description)
        fn = names
        damaged = DamagedRange.list(table.damage)
        items = table.windows.map { window in
            let rows = window.values.map { Dictionary(zip(names, $0)) { first, _ in first } }
            return Window(
                from: window.range.from.bounded?.milliseconds,
                to: window.range.to.bounded?.milliseconds, count: window.count,
                values: Dictionary(zip(table.fields.map(\.name), rows)) { first, _ in first },
                approximate: window.isFromSummaries ? true : nil,
                partial: window.isPartial ? true : nil,
                coverage: window.coverage?.share,
                seen: window.coverage.map { Timestamp(microseconds: $0.seen).milliseconds })
        }
    }
}
