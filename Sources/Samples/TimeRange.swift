/// A half-open interval of timestamps, `[from, to)`.
///
/// ```swift
/// let lastHour = TimeRange(from: now.advanced(by: .seconds(-3600)), to: now)
/// lastHour.contains(now)  // false
/// ```
public struct TimeRange: Hashable, Sendable {
    /// The start, included.
    public let from: Timestamp
    /// The end, excluded.
    public let to: Timestamp

    /// Every timestamp except ``Timestamp/distantFuture``.
    public static let all = TimeRange(from: .distantPast, to: .distantFuture)

    /// Makes a range; it is empty when `to` is not after `from`.
    public init(from: Timestamp, to: Timestamp) {
        self.from = from
        self.to = max(from, to)
    }

    /// Whether no timestamp is in the range.
    public var isEmpty: Bool { from == to }

    /// Whether a timestamp is in the range.
    public func contains(_ time: Timestamp) -> Bool {
        from <= time && time < to
    }

    /// The timestamps in both ranges; empty when they do not overlap.
    public func intersection(_ other: TimeRange) -> TimeRange {
        let start = max(from, other.from)
        return TimeRange(from: start, to: max(start, min(to, other.to)))
    }
}

extension [TimeRange] {
    /// The union as sorted ranges that neither touch nor overlap.
    public var joined: [TimeRange] {
        var joined: [TimeRange] = []
        for range in sorted(by: { $0.from < $1.from }) where !range.isEmpty {
            guard let last = joined.last, range.from <= last.to else {
                joined.append(range)
                continue
            }
            joined[joined.count - 1] = TimeRange(from: last.from, to: Swift.max(last.to, range.to))
        }
        return joined
    }

    /// The union as at most `count` sorted ranges; the last one covers all that remain, with their gaps.
    public func joined(atMost count: Int) -> [TimeRange] {
        let all = joined
        guard all.count > count, count > 0, let end = all.last?.to else { return all }
        return all.prefix(count - 1) + [TimeRange(from: all[count - 1].from, to: end)]
    }

    /// The intersection of each range with `range`, without empty ones.
    public func clipped(to range: TimeRange) -> [TimeRange] {
        map { $0.intersection(range) }.filter { !$0.isEmpty }
    }
}
