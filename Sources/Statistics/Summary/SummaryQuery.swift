public import Samples

/// Which summaries of a sensor's fields to make, of one stretch of time or of many.
public struct SummaryQuery: Hashable, Sendable {
    public var sensor: SensorID
    /// Numeric fields, seen as `SampleQuery.fields` are.
    public var fields: [Field]
    public var range: TimeRange
    /// The width of the windows in microseconds; `nil` for one window.
    ///
    /// The first begins with the range, and a range with windows has both ends.
    public var step: Int64?
    /// Whether percentiles will be asked for.
    public var hasSketch: Bool

    public init(
        sensor: SensorID, fields: [Field], range: TimeRange, step: Int64? = nil,
        hasSketch: Bool = false
    ) {
        self.sensor = sensor
        self.fields = fields
        self.range = range
        self.step = step.map { max(1, $0) }
        self.hasSketch = hasSketch
    }

    /// How many windows there are; `Int.max` for more than can be counted.
    public var windowCount: Int {
        guard let step else { return 1 }
        let (width, overflow) = range.to.microseconds.subtractingReportingOverflow(
            range.from.microseconds)
        guard !overflow else { return .max }
        return width == 0 ? 0 : Int((width - 1) / step + 1)
    }

    /// The window that a moment of the range falls into.
    public func window(of time: Timestamp) -> Int {
        guard let step else { return 0 }
        return Int((time.microseconds &- range.from.microseconds) / step)
    }

    /// The windows that a stretch of time reaches into.
    public func windows(touching stretch: TimeRange) -> Range<Int> {
        let reach = stretch.intersection(range)
        guard !reach.isEmpty else { return 0..<0 }
        return window(of: reach.from)..<window(of: reach.to.advanced(byMicroseconds: -1)) + 1
    }

    /// The stretch of time of a window; the last one ends with the range.
    public func span(of window: Int) -> TimeRange {
        guard let step else { return range }
        let start = range.from.advanced(byMicroseconds: Int64(window) * step)
        return TimeRange(from: start, to: min(range.to, start.advanced(byMicroseconds: step)))
    }
}

/// What is known of the samples of one window.
public struct WindowSummary: Hashable, Sendable {
    public var count = 0
    /// In the order of the query's fields.
    public var fields: [FieldSummary]
    /// Whether some of the samples are gone, and counted by the summary of their hour.
    ///
    /// Then what needs every number is not known any more, and percentiles come from the sketch.
    public var isFromSummaries = false
    /// Whether samples are missing: they are gone, and the summary that counts them reaches beyond
    /// the window, or they are damaged.
    public var isPartial = false
    /// How the moments of the samples follow one another; `nil` where there are none.
    public var spacing: Spacing?
    /// Whether the moments of some of the samples are not known; `spacing` is then of the others.
    public var hasUnknownTimes = false

    /// Of nothing yet.
    public init(_ query: SummaryQuery) {
        fields = query.fields.map { _ in FieldSummary(hasSketch: query.hasSketch) }
    }

    /// Adds what is known of a window behind this one, as if both were one.
    public mutating func merge(_ other: WindowSummary) {
        count += other.count
        for (place, field) in other.fields.enumerated() { fields[place].merge(field) }
        isFromSummaries = isFromSummaries || other.isFromSummaries
        isPartial = isPartial || other.isPartial
        spacing.merge(other.spacing)
        hasUnknownTimes = hasUnknownTimes || other.hasUnknownTimes
    }
}
