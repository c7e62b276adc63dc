public import Samples

/// Which samples of a sensor to give out.
public struct SampleSelection: Hashable, Sendable {
    public var range: TimeRange
    public var order: SampleQuery.Order
    /// The fields to keep, in this order; `nil` for all.
    public var fields: [String]?
    /// Conditions that must all hold.
    public var conditions: [Condition]
    /// Only what stands behind this place in the chosen order.
    public var after: SampleQuery.Position?
    public var limit: Int

    public init(
        range: TimeRange = .all, order: SampleQuery.Order = .ascending, fields: [String]? = nil,
        conditions: [Condition] = [], after: SampleQuery.Position? = nil, limit: Int = 100
    ) {
        self.range = range
        self.order = order
        self.fields = fields
        self.conditions = conditions
        self.after = after
        self.limit = max(1, limit)
    }
    /// The stretch of time that a page of the selection stands for.
    ///
    /// - Parameter end: where the page ends; `nil` when it reaches as far as the range.
    func stretch(to end: SampleQuery.Position?) -> TimeRange {
        let (start, stop) = (after?.time, end?.time)
        switch order {
        case .ascending:
            return range.intersection(
                TimeRange(
                    from: start ?? .distantPast,
                    to: stop?.advanced(byMicroseconds: 1) ?? .distantFuture))
        case .descending:
            return range.intersection(
                TimeRange(
                    from: stop ?? .distantPast,
                    to: start?.advanced(byMicroseconds: 1) ?? .distantFuture))
        }
    }
}
