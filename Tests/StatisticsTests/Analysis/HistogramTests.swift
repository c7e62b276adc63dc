import Foundation
import Samples
import TestSupport
import Testing

@testable import Statistics

struct HistogramTests {
    @Test func `edges and counts equal NumPy`() throws {
        for fixture in try AnalysisFixtures.load().histograms {
            let span = fixture.span.map { $0[0]...$0[1] }
            let found = try #require(Histogram(fixture.values, bins: fixture.bins, over: span))
            #expect(found.counts == fixture.counts, "\(fixture.name)")
            #expect(areClose(found.edges, fixture.edges, 1e-15), "\(fixture.name)")
            let bins = Histogram.freedmanDiaconisBins(
                sorted: fixture.values.sorted(), atMost: 1000)
            #expect(bins == fixture.freedmanDiaconis, "\(fixture.name)")
            #expect(
                areClose(Entropy.bits(counts: found.counts), fixture.bits, 1e-14, scale: 1),
                "\(fixture.name)")
        }
    }

    @Test func `every number inside the span is counted in the bin that contains it`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        for _ in 0..<200 {
            let numbers = (0..<Int.random(in: 0...50, using: &random)).map { _ in
                Double(Int.random(in: -9...9, using: &random)) / 4
            }
            let bins = Int.random(in: 1...20, using: &random)
            let found = try #require(Histogram(numbers, bins: bins, over: -2...2))
            for bin in 0..<bins {
                let isLast = bin == bins - 1
                let wanted = numbers.count {
                    $0 >= found.edges[bin]
                        && ($0 < found.edges[bin + 1] || isLast && $0 == found.edges[bin + 1])
                }
                #expect(found.counts[bin] == wanted, "seed \(seed)")
            }
            #expect(found.counts.reduce(0, +) == numbers.count { abs($0) <= 2 }, "seed \(seed)")
        }
    }

    @Test(
        arguments: [
            [1e308, -1e308, 0, 1], [Double.greatestFiniteMagnitude, -.greatestFiniteMagnitude],
            [Double.greatestFiniteMagnitude], [Double.leastNonzeroMagnitude, 1e-308],
            [1e300, 1e300.nextUp],
            [.nan, 1, 2], [.infinity, 1, -.infinity],
        ] as [[Double]], [1, 2, 7, 1000])
    func `the largest doubles have finite ascending edges`(
        numbers: [Double], bins: Int
    ) throws {
        let found = try #require(Histogram(numbers, bins: bins))
        #expect(found.edges.count == bins + 1)
        #expect(found.edges.allSatisfy { $0.isFinite })
        #expect(found.edges == found.edges.sorted())
        #expect(found.counts.reduce(0, +) == numbers.count(where: \.isFinite))
    }

    @Test func `invalid input gives no histogram`() {
        #expect(Histogram([], bins: 5) == nil)
        #expect(Histogram([.nan, .infinity], bins: 5) == nil)
        #expect(Histogram([1], bins: 0) == nil)
        #expect(Histogram([1], bins: -1) == nil)
        #expect(Histogram([1], bins: 3, over: -.infinity...0) == nil)
        #expect(Histogram([], bins: 2, over: 0...1)?.counts == [0, 0])
        #expect(Histogram.freedmanDiaconisBins(sorted: [], atMost: 9) == 0)
        #expect(Histogram.freedmanDiaconisBins(sorted: [-1e308, 0, 1e308], atMost: 9) == 2)
        let crowd = Array(repeating: 0.0, count: 10) + (0..<12).map { 1 + Double($0) * 1e-9 }
        #expect(Histogram.freedmanDiaconisBins(sorted: crowd + [1e12], atMost: 64) == 64)
    }

    @Test(
        arguments: [
            ([], nil), ([0, -3], nil), ([7], 0), ([1, 1], 1), ([1, 1, 2], 1.5),
            (Array(repeating: 3, count: 256), 8), ([.max, .max], 1),
        ] as [([Int], Double?)])
    func `entropy is measured in bits`(counts: [Int], bits: Double?) {
        #expect(Entropy.bits(counts: counts) == bits)
        #expect(Entropy.bits(counts: counts.reversed()) == bits)
    }
}
