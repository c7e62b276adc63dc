import Glibc

/// Counts of numbers in bins of equal width.
///
/// A bin includes its lower edge and excludes its upper one; the last bin includes both, as in
/// `numpy.histogram`.
///
/// ```swift
/// let histogram = Histogram([1, 2, 2, 5], bins: 2)
/// histogram?.edges   // [1.0, 3.0, 5.0]
/// histogram?.counts  // [3, 1]
/// ```
public struct Histogram: Hashable, Sendable {
    /// The edges of the bins, ascending, in the unit of the numbers; one more than there are bins.
    public let edges: [Double]
    /// The number of values in each bin.
    public private(set) var counts: [Int]

    /// Counts the numbers inside a span; numbers outside and NaN are ignored.
    ///
    /// - Parameters:
    ///   - bins: at least 1.
    ///   - span: from the first edge to the last; `nil` for minimum to maximum of the finite numbers. A
    ///     span of zero width is extended to width 1 around its value.
    /// - Returns: `nil` without bins, or when there is no finite span.
    public init?(_ numbers: [Double], bins: Int, over span: ClosedRange<Double>? = nil) {
        guard bins >= 1, let span = span ?? Self.span(of: numbers), span.lowerBound.isFinite,
            span.upperBound.isFinite
        else { return nil }
        edges = Self.edges(span, bins)
        counts = Array(repeating: 0, count: bins)
        for number in numbers where number >= edges[0] && number <= edges[bins] {
            counts[bin(of: number)] += 1
        }
    }

    /// The number of bins by the rule of Freedman and Diaconis.
    ///
    /// The width of a bin is 2·IQR/∛n: D. Freedman and P. Diaconis, "On the Histogram as a Density
    /// Estimator: L₂ Theory", Zeitschrift für Wahrscheinlichkeitstheorie 57 (1981).
    /// - Parameters:
    ///   - sorted: in ascending order.
    ///   - limit: the maximum result.
    /// - Returns: 1 when the quartiles are equal; 0 for no numbers.
    public static func freedmanDiaconisBins(sorted: [Double], atMost limit: Int) -> Int {
        guard let least = sorted.first, let greatest = sorted.last,
            let lower = Quantile.of(0.25, sorted: sorted),
            let upper = Quantile.of(0.75, sorted: sorted)
        else { return 0 }
        // Halves, because the width of the whole range may overflow.
        let width = 2 * (upper / 2 - lower / 2) / cbrt(Double(sorted.count))
        let needed = ((greatest / 2 - least / 2) / width).rounded(.up)
        guard width > 0, needed.isFinite else { return 1 }
        return needed >= Double(limit) ? max(1, limit) : max(1, Int(needed))
    }

    /// The last bin whose lower edge is not above the number.
    private func bin(of number: Double) -> Int {
        var (low, high) = (0, counts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if edges[middle] <= number { low = middle } else { high = middle }
        }
        return low
    }

    private static func span(of numbers: [Double]) -> ClosedRange<Double>? {
        var (least, greatest) = (Double.infinity, -Double.infinity)
        for number in numbers where number.isFinite {
            least = min(least, number)
            greatest = max(greatest, number)
        }
        return least <= greatest ? least...greatest : nil
    }

    private static func edges(_ span: ClosedRange<Double>, _ bins: Int) -> [Double] {
        var (low, high) = (span.lowerBound, span.upperBound)
        if low == high {
            let end = Double.greatestFiniteMagnitude
            (low, high) = (
                max(-end, min(low - 0.5, low.nextDown)), min(end, max(high + 0.5, high.nextUp))
            )
        }
        let width = (high - low) / Double(bins)
        let inner = (1..<max(1, bins)).map { number in
            if width.isFinite { return low + Double(number) * width }
            let weight = Double(number) / Double(bins)
            return low * (1 - weight) + high * weight
        }
        return [low] + inner + [high]
    }
}

/// The Shannon entropy of a distribution.
///
/// H = −Σ p·log₂ p over the relative frequencies p > 0: C. E. Shannon, "A Mathematical Theory of
/// Communication", Bell System Technical Journal 27 (1948).
public enum Entropy {
    /// The entropy in bits.
    ///
    /// - Parameter counts: the frequency of each outcome; values below 1 are ignored.
    /// - Returns: 0 for a single outcome; `nil` for none.
    public static func bits(counts: some Sequence<Int>) -> Double? {
        // Sorted, so that the result does not depend on the order of the counts.
        let seen = counts.filter { $0 > 0 }.sorted()
        let total = seen.reduce(0.0) { $0 + Double($1) }
        guard total > 0 else { return nil }
        return seen.reduce(0.0) { sum, count in
            let share = Double(count) / total
            return sum - share * log2(share)
        } + 0
    }
}
