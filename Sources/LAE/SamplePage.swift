public import Samples

/// Samples and where to go on.
public struct SamplePage: Hashable, Sendable {
    /// The fields of each sample's values, in order.
    public let fields: [Field]
    public let samples: [StoredSample]
    /// Give it as `after` for the next page; `nil` when this is the last.
    public let next: SampleQuery.Position?
    /// Where samples are damaged that would be on this page.
    public let damage: [TimeRange]
}
