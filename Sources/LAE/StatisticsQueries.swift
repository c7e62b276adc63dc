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
        do {
            let extent = try await extent(
                of: sensor, columns.map { sensor.fields[$0] }, terms,
                needsStart: query.every != nil || !terms.allowsSamples,
                includesFuture: query.range.to != .distantFuture)
            let reader = StatisticsReader(
                of: sensor, columns: columns, samples: samples, terms: terms, matchers: matchers,
                until: extent.to)
            let table =
                if let cells = terms.cells {
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
    ///   - needsStart: whether to find the first sample, which reads the store; one window over all
    ///     samples needs no start.
    ///   - includesFuture: whether samples in the future count, as in a range with an end.
    private func extent(
        of sensor: ReadableSensor, _ fields: [Field], _ terms: GrantTerms, needsStart: Bool,
        includesFuture: Bool
    ) async throws -> TimeRange {
        let newest = try await sensor.origin.newest(
            of: sensor.id, at: includesFuture ? nil : time.now())
        guard needsStart else {
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
            // Also if samples are read one by one, so that the answer reports missing samples.
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
        let summaryQuery = try summaryQuery(
            query, query.range, query.every?.wholeMicroseconds, extent, reader)
        let windows = try await reader.summaries(summaryQuery)
        let coverage = try await coverage(query, summaryQuery, windows, reader)
        var answered: [StatisticsTable.Window] = []
        for (place, window) in windows.enumerated() {
            let range = summaryQuery.span(of: place)
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
                    range, window, coverage[place], count: window.count, values: values,
                    isApproximate: isApproximate))
        }
        return StatisticsTable(
            fields: reader.fields, statistics: query.statistics, windows: answered,
            damage: await reader.damage(in: query.range))
    }

    /// The coverage of each window: a sample that fails the conditions covers its time, too, and
    /// one to which they cannot be applied does not.
    private func coverage(
        _ query: StatisticsQuery, _ summaryQuery: SummaryQuery, _ windows: [WindowSummary],
        _ reader: StatisticsReader
    ) async throws -> [Coverage?] {
        var all = windows
        if !query.conditions.isEmpty {
            var plain = summaryQuery
            plain.hasSketch = false
            let hasGaps = windows.contains(where: \.isPartial)
            all = try await reader.withoutConditions(readsEachSample: hasGaps).summaries(plain)
        }
        return Coverage.of(all, in: all.indices.map(summaryQuery.span), now: time.now())
    }

    private func aggregateTable(
        _ query: StatisticsQuery, _ extent: TimeRange, _ reader: StatisticsReader,
        _ cells: AggregateCells
    ) async throws -> StatisticsTable {
        var range = query.range
        if range.from == .distantPast { range = TimeRange(from: extent.from, to: range.to) }
        if range.to == .distantFuture { range = TimeRange(from: range.from, to: extent.to) }
        let step = query.every.map { cells.step(max(1, $0.wholeMicroseconds)) }
        let summaryQuery = try summaryQuery(
            query, cells.covering(range, now: time.now()), step, extent, reader)
        let (windows, observed) = try await cells.summaries(summaryQuery, extent, reader)
        // Exact order statistics are values of single samples.
        let statistics = query.statistics.approximate
        let answered = windows.enumerated().map { place, window in
            let isShown = window.count >= GrantTerms.minimumCount
            let range = summaryQuery.span(of: place)
            return StatisticsTable.Window(
                range, window, Coverage(observed[place], of: range),
                count: isShown ? window.count : nil,
                values: window.fields.map { summary in
                    statistics.map { isShown ? summary.value(of: $0) : nil }
                })
        }
        // The exact bounds of damage would reveal the times of single samples.
        let damage = await reader.damage(in: summaryQuery.range).map {
            cells.covering($0, now: time.now())
        }
        return StatisticsTable(
            fields: reader.fields, statistics: statistics, windows: answered, damage: damage.joined)
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
        guard summaryQuery.windowCount <= StatisticsQuery.windowLimit else {
            throw LAEError(
                .tooManyWindows,
                "The range contains more than \(StatisticsQuery.windowLimit) windows.",
                hint: "Ask for a shorter range or wider windows.")
        }
        let numbers = query.statistics.count * reader.fields.count * summaryQuery.windowCount
        guard numbers <= StatisticsQuery.numberLimit else {
            throw LAEError(
                .tooManyWindows,
                "The answer contains more than \(StatisticsQuery.numberLimit) numbers.",
                hint: "Ask for fewer fields, statistics or windows.")
        }
        return summaryQuery
    }
}

extension [Statistic] {
    /// The same with approximate percentiles, which need only summaries.
    var approximate: [Statistic] {
        map { statistic in
            statistic.exactPercent.map { .approximatePercentile($0) } ?? statistic
        }
    }
}

extension LAEError {
    /// The error for conditions under a statistics-only grant.
    static func conditionsRefused(_ sensor: SensorID) -> LAEError {
        LAEError(
            .notGranted,
            "Conditions select single samples, and only statistics of \(sensor) are granted.",
            hint: "Ask without where.")
    }
}
