import Samples

extension FieldSummary {
    /// A statistic; `nil` if it is not defined for so few numbers, is not finite, or needs more
    /// than a summary.
    public func value(of statistic: Statistic) -> Double? {
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
