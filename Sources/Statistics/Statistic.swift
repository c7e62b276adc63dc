/// A statistic of a set of numbers.
public enum Statistic: Hashable, Sendable {
    /// The number of values, their sum, and their arithmetic mean.
    case count, sum, mean
    /// With divisor n−1.
    case variance, standardDeviation
    /// With divisor n.
    case populationVariance, populationStandardDeviation
    /// The smallest and the largest value.
    case minimum, maximum
    /// Maximum − minimum.
    case range
    /// The square root of the mean of the squares.
    case rootMeanSquare
    /// The value of the earliest or latest sample, which a statistics-only grant excludes.
    case first, last
    /// 0 to 100; 50 is the median. See `Quantile` for the definition.
    case percentile(Double)
    /// A percentile within 1 % of the value, computed from summaries only; see `QuantileSketch`.
    case approximatePercentile(Double)

    /// The statistics of an answer if the query names none.
    public static let standard: [Statistic] = [
        .count, .mean, .standardDeviation, .minimum, .maximum,
    ]

    /// Whether it reveals the value of a single sample.
    public var isSingleSample: Bool { self == .first || self == .last }

    /// Whether it requires a quantile sketch.
    public var needsSketch: Bool {
        switch self {
        case .percentile, .approximatePercentile: true
        default: false
        }
    }

    /// The percentage of an exact percentile; `nil` for other statistics.
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

    /// All names that `init?(_:)` parses, with examples of percentiles.
    public static var allNames: String {
        names.map(\.0).joined(separator: ", ")
            + ", p99 (any percentile, such as p99.9), p99~ (within 1 %, but faster)"
    }

    /// Parses `mean`, `stddev`, `median`, `p95`, `p99.9` and the other names.
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
