import Samples
import TestSupport
import Testing

@testable import Statistics

struct MomentsBulkTests {
    @Test(arguments: [0.0, 1, 20, -1e9, 1e15, 1e-300, 1e140])
    func `bulk insertion equals inserting one by one`(offset: Double) {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        for length in [0, 1, 7, 31, 32, 39, 40, 1023, 1024, 1025, 3000, 10_007] {
            let scale = abs(offset) > 0 ? abs(offset) / 8 : 1
            let numbers = (0..<length).map { _ in
                offset + Double.random(in: -scale...scale, using: &random)
            }
            let cut = Int.random(in: 0...length, using: &random)
            var bulk = Self.bulk(Array(numbers[..<cut]))
            Array(numbers[cut...]).withUnsafeBufferPointer { bulk.insert($0) }
            let single = Moments(numbers)
            let about = "seed \(seed), \(length) numbers"
            #expect(bulk.count == length)
            #expect(bulk.minimum == single.minimum, "\(about)")
            #expect(bulk.maximum == single.maximum, "\(about)")
            let size = numbers.reduce(0) { $0 + abs($1) }
            #expect(abs(bulk.sum - single.sum) <= size * 1e-16, "\(about)")
            #expect(Self.areClose(bulk.mean, single.mean), "\(about)")
            #expect(Self.areClose(bulk.sampleVariance, single.sampleVariance), "\(about)")
            #expect(Self.areClose(bulk.rootMeanSquare, single.rootMeanSquare), "\(about)")
        }
    }

    @Test func `a compensated sum survives cancellation`() {
        let numbers = (0..<1000).map { [1e16, 1, -1e16, 2][$0 % 4] }
        #expect(Self.bulk(numbers).sum == 750)
    }

    @Test func `a small spread of large numbers keeps its precision`() throws {
        let numbers = (0..<4096).map { 1e15 + Double($0 % 2) }
        #expect(Self.bulk(numbers).populationVariance == 0.25)
        #expect(Self.bulk(numbers).mean == 1e15 + 0.5)
        let constant = Self.bulk(Array(repeating: 0.1, count: 5000))
        #expect(try #require(constant.sampleVariance) < 1e-33)
    }

    @Test(
        arguments: [
            [Double.greatestFiniteMagnitude],
            [.greatestFiniteMagnitude, -.greatestFiniteMagnitude],
            [1e200, -1e200, 3], [.leastNonzeroMagnitude, 0], [.infinity, 1], [-0.0, 0],
        ])
    func `bulk insertion of the largest doubles equals inserting one by one`(pattern: [Double]) {
        let numbers = (0..<2000).map { pattern[$0 % pattern.count] }
        let (bulk, single) = (Self.bulk(numbers), Moments(numbers))
        for (left, right) in [
            (bulk.sum, single.sum), (bulk.mean, single.mean), (bulk.minimum, single.minimum),
            (bulk.maximum, single.maximum), (bulk.populationVariance, single.populationVariance),
        ] {
            let isSame = left == right || left?.isNaN == true && right?.isNaN == true
            #expect(isSame || Self.areClose(left, right), "\(pattern)")
        }
    }

    static func bulk(_ numbers: [Double]) -> Moments {
        numbers.withUnsafeBufferPointer { Moments($0) }
    }

    private static func areClose(_ left: Double?, _ right: Double?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return abs(left - right) <= max(abs(left), abs(right)) * 1e-13
    }
}
