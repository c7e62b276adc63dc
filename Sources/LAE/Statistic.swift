/// A number that sums up many.
public enum Statistic: Hashable, Sendable {
    case count, sum, mean
    /// Divisor n−1.
    case variance, standardDeviation
    /// Divisor n.
    case populationVariance, populationStandardDeviation
    case minimum, maximum
    /// Maximum − minimum.
    case range
    case rootMeanSquare
    /// The value of the earliest or latest sample: a single sample, so never for aggregates only.
    case first, last
    /// 0 to 100; 50 is the median. See `Quantile` for the definition.
    case percentile(Double)

    /// What an answer without a choice holds.
    public static let standard: [Statistic] = [
        .count, .mean, .standardDeviation, .minimum, .maximum,
    ]

    /// Whether it gives away the value of one particular sample.
    var isSingleSample: Bool { self == .first || self == .last }

    var needsEveryValue: Bool {
        if case .percentile = self { true } else { false }
    }
}

extension Statistic: LosslessStringConvertible {
    private static let names: [(String, Statistic)] = [
        ("count", .count), ("sum", .sum), ("mean", .mean), ("variance", .variance),
        ("stddev", .standardDeviation), ("pvariance", .populationVariance),
        ("pstddev", .populationStandardDeviation), ("min", .minimum), ("max", .maximum),
        ("range", .range), ("rms", .rootMeanSquare), ("first", .first), ("last", .last),
        ("median", .percentile(50)),
    ]

    /// Every name that `init?(_:)` reads, percentiles as an example.
    public static var allNames: String {
        names.map(\.0).joined(separator: ", ") + ", p99 (any percentile, such as p99.9)"
    }

    /// Reads `mean`, `stddev`, `median`, `p95`, `p99.9` and the other names.
    public init?(_ name: String) {
        if let known = Self.names.first(where: { $0.0 == name }) {
            self = known.1
        } else if name.hasPrefix("p"), let first = name.dropFirst().first, first.isWholeNumber,
            let percent = Double(name.dropFirst()), (0...100).contains(percent)
        {
            self = .percentile(percent)
        } else {
            return nil
        }
    }

    public var description: String {
        if let known = Self.names.first(where: { $0.1 == self }) { return known.0 }
        guard case .percentile(let percent) = self else { return "" }
        return Int(exactly: percent).map { "p\($0)" } ?? "p\(percent)"
    }
}
