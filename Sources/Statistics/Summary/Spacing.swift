public import Samples

/// How the moments of some samples follow one another: enough to tell how much of the time around
/// them was seen.
///
/// The time from one sample to the next counts as seen up to four times what is usual there: the
/// second longest of the four intervals before it. So one or two long intervals do not make the next
/// long one usual, and a sensor that is read at another rate from some moment on is taken at the new
/// rate after two samples. Samples at one moment are one moment. What is known of two stretches, one
/// behind the other, gives what is known of both, to the microsecond.
public struct Spacing: Hashable, Sendable {
    /// How many intervals say what is usual.
    static let memory = 4
    /// How many times the usual an interval may be.
    public static let tolerance: Int64 = 4

    public private(set) var first: Timestamp
    public private(set) var last: Timestamp
    /// The first four intervals in microseconds, whose part depends on what comes before them; 0 for
    /// those that there are not.
    public private(set) var head = SIMD4<Int64>()
    /// How many of these there are.
    public private(set) var headCount = 0
    /// The last four, oldest first.
    private(set) var recent = RecentIntervals()
    /// What was seen of the intervals behind the first four, in microseconds.
    public private(set) var counted: Int64 = 0

    /// Of one moment.
    public init(_ time: Timestamp) {
        (first, last) = (time, time)
    }

    /// From what is stored of one.
    ///
    /// - Parameters:
    ///   - recent: `nil` where there are no more than the first intervals.
    /// - Returns: `nil` for what no moments give, as far as that shows.
    public init?(
        from first: Timestamp, to last: Timestamp, head: SIMD4<Int64>, headCount: Int,
        recent: SIMD4<Int64>?, counted: Int64
    ) {
        self.init(first)
        var sum = counted
        for place in 0..<min(headCount, Self.memory) {
            guard head[place] > 0, (recent?[place] ?? 1) > 0 else { return nil }
            sum = sum.addingSaturated(head[place])
            append(interval: head[place])
        }
        let reach = last.since(first)
        guard counted >= 0, sum <= reach, recent != nil || (sum == reach && counted == 0) else {
            return nil
        }
        if let recent { self.recent = RecentIntervals(recent) }
        self.counted = counted
        self.last = last
    }

    /// The last four intervals, oldest first.
    public var recentIntervals: SIMD4<Int64> { recent.intervals }

    /// Adds what is known of a stretch of time behind this one, or before it.
    ///
    /// Where two overlap, the one that begins first counts, and of the other only where it ends: a
    /// lower bound.
    public mutating func merge(_ other: Spacing) {
        var (whole, next) = first <= other.first ? (self, other) : (other, self)
        if next.first < whole.last {
            whole.append(next.last.microseconds)
        } else {
            whole.append(next.first.microseconds)
            for place in 0..<next.headCount { whole.append(interval: next.head[place]) }
            if next.headCount == Self.memory {
                whole.counted = whole.counted.addingSaturated(next.counted)
                whole.recent = next.recent
            }
            whole.last = next.last
        }
        self = whole
    }

    /// The longest time that counts of each of the first four intervals, and before the first sample;
    /// `nil` while there are not two intervals to compare.
    var startLimit: Int64? { headCount > 1 ? RecentIntervals(head).limit : nil }

    /// Whether there are four intervals.
    public var isHeadFull: Bool { headCount == Self.memory }

    /// Adds moments, in microseconds since 1970; one that is not behind all others adds nothing.
    mutating func append(_ time: Int64) {
        let time = Timestamp(microseconds: time)
        append(interval: time.since(last))
        last = max(last, time)
    }

    /// Adds moments in order, none of which are at one time or much farther apart than others.
    ///
    /// - Parameters:
    ///   - last: the last four intervals.
    mutating func append(evenlyUpTo time: Int64, _ intervals: RecentIntervals) {
        let time = Timestamp(microseconds: time)
        counted = counted.addingSaturated(time.since(last))
        recent = intervals
        last = time
    }

    private mutating func append(interval: Int64) {
        guard interval > 0 else { return }
        if headCount < Self.memory {
            head[headCount] = interval
            headCount += 1
        } else {
            counted = counted.addingSaturated(min(interval, recent.limit))
        }
        recent.append(interval)
    }
}

extension Spacing? {
    /// Adds what is known of another stretch of time, if anything.
    public mutating func merge(_ other: Spacing?) {
        guard let other else { return }
        if self?.merge(other) == nil { self = other }
    }
}

extension Timestamp {
    /// Microseconds from another moment to this one, held at what 64 bits have.
    func since(_ other: Timestamp) -> Int64 {
        let (difference, overflow) = microseconds.subtractingReportingOverflow(other.microseconds)
        return overflow ? (microseconds < other.microseconds ? .min : .max) : difference
    }
}

extension Int64 {
    /// The sum of two numbers that are not negative, held at the largest one.
    func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
