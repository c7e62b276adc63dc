import Samples

/// What is gathered of one field in one window until its statistics are asked for.
struct Summary: Sendable {
    private var moments = Moments()
    private var values: [Double] = []
    private var first: Double?
    private var last: Double?
    private let keepsValues: Bool

    /// - Parameter keepsValues: whether percentiles will be asked for.
    init(keepsValues: Bool) {
        self.keepsValues = keepsValues
    }

    var count: Int { moments.count }

    /// Numbers come in the order of their samples.
    mutating func insert(_ number: Double) {
        moments.insert(number)
        first = first ?? number
        last = number
        if keepsValues { values.append(number) }
    }

    /// The statistics, each `nil` where it is not defined on so few numbers or is not finite.
    func results(_ statistics: [Statistic]) -> [Double?] {
        let sorted = values.sorted()
        return statistics.map { statistic in
            result(statistic, sorted).flatMap { $0.isFinite ? $0 : nil }
        }
    }

    private func result(_ statistic: Statistic, _ sorted: [Double]) -> Double? {
        switch statistic {
        case .count: Double(moments.count)
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
        case .first: first
        case .last: last
        case .percentile(let percent): Quantile.of(percent / 100, sorted: sorted)
        }
    }
}
