public import Samples

extension Spacing {
    /// Intervals that are looked at together.
    private static let blockLength = 64

    /// - Parameter times: in order.
    /// - Returns: `nil` of nothing.
    public init?(_ times: ArraySlice<Timestamp>) {
        let found = times.withUnsafeBufferPointer { times in
            Spacing(count: times.count) { times[$0].microseconds }
        }
        guard let found else { return nil }
        self = found
    }

    /// - Parameter times: in order.
    /// - Returns: `nil` of nothing.
    public init?(_ times: [Timestamp]) {
        self.init(times[...])
    }

    /// - Parameter times: microseconds since 1970, in order.
    /// - Returns: `nil` of nothing.
    public init?(_ times: UnsafeBufferPointer<Int64>) {
        self.init(count: times.count) { times[$0] }
    }

    /// Of moments in order of which only the ends are known, and that no interval is longer than four
    /// times another one.
    ///
    /// - Parameters:
    ///   - start: the first moments, five at least, in microseconds since 1970.
    ///   - end: the last ones, as many.
    public init?(even start: UnsafeBufferPointer<Int64>, _ end: UnsafeBufferPointer<Int64>) {
        self.init(start)
        guard isHeadFull, let last = end.last else { return nil }
        var intervals = RecentIntervals()
        for place in end.indices.dropFirst() { intervals.append(end[place] - end[place - 1]) }
        append(evenlyUpTo: last, intervals)
    }

    /// Whole blocks of intervals that are as usual are not looked at one by one.
    @inline(__always)
    private init?(count: Int, _ time: (Int) -> Int64) {
        guard count > 0 else { return nil }
        self.init(Timestamp(microseconds: time(0)))
        var row = 1
        while row < count {
            let end = min(count, row + Self.blockLength)
            if end - row > Self.memory, isEven(row..<end, time) {
                var intervals = RecentIntervals()
                for place in end - Self.memory..<end {
                    intervals.append(time(place) - time(place - 1))
                }
                append(evenlyUpTo: time(end - 1), intervals)
            } else {
                for place in row..<end { append(time(place)) }
            }
            row = end
        }
    }

    /// Whether each of the intervals before some moments counts whole.
    @inline(__always)
    private func isEven(_ rows: Range<Int>, _ time: (Int) -> Int64) -> Bool {
        // Far from the ends of time no difference overflows.
        guard recent.shortest > 0, last.microseconds > .min / 2,
            time(rows.upperBound - 1) < .max / 2
        else { return false }
        var (least, greatest) = (recent.shortest, Int64.min)
        var before = last.microseconds
        for row in rows {
            let time = time(row)
            let interval = time &- before
            least = min(least, interval)
            greatest = max(greatest, interval)
            before = time
        }
        let (limit, overflow) = least.multipliedReportingOverflow(by: Self.tolerance)
        return least > 0 && (overflow || greatest <= limit)
    }
}
