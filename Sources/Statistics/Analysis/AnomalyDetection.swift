/// Samples of a series that differ from what the other samples lead one to expect.
///
/// ```swift
/// let found = try AnomalyDetection(series, by: .auto)
/// found.items.map { series.item($0.index) }
/// ```
public struct AnomalyDetection: Hashable, Sendable {
    /// How a sample is compared with the others.
    public enum Method: String, Hashable, Sendable, CaseIterable {
        /// Events by the mean of three scores; see ``AnomalyDetection/events(_:_:)``.
        case auto
        /// Each sample with all samples: ``AnomalyScore``.
        case global
        /// Each sample with a window of samples before it.
        case rolling
        /// Each sample with those at the same time of day, of the week, or of another period.
        case seasonal
        /// The mean of a window of samples with the mean of the window before it.
        case change
    }

    /// A sample that is an anomaly.
    public struct Item: Hashable, Sendable {
        /// Its index in the series.
        public let index: Int
        /// Positive above what was expected, negative below; dimensionless.
        public let score: Double
    }

    /// The minimum number of samples for which ``Method/auto`` uses more than ``Method/global``.
    public static let autoMinimum = 100
    /// The maximum number of events that ``Method/auto`` reports unless a limit is given.
    public static let eventLimit = 12
    /// The lengths of a window that can be chosen.
    public static let windows = 4...100_000
    /// A standard normal number is between −1.96 and 1.96 with the probability ``bulk``.
    private static let bulkScore = 1.959963984540054
    private static let bulk = 0.95
    private static let smallestWindow = 8

    /// The method that was used; ``Method/global`` if ``Method/auto`` was requested for too few samples.
    public let method: Method
    /// The period whose profile was removed, in seconds; `nil` for none.
    public private(set) var period: Double?
    /// The anomalies in the order of time.
    public private(set) var items: [Item] = []

    /// Finds the anomalies.
    ///
    /// Values that are not finite are skipped. Takes O(n log n) time and O(n) memory for every method and
    /// window.
    /// - Parameters:
    ///   - threshold: absolute scores above it are anomalies; ``usualThreshold(of:)`` if `nil`.
    ///   - window: for ``Method/rolling`` and ``Method/change`` the number of samples of a window, within
    ///     ``windows``; if `nil`, 5 % and 1 % of the samples.
    ///   - period: for ``Method/seasonal`` and ``Method/auto`` in seconds, above 0; if `nil`, it is found by
    ///     ``SeasonalProfile/period(of:)``.
    /// - Returns: `nil` for ``Method/seasonal`` without a period.
    /// - Throws: `CancellationError` when the task is cancelled.
    public init?(
        _ series: Series, by wanted: Method, threshold: Double? = nil, window: Int? = nil,
        period: Double? = nil
    ) throws {
        let indices = series.indices.filter { series.values[$0].isFinite }
        let series = Series(
            times: indices.map { series.times[$0] }, values: indices.map { series.values[$0] })
        method = wanted == .auto && series.count < Self.autoMinimum ? .global : wanted
        let threshold = threshold ?? Self.usualThreshold(of: method)
        let found: [Item]
        switch method {
        case .global: found = Self.outliers(series.values, threshold)
        case .rolling: found = Self.beyond(threshold, Self.rolling(series.values, window))
        case .seasonal:
            let rest = try SeasonalProfile.removed(from: series, period: period)
            guard let period = rest.period else { return nil }
            self.period = period
            found = Self.outliers(rest.values, threshold)
        case .change:
            let reach = Self.reach(window, series.count)
            found = Self.peaks(
                Self.scaled(Self.changes(series.values, reach)), above: threshold, reach)
        case .auto:
            let rest = try SeasonalProfile.removed(from: series, period: period)
            self.period = rest.period
            found = Self.events(series.values, rest.values, threshold)
        }
        items = found.map { Item(index: indices[$0.index], score: $0.score) }
    }

    /// The threshold that is used if none is given: 3.5 for ``AnomalyScore`` and what is scaled like it, 3 for
    /// ``Method/change``, and 2.5 for the mean of three scores.
    public static func usualThreshold(of method: Method) -> Double {
        switch method {
        case .global, .rolling, .seasonal: AnomalyScore.usualThreshold
        case .change: 3
        case .auto: 2.5
        }
    }

    /// The items with the greatest absolute scores, in the order of time; of equal ones the earlier.
    public func strongest(_ limit: Int) -> [Item] {
        guard items.count > limit else { return items }
        let order = items.sorted { left, right in
            let (first, second) = (abs(left.score), abs(right.score))
            return first == second ? left.index < right.index : first > second
        }
        return order.prefix(max(0, limit)).sorted { $0.index < $1.index }
    }

    // MARK: - Methods

    private static func outliers(_ values: [Double], _ threshold: Double) -> [Item] {
        guard let scores = AnomalyScore(values) else { return [] }
        return beyond(threshold, values.map { scores.score($0) ?? 0 })
    }

    private static func beyond(_ threshold: Double, _ scores: [Double]) -> [Item] {
        scores.enumerated().filter { abs($1) > threshold }.map { Item(index: $0, score: $1) }
    }

    /// The distance of each number to the median of the window before it, divided by a robust scale of it.
    ///
    /// The scale is the interquartile range, which is 1.349 standard deviations of a normal distribution,
    /// and at least half of that of all numbers, so that a quiet window does not turn ordinary noise into
    /// anomalies. The first 8 numbers have the score 0, and the next ones shorter windows.
    /// - Parameter window: 5 % of the numbers if `nil`, at least 8.
    static func rolling(_ values: [Double], _ window: Int?) -> [Double] {
        var scores = [Double](repeating: 0, count: values.count)
        let length = max(window ?? values.count / 20, smallestWindow)
        var sliding = SlidingQuantiles(values)
        let least = scale(of: values, sliding.sorted) / 2
        guard least > 0 else { return scores }
        for (index, value) in values.enumerated() {
            if index >= smallestWindow, let middle = sliding.quantile(0.5),
                let low = sliding.quantile(0.25), let high = sliding.quantile(0.75)
            {
                let width = max((high - low) / interquartileFactor, least)
                scores[index] = ((value - middle) / width).finite ?? 0
            }
            sliding.insert(index)
            if index >= length { sliding.remove(index - length) }
        }
        return scores
    }

    private static let interquartileFactor = 1.349

    /// The standard deviation of normally distributed numbers, by quartiles or, if those are equal, by the
    /// mean absolute deviation from the median.
    private static func scale(of values: [Double], _ sorted: [Double]) -> Double {
        guard let low = Quantile.of(0.25, sorted: sorted),
            let high = Quantile.of(0.75, sorted: sorted), high > low
        else {
            let median = Quantile.of(0.5, sorted: sorted) ?? 0
            let mean = Moments(values.lazy.map { abs($0 - median) }).mean ?? 0
            return AnomalyScore.meanFactor * mean
        }
        return (high - low) / interquartileFactor
    }

    /// The number of samples on each side of a change.
    private static func reach(_ window: Int?, _ count: Int) -> Int {
        window ?? max(count / 100, windows.lowerBound)
    }

    /// The mean of the window that begins with each number, minus that of the window before it; 0 where
    /// either is incomplete.
    ///
    /// A scan with moving sums: P. Bauer and P. Hackl, "The Use of MOSUMs for Quality Control",
    /// Technometrics 20 (1978); B. Eichinger and C. Kirch, "A MOSUM Procedure for the Estimation of Multiple
    /// Random Change Points", Bernoulli 24 (2018). O(n) for every length of the window.
    static func changes(_ values: [Double], _ window: Int) -> [Double] {
        var changes = [Double](repeating: 0, count: values.count)
        guard window > 0, values.count >= 2 * window else { return changes }
        // Small sums lose fewer digits.
        let origin = Quantile.of(0.5, sorted: values.sorted()) ?? 0
        var sums = [0.0]
        sums.reserveCapacity(values.count + 1)
        for value in values { sums.append(sums[sums.count - 1] + (value - origin)) }
        for index in window...(values.count - window) {
            let later = sums[index + window] - sums[index]
            let earlier = sums[index] - sums[index - window]
            changes[index] = ((later - earlier) / Double(window)).finite ?? 0
        }
        return changes
    }

    /// Numbers divided so that 95 % of them are between −1.96 and 1.96, as if they were standard normal.
    ///
    /// If 95 % of them are 0, the divisor is 1.253314 times their mean absolute value; if that is 0 too,
    /// all are 0. A quantile this far out takes the tails of the series into account, which the median does
    /// not, and is not changed by anomalies as long as they are fewer than 5 %.
    static func scaled(_ numbers: [Double]) -> [Double] {
        let sizes = numbers.map(abs).sorted()
        let bulk = (Quantile.of(bulk, sorted: sizes) ?? 0) / bulkScore
        let divisor = bulk > 0 ? bulk : AnomalyScore.meanFactor * (Moments(sizes).mean ?? 0)
        guard divisor > 0 else { return numbers }
        return numbers.map { ($0 / divisor).finite ?? 0 }
    }

    /// One sample for each event in which the mean of three absolute scores exceeds the threshold.
    ///
    /// The scores are the distance to the median after the profile of the period was removed, the distance
    /// to the window before, and the change of the level, each ``scaled(_:)``. An event is its highest
    /// score, with the samples around it: 3 % of all samples on each side.
    private static func events(
        _ values: [Double], _ rest: [Double], _ threshold: Double
    ) -> [Item] {
        let median = Quantile.of(0.5, sorted: rest.sorted()) ?? 0
        let distances = scaled(rest.map { ($0 - median).finite ?? 0 })
        let jumps = scaled(rolling(values, nil))
        let changes = scaled(changes(values, reach(nil, values.count)))
        let scores = values.indices.map { index in
            let parts = [distances[index], jumps[index], changes[index]]
            let size = parts.reduce(0) { $0 + abs($1) } / Double(parts.count)
            return parts.reduce(0, +) < 0 ? -size : size
        }
        return peaks(scores, above: threshold, max(1, values.count * 3 / 100))
    }

    /// The highest absolute scores above a threshold, each at least `reach` + 1 from every higher one.
    ///
    /// Of equal scores the first comes first. O(n log n): the ranges that are excluded overlap at most twice.
    static func peaks(_ scores: [Double], above threshold: Double, _ reach: Int) -> [Item] {
        let candidates = scores.indices.filter { abs(scores[$0]) > threshold }
            .sorted { left, right in
                let (first, second) = (abs(scores[left]), abs(scores[right]))
                return first == second ? left < right : first > second
            }
        var isTaken = [Bool](repeating: false, count: scores.count)
        var peaks: [Item] = []
        for index in candidates where !isTaken[index] {
            peaks.append(Item(index: index, score: scores[index]))
            for near in max(0, index - reach)...min(scores.count - 1, index + reach) {
                isTaken[near] = true
            }
        }
        return peaks.sorted { $0.index < $1.index }
    }
}
