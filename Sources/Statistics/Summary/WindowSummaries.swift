public import Samples

/// Selects summaries of numeric fields of a sensor, for one time range or many windows.
///
/// ```swift
/// // One window for each hour:
/// let query = SummaryQuery(
///     sensor: "cpu", fields: [Field("load", unit: "%")], range: day, step: 3_600_000_000)
/// ```
public struct SummaryQuery: Hashable, Sendable {
    /// The sensor.
    public var sensor: SensorID
    /// Numeric fields, matched as ``SampleQuery/fields``.
    public var fields: [Field]
    /// The time range.
    public var range: TimeRange
    /// The width of a window in microseconds; `nil` for one window.
    ///
    /// The first window starts with the range, which must be bounded on both sides.
    public var step: Int64?
    /// The starts of adjacent windows of any widths, in ascending order, in place of windows of the width
    /// ``step``.
    ///
    /// The first window starts with the range, and the last one ends with it.
    public var starts: [Timestamp]?
    /// Whether quantile sketches are included.
    public var hasSketch: Bool

    /// - Parameter step: the width of a window in microseconds; taken as 1 when it is less.
    public init(
        sensor: SensorID, fields: [Field], range: TimeRange, step: Int64? = nil,
        hasSketch: Bool = false
    ) {
        self.sensor = sensor
        self.fields = fields
        self.range = range
        self.step = step.map { max(1, $0) }
        starts = nil
        self.hasSketch = hasSketch
    }

    /// The number of windows; `Int.max` on overflow.
    public var windowCount: Int {
        if let starts { return starts.count }
        guard let step else { return 1 }
        let (width, overflow) = range.to.microseconds.subtractingReportingOverflow(
            range.from.microseconds)
        guard !overflow else { return .max }
        return width == 0 ? 0 : Int((width - 1) / step + 1)
    }

    /// The index of the window that contains a time of the range.
    public func window(of time: Timestamp) -> Int {
        if let starts {
            let next = time.advanced(byMicroseconds: 1)
            return max(0, starts.partition(before: next, starts.indices) - 1)
        }
        guard let step else { return 0 }
        return Int((time.microseconds &- range.from.microseconds) / step)
    }

    /// The indices of the windows that intersect a time range.
    public func windows(touching other: TimeRange) -> Range<Int> {
        let reach = other.intersection(range)
        guard !reach.isEmpty else { return 0..<0 }
        return window(of: reach.from)..<window(of: reach.to.advanced(byMicroseconds: -1)) + 1
    }

    /// The time range of a window; the last one ends with the range of the query.
    public func span(of window: Int) -> TimeRange {
        if let starts {
            let end = window + 1 < starts.count ? starts[window + 1] : range.to
            return TimeRange(from: starts[window], to: end)
        }
        guard let step else { return range }
        let start = range.from.advanced(byMicroseconds: Int64(window) * step)
        return TimeRange(from: start, to: min(range.to, start.advanced(byMicroseconds: step)))
    }
}

/// The summary of the samples in one window.
public struct WindowSummary: Hashable, Sendable {
    /// The number of samples.
    public var count = 0
    /// One summary for each field of the query, in its order.
    public var fields: [FieldSummary]
    /// Whether some of the samples were pruned and are included through hourly summaries.
    ///
    /// Exact percentiles are then unavailable and are estimated from the sketch.
    public var isFromSummaries = false
    /// Whether samples are missing: they are damaged, or they were pruned and their hourly summary
    /// extends beyond the window.
    public var isPartial = false
    /// The spacing of the samples; `nil` without samples.
    public var spacing: Spacing?
    /// Whether the times of some samples are unknown; ``spacing`` then describes the others.
    public var hasUnknownTimes = false

    /// An empty summary for a window of the query.
    public init(_ query: SummaryQuery) {
        fields = query.fields.map { _ in FieldSummary(hasSketch: query.hasSketch) }
    }

    /// Adds the samples of a later window.
    public mutating func merge(_ other: WindowSummary) {
        count += other.count
        for (index, field) in other.fields.enumerated() { fields[index].merge(field) }
        isFromSummaries = isFromSummaries || other.isFromSummaries
        isPartial = isPartial || other.isPartial
        spacing.merge(other.spacing)
        hasUnknownTimes = hasUnknownTimes || other.hasUnknownTimes
    }
}

/// Collects samples and summaries into the windows of a query.
///
/// ```swift
/// var summaries = WindowSummaries(query)
/// summaries.add(batch)
/// summaries.windows[0].fields[0].moments.mean
/// ```
public struct WindowSummaries: Sendable {
    private let query: SummaryQuery
    /// The windows in order of time.
    public private(set) var windows: [WindowSummary]

    /// Empty windows of a query.
    public init(_ query: SummaryQuery) {
        self.query = query
        windows = Array(repeating: WindowSummary(query), count: query.windowCount)
    }

    /// Adds samples in ascending order of time with the query's fields; those outside its range are
    /// ignored.
    ///
    /// - Parameter hasTimes: whether their times are added to the spacings; they must be after all
    ///   times that were added before.
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

    /// Adds rows of columns that belong to one window, in ascending order of time.
    ///
    /// - Parameters:
    ///   - columns: one for each field of the query.
    ///   - rows: the rows to add.
    ///   - window: the index of the window.
    ///   - first: the position of the first row.
    ///   - last: the position of the last row.
    public mutating func add(
        _ columns: [Column], _ rows: Range<Int>, to window: Int,
        from first: SampleQuery.Position, through last: SampleQuery.Position
    ) {
        windows[window].count += rows.count
        for (index, column) in columns.enumerated() {
            switch column {
            case .numbers(let values):
                values.withUnsafeBufferPointer { numbers in
                    windows[window].fields[index].insert(
                        UnsafeBufferPointer(rebasing: numbers[rows]), from: first, to: last)
                }
            case .integers(let values):
                let numbers = values[rows].map(Double.init)
                numbers.withUnsafeBufferPointer {
                    windows[window].fields[index].insert($0, from: first, to: last)
                }
            case .texts: break
            }
        }
    }

    /// Adds summaries of samples that belong to one window.
    ///
    /// - Parameters:
    ///   - fields: one summary for each field of the query.
    ///   - count: the number of samples.
    ///   - window: the index of the window.
    public mutating func merge(_ fields: [FieldSummary], count: Int, to window: Int) {
        windows[window].count += count
        for (index, field) in fields.enumerated() { windows[window].fields[index].merge(field) }
    }

    /// Marks a window as containing pruned samples; see ``WindowSummary/isFromSummaries``.
    public mutating func noteSummaries(in window: Int) { windows[window].isFromSummaries = true }

    /// Sets the spacing of a window.
    ///
    /// - Parameter isWhole: whether it covers all samples of the window.
    public mutating func set(_ spacing: Spacing?, isWhole: Bool, in window: Int) {
        windows[window].spacing = spacing
        windows[window].hasUnknownTimes = !isWhole
    }

    /// Marks the windows that intersect a time range as partial; see ``WindowSummary/isPartial``.
    public mutating func noteGap(in range: TimeRange) {
        for window in query.windows(touching: range) { windows[window].isPartial = true }
    }
}

extension [Timestamp] {
    /// The first of the sorted elements in `range` that is not before `bound`.
    fileprivate func partition(before bound: Timestamp, _ range: Range<Int>) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < bound { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// A mergeable summary of one numeric field: moments, first and last value, and optionally a
/// sketch.
public struct FieldSummary: Hashable, Sendable {
    /// The value of the first or the last sample.
    public struct End: Hashable, Sendable {
        /// The position of the sample.
        public let position: SampleQuery.Position
        /// The value of the field.
        public let value: Double

        /// Pairs a value with its position.
        public init(position: SampleQuery.Position, value: Double) {
            self.position = position
            self.value = value
        }
    }

    /// Count, mean, variance, minimum and maximum.
    public private(set) var moments: Moments
    /// The quantile sketch; `nil` when percentiles are not needed.
    public private(set) var sketch: QuantileSketch?
    /// The earliest sample; `nil` without samples.
    public private(set) var first: End?
    /// The latest sample; `nil` without samples.
    public private(set) var last: End?

    /// An empty summary.
    ///
    /// - Parameter hasSketch: whether percentiles are needed.
    public init(hasSketch: Bool) {
        moments = Moments()
        sketch = hasSketch ? QuantileSketch() : nil
    }

    /// Restores a stored summary.
    public init(moments: Moments, sketch: QuantileSketch?, first: End?, last: End?) {
        self.moments = moments
        self.sketch = sketch
        self.first = first
        self.last = last
    }

    /// The number of values.
    public var count: Int { moments.count }

    /// Adds the values of consecutive samples, the first at position `from` and the last at `to`.
    public mutating func insert(
        _ numbers: UnsafeBufferPointer<Double>, from: SampleQuery.Position,
        to: SampleQuery.Position
    ) {
        guard let start = numbers.first, let end = numbers.last else { return }
        moments.insert(numbers)
        sketch?.insert(numbers)
        extend(End(position: from, value: start), End(position: to, value: end))
    }

    /// Adds one value.
    public mutating func insert(_ number: Double, at position: SampleQuery.Position) {
        withUnsafePointer(to: number) { pointer in
            insert(UnsafeBufferPointer(start: pointer, count: 1), from: position, to: position)
        }
    }

    /// Adds the samples of another summary.
    ///
    /// The sketch is dropped unless both have one.
    public mutating func merge(_ other: FieldSummary) {
        guard let start = other.first, let end = other.last else { return }
        if let theirs = other.sketch { sketch?.merge(theirs) } else { sketch = nil }
        moments.merge(other.moments)
        extend(start, end)
    }

    private mutating func extend(_ start: End, _ end: End) {
        if first.map({ start.position < $0.position }) ?? true { first = start }
        if last.map({ $0.position < end.position }) ?? true { last = end }
    }
}
