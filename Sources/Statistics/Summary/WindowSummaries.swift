public import Samples

/// The windows of a query while samples are added to them.
public struct WindowSummaries: Sendable {
    private let query: SummaryQuery
    public private(set) var windows: [WindowSummary]

    public init(_ query: SummaryQuery) {
        self.query = query
        windows = Array(repeating: WindowSummary(query), count: query.windowCount)
    }

    /// Adds samples that are in the order of time and have the query's fields; those outside its
    /// range are passed over.
    ///
    /// - Parameter hasTimes: whether their moments are to be added, too: behind all that are there.
    public mutating func add(_ batch: StoredBatch, hasTimes: Bool = true) {
        let times = batch.samples.times
        var row = times.partition(before: query.range.from, 0..<times.count)
        while row < times.count, times[row] < query.range.to {
            let window = query.window(of: times[row])
            let end = times.partition(before: query.span(of: window).to, row..<times.count)
            add(
                batch.samples.columns, row..<end, to: window, from: batch.position(row),
                through: batch.position(end - 1))
            if hasTimes { windows[window].spacing.merge(Spacing(times[row..<end])) }
            row = end
        }
    }

    /// Adds the values of some samples, in the order of time, that fall into one window.
    ///
    /// - Parameter columns: one for each of the query's fields.
    public mutating func add(
        _ columns: [Column], _ rows: Range<Int>, to window: Int,
        from first: SampleQuery.Position, through last: SampleQuery.Position
    ) {
        windows[window].count += rows.count
        for (place, column) in columns.enumerated() {
            switch column {
            case .numbers(let values):
                values.withUnsafeBufferPointer { numbers in
                    windows[window].fields[place].insert(
                        UnsafeBufferPointer(rebasing: numbers[rows]), from: first, to: last)
                }
            case .integers(let values):
                let numbers = values[rows].map(Double.init)
                numbers.withUnsafeBufferPointer {
                    windows[window].fields[place].insert($0, from: first, to: last)
                }
            case .texts: break
            }
        }
    }

    /// Adds what is known of samples that fall into one window.
    ///
    /// - Parameter fields: one for each of the query's fields.
    public mutating func merge(_ fields: [FieldSummary], count: Int, to window: Int) {
        windows[window].count += count
        for (place, field) in fields.enumerated() { windows[window].fields[place].merge(field) }
    }
}

extension WindowSummaries {
    /// Notes that samples of a window are known by summaries only.
    public mutating func noteSummaries(in window: Int) { windows[window].isFromSummaries = true }

    /// Says what is known of the moments of a window's samples.
    ///
    /// - Parameter isWhole: whether every moment is known.
    public mutating func set(_ spacing: Spacing?, isWhole: Bool, in window: Int) {
        windows[window].spacing = spacing
        windows[window].hasUnknownTimes = !isWhole
    }

    /// Notes that samples of a stretch of time are left out: they are known by summaries that reach
    /// beyond a window, or they are damaged.
    public mutating func noteGap(in stretch: TimeRange) {
        for window in query.windows(touching: stretch) { windows[window].isPartial = true }
    }
}

extension StoredBatch {
    /// The place of a sample in the order of time, then of arrival.
    public func position(_ row: Int) -> SampleQuery.Position {
        SampleQuery.Position(time: samples.times[row], sequence: sequences[row])
    }
}

extension [Timestamp] {
    /// The first of some places, in the order of time, whose moment is not before `bound`.
    fileprivate func partition(before bound: Timestamp, _ places: Range<Int>) -> Int {
        var (low, high) = (places.lowerBound, places.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < bound { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
