import Samples
import TestSupport
import Testing

struct TimeRangeTests {
    private static func range(_ from: Int64, _ to: Int64) -> TimeRange {
        TimeRange(from: Timestamp(microseconds: from), to: Timestamp(microseconds: to))
    }

    @Test(
        arguments: [(9, false), (10, true), (19, true), (20, false), (Int64.min, false)]
            as [(Int64, Bool)])
    func `a range includes its start and excludes its end`(time: Int64, isInside: Bool) {
        #expect(Self.range(10, 20).contains(Timestamp(microseconds: time)) == isInside)
    }

    @Test func `a range that ends before it begins is empty`() {
        let range = Self.range(20, 10)
        #expect(range.isEmpty)
        #expect(!range.contains(Timestamp(microseconds: 20)))
        #expect(!range.contains(Timestamp(microseconds: 15)))
    }

    @Test func `the open range contains every timestamp except the last`() {
        #expect(TimeRange.all.contains(.distantPast))
        #expect(TimeRange.all.contains(Timestamp(microseconds: .max - 1)))
        #expect(!TimeRange.all.contains(.distantFuture))
    }

    @Test func `an intersection contains the timestamps in both ranges`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        for _ in 0..<500 {
            let ends = (0..<4).map { _ in Int64.random(in: 0...12, using: &random) }
            let (left, right) = (Self.range(ends[0], ends[1]), Self.range(ends[2], ends[3]))
            let both = left.intersection(right)
            for time in (-1...13).map({ Timestamp(microseconds: Int64($0)) }) {
                #expect(
                    both.contains(time) == (left.contains(time) && right.contains(time)),
                    "seed \(seed): \(left) and \(right) at \(time)")
            }
        }
    }
}
