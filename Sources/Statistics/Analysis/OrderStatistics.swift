import Samples

/// A quantile, linearly interpolated between two order statistics.
///
/// Definition 7 of R. J. Hyndman and Y. Fan, "Sample Quantiles in Statistical Packages", The American
/// Statistician 50 (1996): the default of NumPy and R.
///
/// ```swift
/// Quantile.of(0.5, sorted: [1, 2, 4, 8])  // 3.0
/// ```
public struct Quantile {
    /// The index of the lower of the two sorted numbers.
    public let lower: Int
    /// The index of the upper one; equal to ``lower`` when the quantile is that number.
    public let upper: Int
    private let weight: Double

    /// - Parameters:
    ///   - fraction: 0 for the minimum, 0.5 for the median, 1 for the maximum; clamped to 0...1.
    ///   - count: the number of values.
    /// - Returns: `nil` when `count` is 0 or `fraction` is NaN.
    public init?(_ fraction: Double, of count: Int) {
        guard count > 0, !fraction.isNaN else { return nil }
        let position = min(max(fraction, 0), 1) * Double(count - 1)
        lower = Int(position.rounded(.down))
        weight = position - Double(lower)
        upper = weight > 0 ? min(lower + 1, count - 1) : lower
    }

    /// The quantile of numbers in ascending order, without NaN; `nil` for no numbers.
    public static func of(_ fraction: Double, sorted: [Double]) -> Double? {
        Quantile(fraction, of: sorted.count).map { $0.value(sorted[$0.lower], sorted[$0.upper]) }
    }

    /// The quantile, given the numbers at ``lower`` and ``upper``.
    public func value(_ below: Double, _ above: Double) -> Double {
        guard weight > 0 else { return below }
        let distance = above - below
        // Interpolated from the nearer end, so that equal neighbours give exactly their value.
        guard !distance.isFinite else {
            return weight < 0.5 ? below + distance * weight : above - distance * (1 - weight)
        }
        return below * (1 - weight) + above * weight
    }
}

/// The modified z-score, a robust measure of outliers: 0.6745·(x − median)/MAD.
///
/// MAD is the median of the absolute deviations from the median: B. Iglewicz and D. C. Hoaglin, "How to
/// Detect and Handle Outliers", ASQC (1993), who regard absolute scores above 3.5 as outliers. If at least
/// half of the numbers are equal, MAD is 0 and the score is (x − median)/(1.253314·meanAD), where meanAD is
/// the mean of the absolute deviations from the median: 1.253314 = √(π/2) makes it the standard deviation
/// of a normal distribution, as 1/0.6745 does for MAD. That mean is 0 only if all numbers are equal, and
/// then none of them is an outlier.
///
/// ```swift
/// AnomalyScore([5, 5, 5, 5, 5, 5, 5, 5, 5, 6])?.score(6)  // 7.98
/// ```
public struct AnomalyScore: Hashable, Sendable {
    /// The absolute score above which Iglewicz and Hoaglin regard a number as an outlier.
    public static let usualThreshold = 3.5
    private static let medianFactor = 0.6745
    /// Times the mean absolute deviation, the standard deviation of a normal distribution.
    static let meanFactor = 1.253314

    /// The median, in the unit of the numbers.
    public let median: Double
    /// The median absolute deviation from ``median``, in the same unit.
    public let deviation: Double
    /// The mean absolute deviation from ``median``; only used when ``deviation`` is 0.
    private let meanDeviation: Double

    /// Computes median and deviation; O(n log n).
    ///
    /// - Returns: `nil` for no numbers, and when a result is not finite.
    public init?(_ numbers: [Double]) {
        guard let median = Quantile.of(0.5, sorted: numbers.sorted())?.finite else { return nil }
        let distances = numbers.map { abs($0 - median) }.sorted()
        guard let deviation = Quantile.of(0.5, sorted: distances)?.finite,
            let meanDeviation = deviation > 0 ? 0 : Moments(distances).mean?.finite
        else { return nil }
        self.median = median
        self.deviation = deviation
        self.meanDeviation = meanDeviation
    }

    /// The score of a number, dimensionless.
    ///
    /// - Returns: `nil` when all numbers are equal, and when the score is not finite.
    public func score(_ number: Double) -> Double? {
        guard deviation > 0 else {
            return meanDeviation > 0
                ? ((number - median) / (Self.meanFactor * meanDeviation)).finite : nil
        }
        return (Self.medianFactor * (number - median) / deviation).finite
    }
}

/// The k largest or smallest values of a stream.
///
/// A binary heap of k values with the least extreme at its root (J. W. J. Williams, "Algorithm 232:
/// Heapsort", Communications of the ACM 7, 1964): O(log k) for each value, O(k) memory. Of equal values
/// the earlier is the more extreme.
public struct Extremes: Sendable {
    /// Which values are kept.
    public enum Side: Hashable, Sendable {
        /// The largest values.
        case largest
        /// The smallest values.
        case smallest
    }

    private let limit: Int
    private let side: Side
    private var heap: [TimedValue] = []

    /// - Parameter limit: the number of values to keep; taken as 0 when it is negative.
    public init(_ limit: Int, _ side: Side) {
        self.limit = max(0, limit)
        self.side = side
    }

    /// Adds a value; NaN is ignored.
    public mutating func insert(_ item: TimedValue) {
        guard !item.value.isNaN, limit > 0 else { return }
        if heap.count < limit {
            heap.append(item)
            rise(from: heap.count - 1)
        } else if ranks(item, before: heap[0]) {
            heap[0] = item
            sink(from: 0)
        }
    }

    /// The kept values, the most extreme first.
    public var items: [TimedValue] { heap.sorted(by: ranks) }

    private func ranks(_ left: TimedValue, before right: TimedValue) -> Bool {
        guard left.value == right.value else {
            return (left.value > right.value) == (side == .largest)
        }
        return left.time < right.time
    }

    private mutating func rise(from index: Int) {
        var index = index
        while index > 0, ranks(heap[(index - 1) / 2], before: heap[index]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func sink(from index: Int) {
        var index = index
        while true {
            var last = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if ranks(heap[last], before: heap[child]) { last = child }
            }
            guard last != index else { return }
            heap.swapAt(index, last)
            index = last
        }
    }
}

/// Fractional ranks and rank correlation.
public enum Ranks {
    /// The rank of each number from 1, in the order given; equal numbers share the mean of their ranks.
    ///
    /// NaN ranks above all numbers.
    public static func of(_ numbers: [Double]) -> [Double] {
        let order = numbers.indices.sorted { left, right in
            let (first, second) = (numbers[left], numbers[right])
            return first < second || (second.isNaN && !first.isNaN)
        }
        var ranks = [Double](repeating: 0, count: numbers.count)
        var start = 0
        while start < order.count {
            var end = start + 1
            while end < order.count, numbers[order[end]] == numbers[order[start]] { end += 1 }
            let shared = Double(start + end + 1) / 2
            for index in start..<end { ranks[order[index]] = shared }
            start = end
        }
        return ranks
    }

    /// Spearman's rank correlation, −1 to 1: Pearson's correlation of the ranks.
    ///
    /// Uses as many pairs as the shorter array has; `nil` when one side is constant.
    ///
    /// C. Spearman, "The Proof and Measurement of Association between Two Things", American Journal
    /// of Psychology 15 (1904).
    public static func correlation(_ x: [Double], _ y: [Double]) -> Double? {
        let count = min(x.count, y.count)
        return Comoments(of(Array(x.prefix(count))), of(Array(y.prefix(count)))).correlation
    }
}
