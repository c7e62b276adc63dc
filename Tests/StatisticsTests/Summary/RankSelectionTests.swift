import Samples
import TestSupport
import Testing

@testable import Statistics

struct RankSelectionTests {
    private static let everything = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude

    /// Runs all passes, each with another order and other blocks.
    private static func run(
        _ selection: inout RankSelection, over numbers: [Double], using random: inout SplitMix
    ) -> Int {
        for pass in 1...100 {
            #expect(selection.values == nil)
            var rest = numbers.shuffled(using: &random)[...]
            while !rest.isEmpty {
                let part = Array(rest.prefix(.random(in: 1...2500, using: &random)))
                part.withUnsafeBufferPointer { selection.insert($0) }
                rest = rest.dropFirst(part.count)
            }
            if !selection.endPass() { return pass }
        }
        return .max
    }

    @Test(
        arguments: NumberSets.names.filter { $0 != "nothing" }, [256, 1 << 12, 1 << 16])
    func `selected ranks equal those of sorting`(name: String, capacity: Int) {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let numbers = NumberSets.make(name, 3000, using: &random)
        let sorted = numbers.sorted()
        let sketch = QuantileSketchTests.bulk(numbers)
        var ranks = [0, numbers.count - 1, numbers.count / 2, numbers.count / 2]
        ranks += (0..<5).map { _ in Int.random(in: numbers.indices, using: &random) }
        let wrong = -1e-3...2e-3
        for candidates in [
            ranks.map { sketch.bounds(ofRank: $0) }, ranks.map { _ in Self.everything },
            ranks.map { _ in sorted[0]...sorted[sorted.count - 1] },
            ranks.map { sorted[$0]...sorted[$0] }, ranks.map { _ in wrong },
        ] {
            var selection = RankSelection(
                ranks: ranks, of: numbers.count, candidates: candidates, capacity: capacity)
            let passes = Self.run(&selection, over: numbers, using: &random)
            #expect(selection.values == ranks.map { sorted[$0] }, "seed \(seed), \(passes) passes")
            if capacity == 1 << 16, candidates.first != wrong {
                #expect(passes == 1, "seed \(seed)")
            }
        }
    }

    @Test func `hundreds of distant ranks are found in several passes`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let numbers = NumberSets.make("exponents", 2000, using: &random)
        let sorted = numbers.sorted()
        let ranks = stride(from: 0, to: 2000, by: 8).map { $0 }.shuffled(using: &random)
        let candidates = ranks.map { sorted[max($0 - 2, 0)]...sorted[min($0 + 2, 1999)] }
        var selection = RankSelection(ranks: ranks, of: 2000, candidates: candidates)
        #expect(Self.run(&selection, over: numbers, using: &random) == 4, "seed \(seed)")
        #expect(selection.values == ranks.map { sorted[$0] }, "seed \(seed)")
    }

    @Test(arguments: ["equal", "neighbours", "exponents", "zeros"])
    func `more numbers than fit in memory take a few passes`(name: String) {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let some = NumberSets.make(name, 1000, using: &random)
        let numbers = Array(repeatElement(some, count: 80).joined())
        let sorted = some.sorted()
        let ranks = [0, 8000, 40_001, 79_999]
        var selection = RankSelection(
            ranks: ranks, of: numbers.count, candidates: ranks.map { _ in Self.everything })
        #expect(Self.run(&selection, over: numbers, using: &random) <= 7, "seed \(seed)")
        #expect(selection.values == ranks.map { sorted[$0 / 80] }, "seed \(seed)")
    }

    @Test func `a selection without ranks needs no pass`() {
        var selection = RankSelection(ranks: [], of: 0, candidates: [])
        let needsMore = selection.endPass()
        #expect(!needsMore)
        #expect(selection.values?.isEmpty == true)
    }

    @Test(arguments: [
        [[1, 2], [1, 2, 3]], [[1, 2, 3, 4]], [[.nan, .nan, .nan]], [[1, 2, .nan]], [[]],
    ])
    func `passes that differ from the announced count give no values`(passes: [[Double]]) {
        var selection = RankSelection(ranks: [2], of: 3, candidates: [0...1])
        var isOpen = true
        for pass in 0..<10 where isOpen {
            passes[min(pass, passes.count - 1)].withUnsafeBufferPointer { selection.insert($0) }
            isOpen = selection.endPass()
        }
        #expect(!isOpen)
        #expect(selection.values == nil)
    }

    @Test func `infinities are the smallest and the largest numbers`() {
        let numbers: [Double] = [.infinity, 1, -.infinity]
        var selection = RankSelection(
            ranks: [0, 1, 2], of: 3, candidates: [0...0, 0...0, 0...0])
        var random = SplitMix(state: 1)
        _ = Self.run(&selection, over: numbers, using: &random)
        #expect(selection.values == [numbers[2], 1, numbers[0]])
    }
}
