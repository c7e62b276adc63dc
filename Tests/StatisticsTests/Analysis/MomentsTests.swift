import Foundation
import Samples
import TestSupport
import Testing

@testable import Statistics

struct MomentsTests {
    @Test func `merged parts equal inserting the numbers one by one`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        for _ in 0..<200 {
            let offset: Double = [0, 1e6, -1e9].randomElement(using: &random) ?? 0
            let numbers = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                offset + Double.random(in: -1...1, using: &random)
            }
            var merged = Moments()
            var rest = numbers[...]
            while !rest.isEmpty {
                let part = rest.prefix(Int.random(in: 0...20, using: &random))
                rest = rest.dropFirst(part.count)
                merged.merge(Moments(part))
            }
            let whole = Moments(numbers)
            #expect(merged.count == whole.count, "seed \(seed)")
            #expect(merged.minimum == whole.minimum)
            #expect(merged.maximum == whole.maximum)
            #expect(Self.areClose(merged.sum, whole.sum, 1e-15), "seed \(seed)")
            #expect(Self.areClose(merged.mean, whole.mean, 1e-15), "seed \(seed)")
            #expect(
                Self.areClose(merged.sampleVariance, whole.sampleVariance, 1e-9), "seed \(seed)")
            #expect(Self.areClose(merged.rootMeanSquare, whole.rootMeanSquare, 1e-14))
        }
    }

    @Test func `merging with an empty summary changes nothing`() {
        var moments = Moments([1, 2, 4])
        moments.merge(Moments())
        #expect(moments == Moments([1, 2, 4]))
        var nothing = Moments()
        nothing.merge(Moments([1, 2, 4]))
        #expect(nothing == Moments([1, 2, 4]))
    }

    @Test(
        arguments: Statistic.standard + [.percentile(50), .range, .rootMeanSquare, .first, .last])
    func `an empty summary has no statistics except its count`(statistic: Statistic) {
        #expect(results([statistic], of: []) == [statistic == .count ? 0 : nil])
    }

    @Test func `the largest doubles give neither infinity nor NaN`() {
        let greatest = Double.greatestFiniteMagnitude
        let numbers = [greatest, greatest, -greatest, greatest]
        let all: [Statistic] = [
            .sum, .mean, .variance, .standardDeviation, .populationVariance, .range,
            .rootMeanSquare, .percentile(10), .percentile(50), .minimum, .maximum,
        ]
        for (statistic, result) in zip(all, results(all, of: numbers)) {
            #expect(result?.isFinite ?? true, "\(statistic)")
        }
        #expect(results([.minimum, .maximum], of: numbers) == [-greatest, greatest])
        #expect(quantile(0.5, of: [-greatest, greatest]) == 0)
    }

    @Test func `every percentile of a constant is the constant`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        for _ in 0..<1000 {
            let constant = Double.random(in: -1e6...1e6, using: &random)
            let sorted = Array(repeating: constant, count: .random(in: 1...40, using: &random))
            let fraction = Double.random(in: 0...1, using: &random)
            #expect(quantile(fraction, of: sorted) == constant, "seed \(seed)")
        }
    }

    @Test func `percentiles ascend and stay between neighbouring numbers`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let sorted = (0..<50).map { _ in Double.random(in: -1e9...1e9, using: &random) }.sorted()
        let percentiles = (0...1000).compactMap { quantile(Double($0) / 1000, of: sorted) }
        #expect(percentiles.count == 1001)
        #expect(percentiles == percentiles.sorted(), "seed \(seed)")
        #expect(percentiles.first == sorted.first)
        #expect(percentiles.last == sorted.last)
        #expect(quantile(.nan, of: sorted) == nil)
    }

    @Test(arguments: ["mean", "p0", "p99.9", "p100", "median", "pstddev", "p7", "p99~"])
    func `the name of a parsed statistic is the one that was parsed`(name: String) {
        #expect(Statistic(name)?.description == name)
    }

    @Test(arguments: [
        "", "p", "p-1", "p101", "pnan", "pinf", "Mean", "mean ", "percentile", "p1,2", "mean~",
        "p~",
    ])
    func `unknown names of statistics are rejected`(name: String) {
        #expect(Statistic(name) == nil)
    }

    private static func areClose(_ left: Double?, _ right: Double?, _ tolerance: Double) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return abs(left - right) <= max(abs(left), abs(right), 1e-300) * tolerance
    }
}
