import Auth
import Samples
import Scheduling
import Statistics
import VM

/// Answers queries for statistics.
struct StatisticsQueries: Sendable {
    private let sensors: SensorCatalog
    private let samples: SampleReading
    private let log: AccessLog
    private let time: any TimeSource

    init(
        _ sensors: SensorCatalog, _ samples: SampleReading, log: AccessLog, time: any TimeSource
    ) {
        self.sensors = sensors
        self.samples = samples
        self.log = log
        self.time = time
    }

    func table(
        _ query: StatisticsQuery, for grant: Grant
    ) async throws(LAEError) -> StatisticsTable {
        let lookup = await sensors.lookUp(grant.sensor)
        let terms = lookup.terms(of: grant, now: time.now())
        try check(query, terms, grant.sensor)
        let sensor = try await sensors.readable(lookup)
        let columns = try sensor.numericColumns(query.fields)
        let matchers = try sensor.matchers(query.conditions)
        let hasWindows = query.every != nil || query.calendar != nil
        do {
            let extent = try await extent(
                of: sensor, columns.map { sensor.fields[$0] }, terms, hasWindows: hasWindows,
                needsStart: hasWindows && query.range.from == .distantPast
                    || !terms.allowsSamples,
                includesFuture: query.range.to != .distantFuture)
            let reader = StatisticsReader(
                of: sensor, columns: columns, samples: samples, terms: terms, matchers: matchers,
                until: extent.to)
            let table =
                if let moving = query.moving {
                    try await movingTable(query, moving, extent, reader, terms.cells)
                } else if let cells = terms.cells {
                    try await aggregateTable(query, extent, reader, cells)
                } else {
                    try await wholeTable(query, extent, reader)
                }
            let count = table.windows.reduce(0) { $0 + ($1.count ?? 0) }
            try await log.record("stats", .stats, for: grant, range: query.range, count: count)
            return table
        } catch {
            throw LAEError(error)
        }
    }

    private func check(
        _ query: StatisticsQuery, _ terms: GrantTerms, _ sensor: SensorID
    ) throws(LAEError) {
        guard terms.allowsStatistics else {
            throw LAEError(.notGranted, "Reading \(sensor) is not granted.")
        }
        guard !terms.allowsSamples else { return }
        if let single = query.statistics.first(where: \.isSingleSample) {
            throw LAEError(
                .notGranted,
                "\(single) is the value of a single sample, and only statistics of"
                    + " \(sensor) are granted.")
        }
        guard query.conditions.isEmpty else { throw LAEError.conditionsRefused(sensor) }
    }

    /// The range from the first visible sample to the newest, empty when there is none; pruned
    /// samples count where summaries of them are left.
    ///
    /// - Parameters:
    ///   - fields: the requested fields.
    ///   - hasWindows: whether the range is divided.
    ///   - needsStart: whether to find the first sample, for which all unsealed samples are decoded. One window
    ///     over all samples needs no start, and a range with a start of its own needs no other.
    ///   - includesFuture: whether samples in the future count, as in a range with an end.
    private func extent(
        of sensor: ReadableSensor, _ fields: [Field], _ terms: GrantTerms, hasWindows: Bool,
        needsStart: Bool, includesFuture: Bool
    ) async throws -> TimeRange {
        let newest = try await sensor.origin.newest(
            of: sensor.id, at: includesFuture ? nil : time.now())
        // Without samples the summaries of pruned ones show where the windows end.
        guard needsStart || hasWindows && newest == nil else {
            return TimeRange(
                from: .distantPast, to: newest?.advanced(byMicroseconds: 1) ?? time.now())
        }
        let visible = terms.visible(.all)
        var found: [TimeRange] = []
        if let newest {
            let first = try await sensor.origin.batch(
                SampleQuery(sensor: sensor.id, range: visible, limit: 1))
            found += first.samples.times.map {
                TimeRange(from: $0, to: max($0, newest).advanced(byMicroseconds: 1))
            }
        }
        if !sensor.origin.isComputed {
            // Also if samples are read one by one: the windows then cover the time of the
            // pruned samples, and the answer reports that these are missing.
            found +=
                try await samples.summarised(sensor.id, fields: fields, in: visible)
                .map { [$0] } ?? []
        }
        let ends = found.reduce(into: TimeRange?.none) { whole, part in
            whole = TimeRange(
                from: min(part.from, whole?.from ?? part.from),
                to: max(part.to, whole?.to ?? part.to))
        }
        return ends ?? TimeRange(from: time.now(), to: time.now())
    }

    private func wholeTable(
        _ query: StatisticsQuery, _ extent: TimeRange, _ reader: StatisticsReader
    ) async throws -> StatisticsTable {
        let parts =
            if let calendar = query.calendar {
                try summaryQueries(
                    query, calendar.windows(of: calendar.closing(query.range, with: extent)), reader
                )
            } else {
                [
                    try summaryQuery(
                        query, query.range, query.every?.wholeMicroseconds, extent, reader)
                ]
            }
        var windows: [WindowSummary] = []
        for part in parts { windows += try await reader.summaries(part) }
        let ranges = parts.flatMap(\.spans)
        let coverage = try await coverage(query, parts, windows, reader)
        var answered: [StatisticsTable.Window] = []
        for (index, window) in windows.enumerated() {
            let range = ranges[index]
            var values: [[Double?]] = []
            var isApproximate = false
            for (field, summary) in window.fields.enumerated() {
                // Of pruned samples, order statistics are known only from their sketch.
                let statistics =
                    window.isFromSummaries ? query.statistics.approximate : query.statistics
                let found = try await reader.values(statistics, of: field, in: range, summary)
                values.append(found.values)
                isApproximate = isApproximate || found.isApproximate
            }
            answered.append(
                StatisticsTable.Window(
                    range, window, coverage[index], count: window.count, values: values,
                    isApproximate: isApproximate))
        }
        return StatisticsTable(
            fields: reader.fields, statistics: query.statistics, windows: answered,
            damage: await reader.damage(in: query.range))
    }

    /// The coverage of each window.
    ///
    /// A sample that fails the conditions covers its time, too. A sample to which the conditions
    /// cannot be applied, because it is pruned or damaged, does not.
    private func coverage(
        _ query: StatisticsQuery, _ parts: [SummaryQuery], _ windows: [WindowSummary],
        _ reader: StatisticsReader
    ) async throws -> [Coverage?] {
        var all = windows
        if !query.conditions.isEmpty {
            let hasGaps = windows.contains(where: \.isPartial)
            let unconditional = reader.withoutConditions(readsEachSample: hasGaps)
            all = []
            for part in parts {
                var plain = part
                plain.hasSketch = false
                all += try await unconditional.summaries(plain)
            }
        }
        return Coverage.of(all, in: parts.flatMap(\.spans), now: time.now())
    }

    private func aggregateTable(
        _ query: StatisticsQuery, _ extent: TimeRange, _ reader: StatisticsReader,
        _ cells: AggregateCells
    ) async throws -> StatisticsTable {
        var range = query.range
        if let calendar = query.calendar {
            range = calendar.closing(range, with: extent)
        }
        if range.from == .distantPast { range = TimeRange(from: extent.from, to: range.to) }
        if range.to == .distantFuture { range = TimeRange(from: range.from, to: extent.to) }
        let covered = cells.covering(range, now: time.now())
        let parts: [SummaryQuery]
        if let calendar = query.calendar {
            // The bounds of windows must be bounds of cells, too.
            let windows = try calendar.windows(of: covered).map {
                TimeRange(from: cells.floor($0.from), to: cells.floor($0.to))
            }
            parts = try summaryQueries(query, windows.filter { !$0.isEmpty }, reader)
        } else {
            let step = query.every.map { cells.step(max(1, $0.wholeMicroseconds)) }
            parts = [try summaryQuery(query, covered, step, extent, reader)]
        }
        var windows: [WindowSummary] = []
        var observed: [Int64?] = []
        for part in parts {
            let found = try await cells.summaries(part, extent, reader)
            windows += found.0
            observed += found.observed
        }
        let ranges = parts.flatMap(\.spans)
        // Exact order statistics are values of single samples.
        let statistics = query.statistics.approximate
        let answered = windows.enumerated().map { index, window in
            let isShown = window.count >= GrantTerms.minimumCount
            let range = ranges[index]
            return StatisticsTable.Window(
                range, window, Coverage(observed[index], of: range),
                count: isShown ? window.count : nil,
                values: window.fields.map { summary in
                    statistics.map { isShown ? summary.value(of: $0) : nil }
                })
        }
        // The exact bounds of damage would reveal the times of single samples.
        let damage = await reader.damage(in: covered).map {
            cells.covering($0, now: time.now())
        }
        return StatisticsTable(
            fields: reader.fields, statistics: statistics, windows: answered, damage: damage.joined)
    }

    private func movingTable(
        _ query: StatisticsQuery, _ moving: MovingWindows, _ extent: TimeRange,
        _ reader: StatisticsReader, _ cells: AggregateCells?
    ) async throws -> StatisticsTable {
        try check(moving.count, query, reader)
        let now = time.now()
        let ranges = (0..<moving.count).map { index in
            cells?.covering(moving.cellRange(of: index), now: now) ?? moving.range(of: index)
        }
        // The windows are merged from the segments between their bounds.
        let bounds = Set(ranges.flatMap { [$0.from, $0.to] }).sorted()
        var segments = SummaryQuery(
            sensor: reader.sensor.id, fields: reader.fields,
            range: TimeRange(from: bounds[0], to: bounds[bounds.count - 1]),
            hasSketch: query.statistics.contains(where: \.needsSketch))
        segments.starts = Array(bounds.dropLast())
        let summaries =
            if let cells {
                try await cells.summaries(segments, extent, reader).0
            } else {
                try await reader.summaries(segments)
            }
        var merged = MovingSummary(segments, summaries)
        let statistics = query.statistics.approximate
        let minimum = cells == nil ? 0 : GrantTerms.minimumCount
        var windows: [StatisticsTable.Window] = []
        windows.reserveCapacity(ranges.count)
        for range in ranges {
            try Task.checkCancellation()
            let summary = merged.summary(of: range)
            let isShown = summary.count >= minimum
            windows.append(
                StatisticsTable.Window(
                    range, summary, nil, count: isShown ? summary.count : nil,
                    values: summary.fields.map { field in
                        statistics.map { isShown ? field.value(of: $0) : nil }
                    }))
        }
        let damage = await reader.damage(in: segments.range).map {
            cells?.covering($0, now: now) ?? $0
        }
        return StatisticsTable(
            fields: reader.fields, statistics: statistics, windows: windows, damage: damage.joined)
    }

    /// An open range is closed so that its windows contain all samples.
    private func summaryQuery(
        _ query: StatisticsQuery, _ range: TimeRange, _ step: Int64?, _ extent: TimeRange,
        _ reader: StatisticsReader
    ) throws(LAEError) -> SummaryQuery {
        var range = range
        if let step {
            if range.from == .distantPast {
                let phase = extent.from.microseconds % step
                let back = phase < 0 ? phase + step : phase
                let start = extent.from.advanced(byMicroseconds: -back)
                range = TimeRange(from: start, to: range.to)
            }
            if range.to == .distantFuture {
                let (width, overflow) = extent.to.microseconds.subtractingReportingOverflow(
                    range.from.microseconds)
                let rest = overflow ? 0 : (step - width % step) % step
                let end = extent.to.advanced(byMicroseconds: rest)
                range = TimeRange(from: range.from, to: max(range.from, end))
            }
        }
        let summaryQuery = SummaryQuery(
            sensor: reader.sensor.id, fields: reader.fields, range: range, step: step,
            hasSketch: query.statistics.contains(where: \.needsSketch))
        try check(summaryQuery.windowCount, query, reader)
        return summaryQuery
    }

    /// One query for each run of adjacent windows of the same width.
    private func summaryQueries(
        _ query: StatisticsQuery, _ windows: [TimeRange], _ reader: StatisticsReader
    ) throws(LAEError) -> [SummaryQuery] {
        try check(windows.count, query, reader)
        var parts: [SummaryQuery] = []
        for window in windows {
            let width = window.to.microseconds - window.from.microseconds
            if let last = parts.last, last.step == width, last.range.to == window.from {
                parts[parts.count - 1].range = TimeRange(from: last.range.from, to: window.to)
            } else {
                parts.append(
                    SummaryQuery(
                        sensor: reader.sensor.id, fields: reader.fields, range: window, step: width,
                        hasSketch: query.statistics.contains(where: \.needsSketch)))
            }
        }
        return parts
    }

    /// - Throws: `tooManyWindows`.
    private func check(
        _ windowCount: Int, _ query: StatisticsQuery, _ reader: StatisticsReader
    ) throws(LAEError) {
        guard windowCount <= StatisticsQuery.windowLimit else { throw .tooManyWindows }
        let numbers = query.statistics.count * reader.fields.count * windowCount
        guard numbers <= StatisticsQuery.numberLimit else {
            throw LAEError(
                .tooManyWindows,
                "The answer contains more than \(StatisticsQuery.numberLimit) numbers.",
                hint: "Ask for fewer fields, statistics or windows.")
        }
    }
}

/// Merges the summaries of segments into those of windows that move forward.
///
/// Each segment is merged a constant number of times, whatever the overlap of the windows: a queue of two stacks,
/// of which one has the summaries of all of its ends.
private struct MovingSummary {
    private let query: SummaryQuery
    private let segments: [WindowSummary]
    /// The segments that are in the queue.
    private var queued = 0..<0
    /// The summaries of the first `n` segments of the queue's front, the longest first, as a stack.
    private var front: [WindowSummary] = []
    /// The summary of the rest of the queue.
    private var back: WindowSummary

    init(_ query: SummaryQuery, _ segments: [WindowSummary]) {
        self.query = query
        self.segments = segments
        back = WindowSummary(query)
    }

    /// - Parameter range: neither its start nor its end is before that of the previous call.
    mutating func summary(of range: TimeRange) -> WindowSummary {
        while queued.upperBound < segments.count,
            query.span(of: queued.upperBound).from < range.to
        {
            back.merge(segments[queued.upperBound])
            queued = queued.lowerBound..<queued.upperBound + 1
        }
        while let first = queued.first, query.span(of: first).from < range.from {
            if front.isEmpty { turn() }
            front.removeLast()
            queued = first + 1..<queued.upperBound
        }
        guard var summary = front.last else { return back }
        summary.merge(back)
        return summary
    }

    private mutating func turn() {
        var whole = WindowSummary(query)
        for segment in queued.reversed() {
            var longer = segments[segment]
            longer.merge(whole)
            whole = longer
            front.append(whole)
        }
        back = WindowSummary(query)
    }
}

extension CalendarWindows {
    /// - Throws: `tooManyWindows`.
    fileprivate func windows(of range: TimeRange) throws(LAEError) -> [TimeRange] {
        guard let windows = divide(range, atMost: StatisticsQuery.windowLimit) else {
            throw .tooManyWindows
        }
        return windows
    }
}

extension SummaryQuery {
    /// The time ranges of all windows.
    fileprivate var spans: [TimeRange] { (0..<windowCount).map(span) }
}

extension [Statistic] {
    /// The same statistics with approximate percentiles, which need only summaries.
    var approximate: [Statistic] {
        map { statistic in
            statistic.exactPercent.map { .approximatePercentile($0) } ?? statistic
        }
    }
}

extension LAEError {
    fileprivate static var tooManyWindows: LAEError {
        LAEError(
            .tooManyWindows,
            "The range contains more than \(StatisticsQuery.windowLimit) windows.",
            hint: "Ask for a shorter range or wider windows.")
    }

    /// The error for conditions under a statistics-only grant.
    static func conditionsRefused(_ sensor: SensorID) -> LAEError {
        LAEError(
            .notGranted,
            "Conditions select single samples, and only statistics of \(sensor) are granted.",
            hint: "Omit the parameter where.")
    }
}
