import Foundation
import Samples
import TestSupport
import Testing

@testable import Statistics

struct ComomentsTests {
    @Test func `covariance, correlations and lines equal NumPy and SciPy`() throws {
        for fixture in try AnalysisFixtures.load().pairs {
            let found = Comoments(fixture.x, fixture.y)
            let name = fixture.name
            let spread = found.squaresX.squareRoot() * found.squaresY.squareRoot()
            #expect(areClose(found.sampleCovariance, fixture.covariance, 1e-10), "\(name)")
            #expect(
                areClose(found.populationCovariance, fixture.populationCovariance, 1e-10), "\(name)"
            )
            #expect(areClose(found.correlation, fixture.pearson, 1e-10, scale: 1), "\(name)")
            let ranks = Ranks.correlation(fixture.x, fixture.y)
            #expect(areClose(ranks, fixture.spearman, 1e-12, scale: 1), "\(name)")
            let line = try #require(LinearTrend(fixture.x, fixture.y))
            #expect(
                areClose(line.slope, fixture.slope, 1e-10, scale: spread / found.squaresX),
                "\(name)")
            let level = fixture.y.map(abs).max() ?? 0
            #expect(areClose(line.intercept, fixture.intercept, 1e-9, scale: level), "\(name)")
            #expect(areClose(line.rSquared, fixture.rSquared, 1e-10, scale: 1), "\(name)")
            let isExact = ["opposite", "constant"].contains(name)
            let isNearZero = isExact ? (line.standardError ?? 1) < 1e-9 : false
            #expect(
                isNearZero || areClose(line.standardError, fixture.standardError, 1e-7), "\(name)")
        }
    }

    @Test func `merged parts equal inserting the pairs one by one`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        for _ in 0..<200 {
            let offset: Double = [0, 1e6, -1e9].randomElement(using: &random) ?? 0
            let x = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                offset + Double.random(in: -1...1, using: &random)
            }
            let y = x.map { Double.random(in: -1...1, using: &random) - $0 }
            var merged = Comoments()
            var start = 0
            while start < x.count {
                let end = min(x.count, start + Int.random(in: 0...20, using: &random))
                merged.merge(Comoments(Array(x[start..<end]), Array(y[start..<end])))
                start = end
            }
            let whole = Comoments(x, y)
            #expect(merged.count == whole.count)
            #expect(
                areClose(merged.sampleCovariance, whole.sampleCovariance, 1e-6), "seed \(seed)")
            #expect(areClose(merged.correlation, whole.correlation, 1e-6), "seed \(seed)")
            #expect(areClose(merged.meanX, whole.meanX, 1e-12, scale: 1), "seed \(seed)")
            #expect(areClose(merged.meanY, whole.meanY, 1e-12, scale: 1), "seed \(seed)")
        }
        var nothing = Comoments([1], [2])
        nothing.merge(Comoments())
        #expect(nothing == Comoments([1], [2]))
    }

    @Test func `undefined results are nil and never NaN`() {
        let greatest = Double.greatestFiniteMagnitude
        let cases: [([Double], [Double])] = [
            ([], []), ([1], [2]), ([1, 1], [1, 2]), ([1, 2], [1, 1]), ([3, 3], [4, 4]),
            ([greatest, -greatest], [1, 2]), ([1e200, -1e200, 0], [1e200, 1, -1e200]),
            ([.leastNonzeroMagnitude, 0], [0, .leastNonzeroMagnitude]), ([.nan, 1], [1, 2]),
            ([.infinity, 1], [1, 2]),
        ]
        for (x, y) in cases {
            let found = Comoments(x, y)
            let line = LinearTrend(x, y)
            let results = [
                found.sampleCovariance, found.populationCovariance, found.correlation, found.meanX,
                found.meanY, line?.slope, line?.intercept, line?.rSquared, line?.standardError,
                Ranks.correlation(x, y),
            ]
            #expect(results.allSatisfy { $0?.isFinite ?? true }, "\(x) \(y): \(results)")
        }
        #expect(Comoments([1], [2]).correlation == nil)
        #expect(Comoments([1, 2], [3, 3]).correlation == nil)
        #expect(LinearTrend([1, 1], [1, 2]) == nil)
        #expect(LinearTrend([1, 2], [5, 5])?.rSquared == nil)
        #expect(LinearTrend([1, 2], [5, 7])?.standardError == nil)
        #expect(LinearTrend(Series()) == nil)
    }

    @Test func `a line over time has a slope per second and starts at the first sample`() throws {
        let series = Series(
            times: [5_000_000, 6_000_000, 8_000_000, 12_500_000], values: [10, 12, 16, 25])
        let line = try #require(LinearTrend(series))
        #expect(line.slope == 2)
        #expect(line.intercept == 10)
        #expect(line.rSquared == 1)
        #expect(line.standardError == 0)
        let ends = try #require(LinearTrend(Series(times: [.min, .max], values: [0, 1])))
        #expect(ends.slope.isFinite && ends.slope > 0)
    }

    @Test func `equal numbers share the mean of their ranks`() {
        #expect(Ranks.of([]) == [])
        #expect(Ranks.of([3, 1, 3, 2, 3]) == [4, 1, 4, 2, 4])
        #expect(Ranks.of([.nan, -1, 0]) == [3, 1, 2])
        #expect(Ranks.of([0, -0.0]) == [1.5, 1.5])
    }
}
