import Glibc

/// How many numbers fall into each of many bins of equal width.
///
/// A bin holds its lower edge and not its upper one; the last holds both, as in NumPy.
public struct Histogram: Hashable, Sendable {
    /// One more than there are bins, ascending.
    public let edges: [Double]
    public private(set) var counts: [Int]

    /// Counts the finite numbers inside a span; others are left out.
    ///
    /// - Parameters:
    ///   - bins: at least 1.
    ///   - span: from the first edge to the last; `nil` for the least to the greatest number. A span
    ///     of one number becomes one of width 1 around it.
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

    /// How many bins suit these numbers, by the rule of Freedman and Diaconis.
    ///
    /// Bins of width 2·IQR/∛n: D. Freedman and P. Diaconis, "On the Histogram as a Density
    /// Estimator: L₂ Theory", Zeitschrift für Wahrscheinlichkeitstheorie 57 (1981).
    /// - Parameters:
    ///   - sorted: in ascending order.
    ///   - limit: the most bins to return.
    /// - Returns: 1 where the quartiles are equal; 0 of nothing.
    public static func freedmanDiaconisBins(sorted: [Double], atMost limit: Int) -> Int {
        guard let least = sorted.first, let greatest = sorted.last,
            let lower = Quantile.of(0.25, sorted: sorted),
            let upper = Quantile.of(0.75, sorted: sorted)
        else { return 0 }
        // Halves, since the width of the whole range may be beyond the doubles.
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
            guard !width.isFinite else { return low + Double(number) * width }
            let weight = Double(number) / Double(bins)
            return low * (1 - weight) + high * weight
        }
        return [low] + inner + [high]
    }
}
