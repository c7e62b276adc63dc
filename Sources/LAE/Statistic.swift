import Samples
import Statistics

/// An aggregate of a numeric field.
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
    /// The value of the earliest or latest sample; not available under a statistics-only grant.
    case first, last
    /// 0 to 100; 50 is the median. See `Quantile` for the definition.
    case percentile(Double)
    /// The same within 1 % of the value, from summaries alone; see `QuantileSketch`.
    case approximatePercentile(Double)

    /// The default statistics of a query.
    public static let standard: [Statistic] = [
        .count, .mean, .standardDeviation, .minimum, .maximum,
    ]

    /// Whether it reveals the value of a particular sample.
    var isSingleSample: Bool { self == .first || self == .last }

    /// Whether it needs a sketch.
    var needsSketch: Bool {
        switch self {
        case .percentile, .approximatePercentile: true
        default: false
        }
    }

    /// The percent of an exact percentile.
    var exactPercent: Double? {
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

    /// The names that `init?(_:)` parses, with examples of percentiles.
    public static var allNames: String {
        names.map(\.0).joined(separator: ", ")
            + ", p99 (any percentile, such as p99.9), p99~ (within 1 %, and fast)"
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

extension FieldSummary {
    /// A statistic; `nil` where it is not defined on so few numbers, is not finite, or needs the
    /// samples.
    func value(of statistic: Statistic) -> Double? {
        let value: Double? =
            switch statistic {
            case .count: Double(count)
            case .sum: moments.sum
            case .mean: moments.mean
            case .variance: moments.sampleVariance
            case .standardDeviation: moments.sampleVariance?.squareRoot()
            case .populationVariance: moments.populationVariance
            case .populationStandardDeviation: moments.populationVariance?.squareRoot()
            case .minimum: moments.minimum
            case .maximum: moments.maximum
            case .range: moments.maximum - moments.minimum
            case .rootMeanSquare: moments.rootMeanSquare
            case .first: first?.value
            case .last: last?.value
            case .approximatePercentile(let percent):
                count > 0
                    ? sketch?.quantile(percent / 100, within: moments.minimum...moments.maximum)
                    : nil
            case .percentile: nil
            }
        return value.flatMap { $0.isFinite ? $0 : nil }
    }
}
