import Samples
import Statistics
import VM

/// The fixed intervals for which a statistics-only grant returns aggregates.
///
/// With arbitrary ranges, the difference of two answers could reveal a single sample. So the ranges
/// of such a grant begin and end at the bounds of cells, a cell with too few samples counts as
/// empty in every answer, and a cell that has not ended is not counted: the difference of any two
/// answers consists of whole cells.
struct AggregateCells: Sendable {
    private static let widths: [Duration] = [
        .seconds(60), .seconds(600), .seconds(3600), .seconds(21_600), .seconds(86_400),
    ]
    private static let hour: Int64 = 3_600_000_000

    /// Microseconds.
    let width: Int64

    /// - Parameter cadence: of the sensor; a cell is wide enough for several samples.
    init(_ cadence: Cadence) {
        let enough = cadence.medium * (2 * GrantTerms.minimumCount)
        let width = Self.widths.first { $0 >= enough } ?? .seconds(86_400)
        self.width = width.wholeMicroseconds
    }

    /// The cells that overlap a range and have ended.
    func covering(_ range: TimeRange, now: Timestamp) -> TimeRange {
        let end = min(ceiling(range.to), floor(now))
        return TimeRange(from: min(floor(range.from), end), to: end)
    }

    /// The width of windows of `step` microseconds, rounded up to whole cells.
    func step(_ step: Int64) -> Int64 {
        let (cells, rest) = step.quotientAndRemainder(dividingBy: width)
        let whole = (cells + (rest > 0 ? 1 : 0)).multipliedReportingOverflow(by: width)
        return whole.overflow ? Int64.max / width * width : max(width, whole.partialValue)
    }

    /// The whole hours, or wider cells, that overlap a range: summaries are stored by the hour.
    func hours(_ range: TimeRange) -> TimeRange {
        let width = max(width, Self.hour)
        return TimeRange(
            from: Self.floor(range.from, width),
            to: Self.floor(range.to.advanced(byMicroseconds: width - 1), width))
    }

    /// The first beginning of a cell at or after a moment.
    func ceiling(_ time: Timestamp) -> Timestamp {
        floor(time.advanced(byMicroseconds: width - 1))
    }

    /// The beginning of the cell that contains a moment.
    func floor(_ time: Timestamp) -> Timestamp { Self.floor(time, width) }

    private static func floor(_ time: Timestamp, _ width: Int64) -> Timestamp {
        let phase = time.microseconds % width
        return time.advanced(byMicroseconds: -(phase < 0 ? phase + width : phase))
    }
}

extension AggregateCells {
    /// The number of cells that are read together; for every width of a cell, together they are a
    /// multiple of an hour wide.
    private static let cellsPerRead: Int64 = 2040
    /// The maximum number of cells that one query reads: the minutes of 19 years.
    static let limit = 10_000_000

    /// The summary of each window of a query, merged from cells with enough samples, and the
    /// observed microseconds of these cells.
    ///
    /// The observed time of a cell depends on its own samples only, and is zero if they have fewer
    /// than three different times: like all results it reveals nothing about neighbouring cells.
    /// Empty time ranges are skipped, so their length does not matter.
    ///
    /// - Parameters:
    ///   - extent: the time range that contains samples.
    ///   - limit: the maximum number of cells to read.
    /// - Throws: `LAEError` with `tooManyWindows`, `CancellationError`, and errors of reading the
    ///   samples.
    func summaries(
        _ query: SummaryQuery, _ extent: TimeRange, _ reader: StatisticsReader,
        limit: Int = limit
    ) async throws -> ([WindowSummary], observed: [Int64?]) {
        var result = WindowSummaries(query)
        var observed = [Int64?](repeating: 0, count: query.windowCount)
        let wanted = query.range.intersection(
            TimeRange(from: floor(extent.from), to: ceiling(extent.to)))
        for range in await reader.damage(in: wanted) { recordGap(range, in: query, &result) }
        let whole = hours(wanted)
        var start = whole.from
        var cellCount = 0
        while start < whole.to {
            try Task.checkCancellation()
            var part = query
            part.range = TimeRange(
                from: start,
                to: min(whole.to, start.advanced(byMicroseconds: width * Self.cellsPerRead)))
            (part.step, part.starts) = (width, nil)
            cellCount += part.windowCount
            guard cellCount <= limit else {
                throw LAEError(
                    .tooManyWindows,
                    "The range contains more than \(limit) cells, the maximum of one query.",
                    hint: "Ask for a shorter range.")
            }
            var isEmpty = true
            var partialHours: TimeRange?
            for (cell, summary) in try await reader.summaries(part).enumerated() {
                let span = part.span(of: cell)
                if summary.count > 0 { isEmpty = false }
                if summary.isPartial, partialHours?.contains(span.from) != true {
                    partialHours = recordGap(span, in: query, &result)
                }
                guard wanted.contains(span.from), summary.count >= GrantTerms.minimumCount
                else { continue }
                let window = query.window(of: span.from)
                result.merge(summary.fields, count: summary.count, to: window)
                let own = ObservedTime([summary.spacing], in: [span]).microseconds[0] ?? 0
                observed[window] = summary.hasUnknownTimes ? nil : observed[window].map { $0 + own }
            }
            start = part.range.to
            guard isEmpty else { continue }
            let rest = TimeRange(from: start, to: max(start, whole.to))
            guard let next = try await reader.next(in: rest) else { break }
            start = max(
                start, hours(TimeRange(from: next, to: next.advanced(byMicroseconds: 1))).from)
        }
        return (result.windows, observed)
    }

    /// Records that samples of a range are missing, in all windows that intersect the hours of the
    /// range: the exact minute would reveal the time of a single sample.
    ///
    /// - Returns: the hours.
    @discardableResult
    private func recordGap(
        _ range: TimeRange, in query: SummaryQuery, _ result: inout WindowSummaries
    ) -> TimeRange {
        let hours = hours(range)
        result.noteGap(in: hours)
        return hours
    }
}

/// Removes the samples of cells that have too few of them; see `AggregateCells`.
struct DenseCells {
    private let cells: AggregateCells
    /// Samples of the cell in which the last page ended.
    private var held: StoredBatch?

    init(_ cells: AggregateCells) {
        self.cells = cells
    }

    /// - Parameter page: in the order of time, after the previous page.
    /// - Returns: the samples of cells that are complete.
    mutating func pass(_ page: StoredBatch) -> StoredBatch {
        guard let last = page.samples.times.last else { return page }
        let whole = held.map { $0.joined(with: page) } ?? page
        let start = cells.floor(last)
        let end = whole.samples.times.firstIndex { $0 >= start } ?? whole.count
        held = whole[end..<whole.count]
        return dense(whole[0..<end])
    }

    /// The samples of the last cell.
    mutating func finish() -> StoredBatch? {
        defer { held = nil }
        return held.map(dense)
    }

    private func dense(_ batch: StoredBatch) -> StoredBatch {
        let times = batch.samples.times
        var rows: [Int] = []
        var start = 0
        while start < times.count {
            let cell = cells.floor(times[start])
            let end =
                times[start...].firstIndex { cells.floor($0) != cell } ?? times.count
            if end - start >= GrantTerms.minimumCount { rows += start..<end }
            start = end
        }
        return batch.keeping(rows: rows)
    }
}
