public import Samples

/// A mergeable summary of the intervals between samples, from which the observed time is computed.
///
/// An interval between two samples counts as observed up to four times the usual interval: the
/// second longest of the four intervals before it. So one or two gaps do not make the next gap
/// usual, and after a change of the sampling rate the new rate applies from the third sample on.
/// Samples with equal times count as one. Merging the spacings of two consecutive time ranges is
/// exact to the microsecond.
///
/// ```swift
/// var spacing = Spacing(firstTimes)    // [Timestamp] in order; nil for none
/// spacing.merge(Spacing(laterTimes))
/// ```
public struct Spacing: Hashable, Sendable {
    /// The number of preceding intervals that define the usual one.
    static let memory = 4
    /// The multiple of the usual interval up to which an interval counts as observed.
    public static let tolerance: Int64 = 4

    /// The first time.
    public private(set) var first: Timestamp
    /// The last time.
    public private(set) var last: Timestamp
    /// The first four intervals in microseconds, 0 for missing ones; their observed part depends on
    /// the samples before.
    public private(set) var head = SIMD4<Int64>()
    /// The number of intervals in ``head``.
    public private(set) var headCount = 0
    /// The last four intervals, oldest first.
    private(set) var recent = RecentIntervals()
    /// The observed microseconds of all intervals after the first four.
    public private(set) var counted: Int64 = 0

    /// The spacing of a single time.
    public init(_ time: Timestamp) {
        (first, last) = (time, time)
    }

    /// Restores a stored spacing.
    ///
    /// - Parameters:
    ///   - first: the first time.
    ///   - last: the last time.
    ///   - head: see ``head``.
    ///   - headCount: see ``headCount``.
    ///   - recent: the last four intervals; `nil` when there are no more than the first four.
    ///   - counted: see ``counted``.
    /// - Returns: `nil` for values that no sequence of times can have.
    public init?(
        from first: Timestamp, to last: Timestamp, head: SIMD4<Int64>, headCount: Int,
        recent: SIMD4<Int64>?, counted: Int64
    ) {
        self.init(first)
        var sum = counted
        for index in 0..<min(headCount, Self.memory) {
            guard head[index] > 0, (recent?[index] ?? 1) > 0 else { return nil }
            sum = sum.addingSaturated(head[index])
            append(interval: head[index])
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

    /// Adds the spacing of a later or earlier time range.
    ///
    /// If the two ranges overlap, only the last time of the range that starts later is used: the
    /// result is then a lower bound.
    public mutating func merge(_ other: Spacing) {
        var (whole, next) = first <= other.first ? (self, other) : (other, self)
        if next.first < whole.last {
            whole.append(next.last.microseconds)
        } else {
            whole.append(next.first.microseconds)
            for index in 0..<next.headCount { whole.append(interval: next.head[index]) }
            if next.headCount == Self.memory {
                whole.counted = whole.counted.addingSaturated(next.counted)
                whole.recent = next.recent
            }
            whole.last = next.last
        }
        self = whole
    }

    /// The limit for each of the first four intervals and for the time before the first sample;
    /// `nil` for fewer than two intervals.
    var startLimit: Int64? { headCount > 1 ? RecentIntervals(head).limit : nil }

    /// Whether ``head`` has all four intervals.
    public var isHeadFull: Bool { headCount == Self.memory }

    /// Adds a time in microseconds since 1970; one that is not after ``last`` adds nothing.
    mutating func append(_ time: Int64) {
        let time = Timestamp(microseconds: time)
        append(interval: time.since(last))
        last = max(last, time)
    }

    /// Adds consecutive times whose intervals are all fully observed.
    ///
    /// - Parameters:
    ///   - time: the last of them.
    ///   - intervals: the last four intervals.
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
    /// Merges two spacings, either of which may be `nil`.
    public mutating func merge(_ other: Spacing?) {
        guard let other else { return }
        if self?.merge(other) == nil { self = other }
    }
}

extension Timestamp {
    /// Microseconds since another time, clamped to `Int64`.
    func since(_ other: Timestamp) -> Int64 {
        let (difference, overflow) = microseconds.subtractingReportingOverflow(other.microseconds)
        return overflow ? (microseconds < other.microseconds ? .min : .max) : difference
    }
}

extension Int64 {
    /// The saturating sum of two numbers that are not negative.
    func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

extension Spacing {
    /// The number of intervals that are checked together.
    private static let blockLength = 64

    /// The spacing of ascending times.
    ///
    /// - Returns: `nil` for no times.
    public init?(_ times: ArraySlice<Timestamp>) {
        let found = times.withUnsafeBufferPointer { times in
            Spacing(count: times.count) { times[$0].microseconds }
        }
        guard let found else { return nil }
        self = found
    }

    /// The spacing of ascending times.
    ///
    /// - Returns: `nil` for no times.
    public init?(_ times: [Timestamp]) {
        self.init(times[...])
    }

    /// The spacing of ascending times in microseconds since 1970.
    ///
    /// - Returns: `nil` for no times.
    public init?(_ times: UnsafeBufferPointer<Int64>) {
        self.init(count: times.count) { times[$0] }
    }

    /// The spacing of times that are given only at both ends, where no interval is longer than four
    /// times another.
    ///
    /// - Parameters:
    ///   - start: at least the first five times, in microseconds since 1970.
    ///   - end: as many of the last times.
    public init?(even start: UnsafeBufferPointer<Int64>, _ end: UnsafeBufferPointer<Int64>) {
        self.init(start)
        guard isHeadFull, let last = end.last else { return nil }
        var intervals = RecentIntervals()
        for index in end.indices.dropFirst() { intervals.append(end[index] - end[index - 1]) }
        append(evenlyUpTo: last, intervals)
    }

    /// Adds blocks whose intervals are all fully observed in one step.
    @inline(__always)
    private init?(count: Int, _ time: (Int) -> Int64) {
        guard count > 0 else { return nil }
        self.init(Timestamp(microseconds: time(0)))
        var row = 1
        while row < count {
            let end = min(count, row + Self.blockLength)
            if end - row > Self.memory, isEven(row..<end, time) {
                var intervals = RecentIntervals()
                for index in end - Self.memory..<end {
                    intervals.append(time(index) - time(index - 1))
                }
                append(evenlyUpTo: time(end - 1), intervals)
            } else {
                for index in row..<end { append(time(index)) }
            }
            row = end
        }
    }

    /// Whether the intervals before these rows are all fully observed.
    @inline(__always)
    private func isEven(_ rows: Range<Int>, _ time: (Int) -> Int64) -> Bool {
        // Away from the ends of the representable range no difference overflows.
        guard recent.shortest > 0, last.microseconds > .min / 2,
            time(rows.upperBound - 1) < .max / 2
        else { return false }
        var (least, greatest) = (recent.shortest, Int64.min)
        var before = last.microseconds
        for row in rows {
            let time = time(row)
            let interval = time &- before
            least = min(least, interval)
            greatest = max(greatest, interval)
            before = time
        }
        let (limit, overflow) = least.multipliedReportingOverflow(by: Self.tolerance)
        return least > 0 && (overflow || greatest <= limit)
    }
}

/// The last four intervals, in microseconds.
struct RecentIntervals: Hashable, Sendable {
    private(set) var intervals = SIMD4<Int64>()

    init() {}

    init(_ intervals: SIMD4<Int64>) {
        self.intervals = intervals
    }

    mutating func append(_ interval: Int64) {
        intervals = SIMD4(intervals[1], intervals[2], intervals[3], interval)
    }

    /// The shortest interval; 0 when there are fewer than four.
    var shortest: Int64 { intervals.min() }

    /// The maximum observed time of the next interval: a multiple of the second longest of the
    /// four.
    var limit: Int64 {
        let (left, right) = (
            (min(intervals[0], intervals[1]), max(intervals[0], intervals[1])),
            (min(intervals[2], intervals[3]), max(intervals[2], intervals[3]))
        )
        let second = max(min(left.1, right.1), max(left.0, right.0))
        let (limit, overflow) = second.multipliedReportingOverflow(by: Spacing.tolerance)
        return overflow ? .max : limit
    }
}
