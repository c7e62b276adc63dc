import Samples
import TestSupport
import Testing

@testable import Statistics

struct QuantileSketchTests {
    static func bulk(_ numbers: [Double]) -> QuantileSketch {
        numbers.withUnsafeBufferPointer { QuantileSketch($0) }
    }

    @Test(arguments: NumberSets.names)
    func `every order statistic is within its bounds and one per cent`(name: String) throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let numbers = NumberSets.make(name, 1500, using: &random)
        let sorted = numbers.sorted()
        let sketch = Self.bulk(numbers)
        #expect(sketch.count == numbers.count)
        var wrong: [Int] = []
        for (rank, exact) in sorted.enumerated() {
            let fraction = sorted.count > 1 ? Double(rank) / Double(sorted.count - 1) : 0
            // The index may be rounded to slightly beside the rank: then the result is between two
            // numbers.
            let position = fraction * Double(sorted.count - 1)
            let found = try #require(sketch.quantile(fraction))
            let isClose = position != Double(rank) || Self.isClose(found, exact)
            if !isClose || !sketch.bounds(ofRank: rank).contains(exact) { wrong.append(rank) }
        }
        #expect(wrong.isEmpty, "seed \(seed)")
    }

    @Test(arguments: NumberSets.names)
    func `bulk, single and merged insertion in any order give equal sketches`(name: String) {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        for length in [3, 511, 512, 513, 5000] {
            let numbers = NumberSets.make(name, length, using: &random)
            let whole = QuantileSketch(numbers)
            #expect(Self.bulk(numbers) == whole, "seed \(seed), \(length) numbers")
            #expect(Self.bulk(numbers.shuffled(using: &random)) == whole, "seed \(seed)")
            var parts: [QuantileSketch] = []
            var rest = numbers[...]
            while !rest.isEmpty {
                let part = rest.prefix(.random(in: 1...1500, using: &random))
                rest = rest.dropFirst(part.count)
                parts.append(Self.bulk(Array(part)))
            }
            var merged = QuantileSketch()
            for part in parts.shuffled(using: &random) { merged.merge(part) }
            #expect(merged == whole, "seed \(seed), \(length) numbers")
            #expect(merged.bytes == whole.bytes, "seed \(seed), \(length) numbers")
        }
    }

    @Test func `a number next to the edge of a bucket is within its bounds`() {
        // Powers of two are edges; the others are where the bounds change.
        var number = 1.0
        var edges = (-1074...1023).map { Double(sign: .plus, exponent: $0, significand: 1) }
        while number < 2 {
            let upper = QuantileSketch([number]).bounds(ofRank: 0).upperBound / (1 + 1e-9)
            edges.append(upper)
            number = upper * (1 + 3e-9)
        }
        #expect(edges.count >= 2098 + 35)
        var wrong: [Double] = []
        for edge in edges {
            let bits = Int64(bitPattern: edge.bitPattern)
            for distance: Int64 in -9...9 where bits + distance > 0 {
                let number = Double(bitPattern: UInt64(bits + distance))
                let sketch = QuantileSketch([number])
                if !sketch.bounds(ofRank: 0).contains(number) { wrong.append(number) }
                if edge > 1, edge < 2 || distance == 0 {
                    var many = QuantileSketch()
                    for _ in 0..<512 { many.merge(sketch) }
                    if Self.bulk(Array(repeating: number, count: 512)) != many {
                        wrong.append(number)
                    }
                }
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test func `quantiles are interpolated linearly between two numbers`() throws {
        let sketch = QuantileSketch([100, 200])
        let quarter = try #require(sketch.quantile(0.25, within: 100...200))
        #expect(quarter == 125)
        #expect(sketch.quantile(-1, within: 100...200) == 100)
        #expect(sketch.quantile(7, within: 100...200) == 200)
        #expect(sketch.quantile(.nan) == nil)
        #expect(QuantileSketch().quantile(0.5) == nil)
        let far = QuantileSketch([-Double.greatestFiniteMagnitude, .greatestFiniteMagnitude])
        #expect(far.quantile(0.5) == 0)
    }

    @Test(arguments: NumberSets.names)
    func `a rounded number is the representative of its bucket`(name: String) {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let numbers = NumberSets.make(name, 500, using: &random)
        let wrong = numbers.filter { number in
            let rounded = QuantileSketch.rounded(number)
            return rounded != QuantileSketch([number]).quantile(0.5)
                || !Self.isClose(rounded, number)
        }
        #expect(wrong.isEmpty, "seed \(seed)")
    }

    @Test(arguments: [0, -0.0, .infinity, -.infinity] as [Double])
    func `zero, infinities and NaN are not rounded`(number: Double) {
        #expect(QuantileSketch.rounded(number) == number)
        #expect(QuantileSketch.rounded(.nan).isNaN)
    }

    @Test func `known minimum and maximum are returned exactly`() {
        let sketch = QuantileSketch([Double](repeating: 0.1, count: 9))
        for fraction in [0, 0.3, 0.5, 1] {
            #expect(sketch.quantile(fraction, within: 0.1...0.1) == 0.1)
        }
    }

    @Test func `numbers that are not finite are ignored`() {
        let numbers = (0..<2000).map { [Double.nan, .infinity, 1, -.infinity][$0 % 4] }
        #expect(Self.bulk(numbers) == QuantileSketch([Double](repeating: 1, count: 500)))
    }

    static func isClose(_ found: Double, _ exact: Double) -> Bool {
        let spacing = abs(exact) < 1e-300 ? Double.leastNonzeroMagnitude : 0
        return abs(found - exact) <= abs(exact) * QuantileSketch.relativeAccuracy + spacing
    }
}
