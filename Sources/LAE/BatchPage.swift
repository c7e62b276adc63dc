public import Samples

/// Samples column by column, and where to go on.
public struct BatchPage: Hashable, Sendable {
    /// The fields of the columns, in order.
    public let fields: [Field]
    /// With the arrival numbers.
    public let stored: StoredBatch
    /// Give it as `after` for the next page; `nil` when this is the last.
    public let next: SampleQuery.Position?
    /// Where samples are damaged that would be on this page.
    public let damage: [TimeRange]

    public var samples: SampleBatch { stored.samples }
}
