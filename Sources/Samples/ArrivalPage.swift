/// Samples in the order in which they arrived, and where some of them cannot be read.
public struct ArrivalPage: Sendable {
    public let samples: [StoredSample]
    /// Where samples lie that arrived after the place that was asked for and that are damaged; all of
    /// time where nobody can tell.
    public let damage: [TimeRange]

    public init(samples: [StoredSample], damage: [TimeRange]) {
        self.samples = samples
        self.damage = damage
    }
}
