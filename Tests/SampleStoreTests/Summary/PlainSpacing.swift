import Samples
import Statistics

/// A `Spacing` computed from all times at once.
struct PlainSpacing: Equatable {
    let first: Int64
    let last: Int64
    let head: [Int64]
    let recent: [Int64]
    let counted: Int64

    init?(_ times: [Int64]) {
        let moments = Set(times).sorted()
        guard let first = moments.first, let last = moments.last else { return nil }
        let intervals = zip(moments.dropFirst(), moments).map { $0 - $1 }
        (self.first, self.last) = (first, last)
        head = Array(intervals.prefix(4))
        recent = Array(intervals.suffix(4))
        counted = intervals.indices.dropFirst(4).reduce(0) { sum, place in
            let usual = intervals[place - 4..<place].sorted()[2]
            return sum + min(intervals[place], 4 * usual)
        }
    }

    init(_ spacing: Spacing) {
        first = spacing.first.microseconds
        last = spacing.last.microseconds
        head = (0..<spacing.headCount).map { spacing.head[$0] }
        recent = (4 - spacing.headCount..<4).map { spacing.recentIntervals[$0] }
        counted = spacing.counted
    }
}
