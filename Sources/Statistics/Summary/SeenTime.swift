public import Samples

/// How much of each of several windows was seen.
///
/// The windows lie one behind the other, and the samples of all of them are one sequence: an interval
/// between two samples counts, see `Spacing`, in every window that it reaches into. Of the time behind
/// the last sample as much counts as of an interval there. The first four intervals and the time
/// before the first sample have nothing before them: each counts up to four times the second longest
/// of these four.
public struct SeenTime: Sendable {
    /// Microseconds by window; `nil` where fewer than three moments are known, which do not say what
    /// is usual, or some are not.
    public private(set) var seen: [Int64?]
    private let windows: [TimeRange]

    /// - Parameters:
    ///   - spacings: of the samples of each window; `nil` where there is none.
    ///   - unknown: windows with samples whose moments are not known; what lies before one and what
    ///     lies behind it are sequences of their own.
    ///   - windows: in the order of time; what is beyond them counts nowhere.
    public init(
        _ spacings: [Spacing?], unknown: Set<Int> = [], in windows: [TimeRange]
    ) {
        self.windows = windows
        seen = windows.map { _ in nil }
        var start = 0
        for end in unknown.sorted() + [windows.count] {
            count(spacings, start..<end)
            start = end + 1
        }
        for (place, window) in windows.enumerated() {
            // Samples that lie beyond the end of a window that was cut short count with it.
            seen[place] = seen[place].map { min($0, window.to.since(window.from)) }
        }
    }

    /// Intervals in order, each with what it counts for.
    private struct Sequence {
        let startLimit: Int64
        private var number = 0
        private var recent = RecentIntervals()

        init(startLimit: Int64) {
            self.startLimit = startLimit
        }

        /// What of the next interval counts at most.
        var limit: Int64 { number < Spacing.memory ? startLimit : recent.limit }

        mutating func counted(_ interval: Int64) -> Int64 {
            guard interval > 0 else { return 0 }
            defer {
                number += 1
                recent.append(interval)
            }
            return min(interval, limit)
        }

        /// What counts between the samples of a stretch.
        mutating func counted(_ spacing: Spacing) -> Int64 {
            var sum: Int64 = 0
            for place in 0..<spacing.headCount {
                sum = sum.addingSaturated(counted(spacing.head[place]))
            }
            guard spacing.isHeadFull else { return sum }
            recent = spacing.recent
            return sum.addingSaturated(spacing.counted)
        }
    }

    /// Counts the windows between two that are unknown.
    private mutating func count(_ spacings: [Spacing?], _ places: Range<Int>) {
        let known = places.compactMap { place in spacings[place].map { (place, $0) } }
        guard let (place, spacing) = known.first else {
            for place in places { seen[place] = 0 }
            return
        }
        var start = spacing
        for (_, next) in known.dropFirst() where !start.isHeadFull {
            start.merge(next)
        }
        guard let startLimit = start.startLimit else { return }
        for place in places { seen[place] = 0 }
        var sequence = Sequence(startLimit: startLimit)
        let lead = TimeRange(
            from: spacing.first.advanced(byMicroseconds: -startLimit), to: spacing.first)
        for place in places.lowerBound...place { add(lead, to: place) }
        var before: (place: Int, last: Timestamp)?
        for (place, spacing) in known {
            if let before {
                let part = sequence.counted(spacing.first.since(before.last))
                add(part, behind: before.last, to: before.place...place)
            }
            seen[place] = seen[place]?.addingSaturated(sequence.counted(spacing))
            before = (place, spacing.last)
        }
        guard let before else { return }
        add(sequence.limit, behind: before.last, to: before.place...places.upperBound - 1)
    }

    /// Adds the time behind a moment to the windows that it reaches into.
    private mutating func add(
        _ time: Int64, behind moment: Timestamp, to places: ClosedRange<Int>
    ) {
        let stretch = TimeRange(from: moment, to: moment.advanced(byMicroseconds: time))
        for place in places {
            guard windows[place].from < stretch.to else { break }
            add(stretch, to: place)
        }
    }

    private mutating func add(_ stretch: TimeRange, to place: Int) {
        let part = stretch.intersection(windows[place])
        seen[place] = seen[place]?.addingSaturated(part.to.since(part.from))
    }
}
