extension [TimeRange] {
    /// The same moments as stretches that neither touch nor overlap, in order.
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

    /// At most so many stretches, in order; the last one reaches over all that are left.
    public func joined(atMost count: Int) -> [TimeRange] {
        let all = joined
        guard all.count > count, count > 0, let end = all.last?.to else { return all }
        return all.prefix(count - 1) + [TimeRange(from: all[count - 1].from, to: end)]
    }

    /// The parts that lie in a range.
    public func clipped(to range: TimeRange) -> [TimeRange] {
        map { $0.intersection(range) }.filter { !$0.isEmpty }
    }
}
