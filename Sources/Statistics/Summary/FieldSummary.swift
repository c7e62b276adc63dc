public import Samples

/// What is known of the numbers of one field over some samples: enough for every statistic that
/// can be merged.
public struct FieldSummary: Hashable, Sendable {
    /// A sample at one end of them.
    public struct End: Hashable, Sendable {
        public let position: SampleQuery.Position
        public let value: Double

        public init(position: SampleQuery.Position, value: Double) {
            self.position = position
            self.value = value
        }
    }

    public private(set) var moments: Moments
    /// `nil` when percentiles will not be asked for.
    public private(set) var sketch: QuantileSketch?
    /// The earliest and the latest sample; `nil` of nothing.
    public private(set) var first: End?
    public private(set) var last: End?

    /// Of nothing yet.
    ///
    /// - Parameter hasSketch: whether percentiles will be asked for.
    public init(hasSketch: Bool) {
        moments = Moments()
        sketch = hasSketch ? QuantileSketch() : nil
    }

    public init(moments: Moments, sketch: QuantileSketch?, first: End?, last: End?) {
        self.moments = moments
        self.sketch = sketch
        self.first = first
        self.last = last
    }

    public var count: Int { moments.count }

    /// Adds numbers that come from samples in order, the first at `from` and the last at `to`.
    public mutating func insert(
        _ numbers: UnsafeBufferPointer<Double>, from: SampleQuery.Position,
        to: SampleQuery.Position
    ) {
        guard let start = numbers.first, let end = numbers.last else { return }
        moments.insert(numbers)
        sketch?.insert(numbers)
        extend(End(position: from, value: start), End(position: to, value: end))
    }

    /// Adds one number.
    public mutating func insert(_ number: Double, at position: SampleQuery.Position) {
        withUnsafePointer(to: number) { pointer in
            insert(UnsafeBufferPointer(start: pointer, count: 1), from: position, to: position)
        }
    }

    /// Adds what another summary saw, as if this one had seen it too.
    ///
    /// A sketch is lost when only one of the two has one.
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
