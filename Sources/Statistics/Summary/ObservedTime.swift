public import Samples

/// The observed time of each of several consecutive windows, from the spacing of their samples.
///
/// The samples of all windows form one sequence: an interval between two samples counts in every
/// window that it intersects, up to the limit described at ``Spacing``. The time after the last
/// sample counts like an interval. The first four intervals and the time before the first sample
/// have no predecessors: each counts up to four times the second longest of the first four
/// intervals.
///
/// ```swift
/// let observed = ObservedTime(summaries.map(\.spacing), in: windows).microseconds
/// ```
public struct ObservedTime: Sendable {
    /// The observed microseconds of each window; `nil` when fewer than three times are known, which
    /// do not define a usual interval, or when some times are unknown.
    public private(set) var microseconds: [Int64?]
    private let windows: [TimeRange]

    /// - Parameters:
    ///   - spacings: the spacing of the samples of each window; `nil` for a window without samples.
    ///   - unknown: the windows with samples whose times are unknown; the windows before and after
    ///     one are separate sequences.
    ///   - windows: in ascending order; time outside of them does not count.
    public init(
        _ spacings: [Spacing?], unknown: Set<Int> = [], in windows: [TimeRange]
    ) {
        self.windows = windows
        microseconds = windows.map { _ in nil }
        var start = 0
        for end in unknown.sorted() + [windows.count] {
            count(spacings, start..<end)
            start = end + 1
        }
        for (index, window) in windows.enumerated() {
            // A window may have been shortened after its samples were summarised.
            microseconds[index] = microseconds[index].map { min($0, window.to.since(window.from)) }
        }
    }

    /// Consecutive intervals with their limits.
    private struct Sequence {
        let startLimit: Int64
        private var number = 0
        private var recent = RecentIntervals()

        init(startLimit: Int64) {
            self.startLimit = startLimit
        }

        /// The maximum observed time of the next interval.
        var limit: Int64 { number < Spacing.memory ? startLimit : recent.limit }

        mutating func counted(_ interval: Int64) -> Int64 {
            guard interval > 0 else { return 0 }
            defer {
                number += 1
                recent.append(interval)
            }
            return min(interval, limit)
        }

        /// The observed time between the samples of a spacing.
        mutating func counted(_ spacing: Spacing) -> Int64 {
            var sum: Int64 = 0
            for index in 0..<spacing.headCount {
                sum = sum.addingSaturated(counted(spacing.head[index]))
            }
            guard spacing.isHeadFull else { return sum }
            recent = spacing.recent
            return sum.addingSaturated(spacing.counted)
        }
    }

    /// Processes the windows between two unknown ones.
    private mutating func count(_ spacings: [Spacing?], _ indices: Range<Int>) {
        let known = indices.compactMap { index in spacings[index].map { (index, $0) } }
        guard let (index, spacing) = known.first else {
            for index in indices { microseconds[index] = 0 }
            return
        }
        var start = spacing
        for (_, next) in known.dropFirst() where !start.isHeadFull {
            start.merge(next)
        }
        guard let startLimit = start.startLimit else { return }
        for index in indices { microseconds[index] = 0 }
        var sequence = Sequence(startLimit: startLimit)
        let lead = TimeRange(
            from: spacing.first.advanced(byMicroseconds: -startLimit), to: spacing.first)
        for index in indices.lowerBound...index { add(lead, to: index) }
        var before: (index: Int, last: Timestamp)?
        for (index, spacing) in known {
            if let before {
                let part = sequence.counted(spacing.first.since(before.last))
                add(part, behind: before.last, to: before.index...index)
            }
            microseconds[index] = microseconds[index]?.addingSaturated(sequence.counted(spacing))
            before = (index, spacing.last)
        }
        guard let before else { return }
        add(sequence.limit, behind: before.last, to: before.index...indices.upperBound - 1)
    }

    /// Adds the time after a sample to the windows that it intersects.
    private mutating func add(
        _ time: Int64, behind start: Timestamp, to indices: ClosedRange<Int>
    ) {
        let range = TimeRange(from: start, to: start.advanced(byMicroseconds: time))
        for index in indices {
            guard windows[index].from < range.to else { break }
            add(range, to: index)
        }
    }

    private mutating func add(_ range: TimeRange, to index: Int) {
        let part = range.intersection(windows[index])
        microseconds[index] = microseconds[index]?.addingSaturated(part.to.since(part.from))
    }
}
