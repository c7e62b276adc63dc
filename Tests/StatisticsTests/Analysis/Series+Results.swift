import Samples

@testable import Statistics

/// Statistics of numbers as the engine computes them: from a summary, and percentiles by selection.
func results(_ statistics: [Statistic], of numbers: [Double]) -> [Double?] {
    var summary = FieldSummary(hasSketch: true)
    for (index, number) in numbers.enumerated() {
        let time = Timestamp(microseconds: Int64(index))
        summary.insert(number, at: SampleQuery.Position(time: time, sequence: Int64(index)))
    }
    return statistics.map { statistic in
        guard let percent = statistic.exactPercent else { return summary.value(of: statistic) }
        return quantile(percent / 100, of: numbers)
    }
}

/// A quantile of numbers in any order, found by selection as in a store.
func quantile(_ fraction: Double, of numbers: [Double]) -> Double? {
    guard let quantile = Quantile(fraction, of: numbers.count) else { return nil }
    let ranks = [quantile.lower, quantile.upper]
    var selection = RankSelection(
        ranks: ranks, of: numbers.count,
        candidates: ranks.map { _ in -Double.infinity...Double.infinity })
    repeat {
        numbers.withUnsafeBufferPointer { selection.insert($0) }
    } while selection.endPass()
    return selection.values.map { quantile.value($0[0], $0[1]) }
}
