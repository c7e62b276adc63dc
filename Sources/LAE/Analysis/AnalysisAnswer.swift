public import Samples

/// What an analysis found, and in what.
public struct AnalysisAnswer: Hashable, Sendable {
    public let inputs: [FieldReference]
    /// The field of each input.
    public let fields: [Field]
    /// Rows that went in, samples or windows; `nil` when they were too few to be told.
    public let count: Int?
    /// `nil` when it is not defined on what there is, or may not be told.
    public let result: AnalysisResult?
    /// Whether samples are left out of which only summaries are left.
    public let isPartial: Bool
    /// Where samples are known to be damaged that would have gone in, by sensor and in order.
    public let damage: [SensorID: [TimeRange]]
}
