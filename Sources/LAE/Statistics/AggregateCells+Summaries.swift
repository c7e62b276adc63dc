import Samples
import Statistics

extension AggregateCells {
    /// Cells that are looked at together: those of whole hours.
    private static let slab: Int64 = 2040
    /// The most cells that one question looks at: the minutes of 19 years.
    static let limit = 10_000_000

    /// The summary of each window of a query, made of cells that have samples enough, and the
    /// microseconds that these have seen.
    ///
    /// A cell's samples have seen of the cell what they would have if there were no others, and less
    /// than three moments nothing: like every figure it says nothing of the neighbours. Cells are looked
    /// at where there is something; stretches without samples cost nothing, however long they are.
    ///
    /// - Parameters:
    ///   - samples: the stretch of time that there are samples of.
    ///   - limit: the most cells to look at.
    /// - Throws: `LAEError` with `tooManyWindows`, `CancellationError`, and whatever reading throws.
    func summaries(
        _ query: SummaryQuery, _ samples: TimeRange, _ reader: StatisticsReader,
        limit: Int = limit
    ) async throws -> ([WindowSummary], seen: [Int64?]) {
        var gathered = WindowSummaries(query)
        var seen = [Int64?](repeating: 0, count: query.windowCount)
        let wanted = query.range.intersection(
            TimeRange(from: floor(samples.from), to: ceiling(samples.to)))
        for range in await reader.damage(in: wanted) { note(range, in: query, &gathered) }
        let whole = hours(wanted)
        var start = whole.from
        var looked = 0
        while start < whole.to {
            try Task.checkCancellation()
            var part = query
            part.range = TimeRange(
                from: start, to: min(whole.to, start.advanced(byMicroseconds: width * Self.slab)))
            part.step = width
            looked += part.windowCount
            guard looked <= limit else {
                throw LAEError(
                    .tooManyWindows,
                    "The range holds more than \(limit) stretches of time to look at one by one.",
                    hint: "Ask for a shorter range.")
            }
            var isEmpty = true
            var noted: TimeRange?
            for (cell, summary) in try await reader.summaries(part).enumerated() {
                let span = part.span(of: cell)
                if summary.count > 0 { isEmpty = false }
                if summary.isPartial, noted?.contains(span.from) != true {
                    noted = note(span, in: query, &gathered)
                }
                guard wanted.contains(span.from), summary.count >= GrantTerms.minimumCount
                else { continue }
                let window = query.window(of: span.from)
                gathered.merge(summary.fields, count: summary.count, to: window)
                let own = ObservedTime([summary.spacing], in: [span]).microseconds[0] ?? 0
                seen[window] = summary.hasUnknownTimes ? nil : seen[window].map { $0 + own }
            }
            start = part.range.to
            guard isEmpty else { continue }
            let rest = TimeRange(from: start, to: max(start, whole.to))
            guard let next = try await reader.next(in: rest) else { break }
            start = max(
                start, hours(TimeRange(from: next, to: next.advanced(byMicroseconds: 1))).from)
        }
        return (gathered.windows, seen)
    }

    /// Notes that samples of a stretch of time are left out, in all windows of its hours: which minute it
    /// was would tell when a single sample came.
    ///
    /// - Returns: the hours.
    @discardableResult
    private func note(
        _ range: TimeRange, in query: SummaryQuery, _ gathered: inout WindowSummaries
    ) -> TimeRange {
        let hours = hours(range)
        gathered.noteGap(in: hours)
        return hours
    }
}
