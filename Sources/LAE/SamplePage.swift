public import Samples
public import VM

/// Which samples of a sensor to return.
public struct SampleSelection: Hashable, Sendable {
    /// The time range.
    public var range: TimeRange
    /// The order of the samples.
    public var order: SampleQuery.Order
    /// The fields to return, in this order; `nil` for all.
    public var fields: [String]?
    /// Conditions that samples must all meet.
    public var conditions: [Condition]
    /// Return only samples after this position in the chosen order.
    public var after: SampleQuery.Position?
    /// The maximum number of samples.
    public var limit: Int

    /// Creates a selection.
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

    /// The part of the range that a page of the selection covers.
    ///
    /// - Parameter end: where the page ends; `nil` for the end of the range.
    func range(to end: SampleQuery.Position?) -> TimeRange {
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

/// Samples, and the position to continue from.
public struct SamplePage: Hashable, Sendable {
    /// The fields of each sample's values, in order.
    public let fields: [Field]
    /// The samples, in the order of the selection.
    public let samples: [StoredSample]
    /// Pass it as `after` for the next page; `nil` when this is the last page.
    public let next: SampleQuery.Position?
    /// The time ranges of this page in which samples are damaged.
    public let damage: [TimeRange]

    init(
        fields: [Field], samples: [StoredSample], next: SampleQuery.Position?, damage: [TimeRange]
    ) {
        self.fields = fields
        self.samples = samples
        self.next = next
        self.damage = damage
    }

    /// The samples of a batch, row by row.
    init(_ page: BatchPage) {
        self.init(
            fields: page.fields, samples: (0..<page.stored.count).map { page.stored[$0] },
            next: page.next, damage: page.damage)
    }
}

/// The newest sample that a grant allows to see.
public struct LatestSample: Hashable, Sendable {
    /// A page with the sample, or with none.
    public let page: SamplePage
    /// How old it is; `nil` without a sample.
    public let freshness: Freshness?
    /// The expected interval between two samples that the grant allows to see; `nil` when it is unknown.
    public let interval: Duration?

    /// The sample, if there is one.
    public var samples: [StoredSample] { page.samples }
    /// The fields of its values, in order.
    public var fields: [Field] { page.fields }

    init(page: SamplePage, freshness: Freshness?, interval: Duration?) {
        (self.page, self.freshness, self.interval) = (page, freshness, interval)
    }
}

/// Samples column by column, and the position to continue from.
public struct BatchPage: Hashable, Sendable {
    /// The fields of the columns, in order.
    public let fields: [Field]
    /// The samples with their sequence numbers.
    public let stored: StoredBatch
    /// Pass it as `after` for the next page; `nil` when this is the last page.
    public let next: SampleQuery.Position?
    /// The time ranges of this page in which samples are damaged.
    public let damage: [TimeRange]

    /// The samples without sequence numbers.
    public var samples: SampleBatch { stored.samples }
}

/// Samples of a sensor in the order in which they were accepted, as a grant allows to see them.
public struct Arrivals: Sendable {
    /// The samples, and where some of them are damaged.
    public let page: SamplePage
    /// The last sequence number that was read, also of samples that the terms exclude.
    public let last: Int64
    /// Whether no more samples had arrived when these were read.
    public let isComplete: Bool
    /// The last sequence number of a sample older than the grant allows to see; `nil` for none.
    public let tooOld: Int64?
    /// For a virtual sensor: how far its windows are closed, which spares the next read a search.
    public let mark: Timestamp?
}
