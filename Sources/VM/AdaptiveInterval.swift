import Samples

/// Chooses the interval between two reads of a sensor at the level `auto`: short while its values change, long
/// while they do not.
///
/// A change halves the interval, and eight reads without one double it, within bounds. A text or a state has
/// changed when it differs from the value before. A number has changed when it differs by more than five times
/// the noise of its field from its value when the interval last changed. The noise is the root of a running
/// mean (over about 32 reads) of squared differences between consecutive reads. Of each difference and the
/// one before it, the smaller is used, so that a single outlier does not count. So noise and a flickering
/// last digit are no change, and a slow drift adds up to one.
///
/// ```swift
/// var adaptive = AdaptiveInterval(startingAt: .seconds(1))
/// let next = adaptive.next(after: values, within: .milliseconds(200)...(.seconds(10)))
/// ```
struct AdaptiveInterval: Sendable {
    /// The shortest interval at the level `auto`; only devices that buffer samples themselves need shorter
    /// ones.
    private static let shortestInterval = Duration.milliseconds(20)
    /// The reads without a change that double the interval.
    private static let quietReads = 8
    /// The number of differences before a number can count as changed: its noise is not known yet.
    private static let learningReads = 4
    /// With this factor, normally distributed noise halves the interval so seldom that it stays at
    /// the longest.
    private static let noiseFactor = 5.0
    /// The number of reads that the moving average of differences covers.
    private static let averagedReads = 32

    /// One field of the sensor.
    private struct FieldState {
        /// The value at the last change of the interval.
        var anchor: Value
        var last: Value
        /// The difference of the last two values.
        var difference = 0.0
        /// The mean square of the differences, without single large ones.
        var noise = 0.0
    }

    private(set) var interval: Duration
    private var fields: [FieldState] = []
    /// The number of differences that were seen, up to ``averagedReads``.
    private var differences = 0
    private var quiet = 0

    init(startingAt interval: Duration) {
        self.interval = interval
    }

    /// The intervals that a sensor may have: from the interval of the level `high`, at least 20 ms,
    /// to the interval of the level `low` or, while its samples are needed, of the level `medium`.
    ///
    /// - Parameter longest: the longest interval that suits the sensors computed from its samples;
    ///   `nil` if every interval does.
    static func bounds(
        _ cadence: Cadence, isNeeded: Bool, longest: Duration? = nil
    ) -> ClosedRange<Duration> {
        let shortest = max(cadence.high, shortestInterval)
        let usual = isNeeded ? cadence.medium : cadence.low
        return shortest...max(shortest, min(usual, longest ?? usual))
    }

    /// The interval until the next read.
    ///
    /// - Parameter values: what was read; `nil` when there was no value, which changes nothing.
    mutating func next(after values: [Value]?, within bounds: ClosedRange<Duration>) -> Duration {
        if let values { take(values) }
        interval = min(max(interval, bounds.lowerBound), bounds.upperBound)
        return interval
    }

    private mutating func take(_ values: [Value]) {
        guard fields.count == values.count else {
            fields = values.map { FieldState(anchor: $0, last: $0) }
            return
        }
        let isLearning = differences < Self.learningReads
        differences = min(differences + 1, Self.averagedReads)
        var isChange = false
        for (index, value) in values.enumerated() {
            let noise = fields[index].noise
            let limit = isLearning ? .infinity : noise.squareRoot() * Self.noiseFactor
            isChange = Self.hasChanged(value, from: fields[index].anchor, by: limit) || isChange
            if let difference = Self.difference(value, fields[index].last) {
                let lesser = min(difference, fields[index].difference)
                let change = (lesser * lesser - noise) / Double(differences)
                if change.isFinite { fields[index].noise += change }
                fields[index].difference = difference
            }
            fields[index].last = value
        }
        quiet = isChange ? 0 : quiet + 1
        if isChange { interval /= 2 }
        if quiet == Self.quietReads {
            interval *= 2
            quiet = 0
        }
        guard isChange || quiet == 0 else { return }
        for index in fields.indices { fields[index].anchor = fields[index].last }
    }

    private static func hasChanged(_ value: Value, from anchor: Value, by limit: Double) -> Bool {
        difference(value, anchor).map { $0 > limit } ?? (value != anchor)
    }

    /// The difference of two numbers; `nil` for texts and states.
    private static func difference(_ value: Value, _ other: Value) -> Double? {
        guard let number = value.double, let other = other.double else { return nil }
        return (number - other).magnitude
    }
}
