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
    /// The same within 1 % of the value, from summaries alone; see `QuantileSketch`.
    case approximatePercentile(Double)

    /// What an answer without a choice holds.
    public static let standard: [Statistic] = [
        .count, .mean, .standardDeviation, .minimum, .maximum,
    ]

    /// Whether it gives away the value of one particular sample.
    public var isSingleSample: Bool { self == .first || self == .last }

    /// Whether a sketch has to be made.
    public var needsSketch: Bool {
        switch self {
        case .percentile, .approximatePercentile: true
        default: false
        }
    }

    /// The percent of an exact percentile.
    public var exactPercent: Double? {
        if case .percentile(let percent) = self { percent } else { nil }
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
        names.map(\.0).joined(separator: ", ")
            + ", p99 (any percentile, such as p99.9), p99~ (within 1 %, and at once)"
    }

    /// Reads `mean`, `stddev`, `median`, `p95`, `p99.9` and the other names.
    public init?(_ name: String) {
        if let known = Self.names.first(where: { $0.0 == name }) {
            self = known.1
        } else if name.hasPrefix("p"), let first = name.dropFirst().first, first.isWholeNumber {
            let isApproximate = name.hasSuffix("~")
            guard let percent = Double(name.dropFirst().dropLast(isApproximate ? 1 : 0)),
                (0...100).contains(percent)
            else { return nil }
            self = isApproximate ? .approximatePercentile(percent) : .percentile(percent)
        } else {
            return nil
        }
    }

    public var description: String {
        if let known = Self.names.first(where: { $0.1 == self }) { return known.0 }
        switch self {
        case .percentile(let percent): return Self.name(percent)
        case .approximatePercentile(let percent): return Self.name(percent) + "~"
        default: return ""
        }
    }

    private static func name(_ percent: Double) -> String {
        Int(exactly: percent).map { "p\($0)" } ?? "p\(percent)"
    }
}
