/// What may be done with a sensor.
public enum Access: String, Hashable, Sendable, Codable, CaseIterable {
    /// Read every single sample, and so every statistic too.
    case raw
    /// Read aggregates of many samples, never a single one.
    case stats
    /// Publish samples.
    case write

    /// Whether permission for this includes permission for `other`.
    public func includes(_ other: Access) -> Bool {
        self == other || self == .raw && other == .stats
    }
}
