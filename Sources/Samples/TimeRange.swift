/// The moments from `from`, included, to `to`, excluded.
public struct TimeRange: Hashable, Sendable {
    public let from: Timestamp
    public let to: Timestamp

    /// Every moment but the very last representable one.
    public static let all = TimeRange(from: .distantPast, to: .distantFuture)

    /// A range that ends before it begins is empty.
    public init(from: Timestamp, to: Timestamp) {
        self.from = from
        self.to = max(from, to)
    }

    public var isEmpty: Bool { from == to }

    public func contains(_ time: Timestamp) -> Bool {
        from <= time && time < to
    }

    /// The moments in both ranges; empty when they do not overlap.
    public func intersection(_ other: TimeRange) -> TimeRange {
        let start = max(from, other.from)
        return TimeRange(from: start, to: max(start, min(to, other.to)))
    }
}
