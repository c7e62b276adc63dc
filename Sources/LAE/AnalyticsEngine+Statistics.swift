public import Auth
import Samples
import Statistics
import VM

extension AnalyticsEngine {
    /// Statistics of a range, as one window or many.
    ///
    /// A grant of aggregates has its ranges and windows widened to fixed cells (see
    /// `AggregateCells`), gets percentiles within 1 %, and neither `first` nor `last` nor conditions.
    /// - Throws: `notGranted`, `unknownSensor`, `unavailable`, `unknownField`, `notNumeric`,
    ///   `invalidCondition`, `tooManyWindows`, `tooManyRows`, `failed`.
    public func statistics(
        _ query: StatisticsQuery, for grant: Grant
    ) async throws(LAEError) -> StatisticsTable {
        let terms = await terms(of: grant)
        try check(query, terms, grant.sensor)
        let all = try await fields(of: grant.sensor)
        let columns = try numericColumns(query.fields, of: all, grant.sensor)
        let matchers = try matchers(query.conditions, all)
        do {
            let source = try await source(of: grant.sensor)
            let samples = try await extent(
                of: grant.sensor, columns.map { all[$0] }, source, terms,
                needsStart: query.every != nil || !terms.allowsSamples)
            let reader = StatisticsReader(
                machine, source, terms, grant.sensor, all, columns, matchers, until: samples.to)
            let table =
                if let cells = terms.cells {
                    try await aggregateTable(query, samples, reader, cells)
                } else {
                    try await wholeTable(query, samples, reader)
                }
            let count = table.windows.reduce(0) { $0 + ($1.count ?? 0) }
            await log.record("stats", .stats, for: grant, range: query.range, count: count)
            return table
        } catch {
            throw Self.wrap(error)
        }
    }

    // MARK: - Private

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
        guard query.conditions.isEmpty else {
            throw Self.conditionsRefusal(sensor)
        }
    }

    static func conditionsRefusal(_ sensor: SensorID) -> LAEError {
        LAEError(
            .notGranted,
            "Conditions single samples out, and only statistics of \(sensor) are granted.",
            hint: "Ask without where.")
    }

    func terms(of grant: Grant) async -> GrantTerms {
        await GrantTerms(grant, now: now(), cadence: await cadence(of: grant.sensor))
    }

    func cadence(of sensor: SensorID) async -> Cadence {
        await machine.status(of: sensor)?.sensor.cadence ?? .standard
    }

    /// The stretch of time from the first sample that may be seen to the newest, or nothing; samples
    /// that are gone count where summaries tell of them.
    ///
    /// - Parameters:
    ///   - fields: those that are asked for.
    ///   - needsStart: whether the first sample is looked for, in the file; one window of everything
    ///     does without it.
    private func extent(
        of sensor: SensorID, _ fields: [Field], _ source: SampleOrigin, _ terms: GrantTerms,
        needsStart: Bool
    ) async throws -> TimeRange {
        let newest = try await source.newest(of: sensor)
        guard needsStart else {
            return TimeRange(
                from: .distantPast, to: newest?.advanced(byMicroseconds: 1) ?? now())
        }
        let visible = terms.visible(.all)
        var found: [TimeRange] = []
        if let newest {
            let first = try await source.batch(
                SampleQuery(sensor: sensor, range: visible, limit: 1))
            found += first.samples.times.map {
                TimeRange(from: $0, to: max($0, newest).advanced(byMicroseconds: 1))
            }
        }
        if !source.isComputed {
            // Also where samples are looked at one by one, so that what is left out is said.
            found +=
                try await machine.samples.summarised(sensor, fields: fields, in: visible)
                .map { [$0] } ?? []
        }
        let ends = found.reduce(into: TimeRange?.none) { whole, part in
            whole = TimeRange(
                from: min(part.from, whole?.from ?? part.from),
                to: max(part.to, whole?.to ?? part.to))
        }
        return ends ?? TimeRange(from: now(), to: now())
    }

    private func wholeTable(
        _ query: StatisticsQuery, _ samples: TimeRange, _ reader: StatisticsReader
    ) async throws -> StatisticsTable {
        let summaryQuery = try summaryQuery(
            query, query.range, query.every?.wholeMicroseconds, samples, reader)
        let windows = try await reader.summaries(summaryQuery)
        let coverage = try await coverage(query, summaryQuery, windows, reader)
        var told: [StatisticsTable.Window] = []
        for (place, window) in windows.enumerated() {
            let range = summaryQuery.span(of: place)
            var values: [[Double?]] = []
            var isApproximate = false
            for (field, summary) in window.fields.enumerated() {
                // Order statistics of samples that are gone are known from their sketch only.
                let statistics =
                    window.isFromSummaries ? query.statistics.approximate : query.statistics
                let found = try await reader.values(statistics, of: field, in: range, summary)
                values.append(found.values)
                isApproximate = isApproximate || found.isApproximate
            }
            told.append(
                StatisticsTable.Window(
                    range, window, coverage[place], count: window.count, values: values,
                    isApproximate: isApproximate))
        }
        return StatisticsTable(
            fields: reader.fields, statistics: query.statistics, windows: told,
            damage: await reader.damage(in: query.range))
    }

    /// What was seen of each window: a sample that no condition lets count has seen its time, too, and
    /// one that no condition can be asked of has not.
    private func coverage(
        _ query: StatisticsQuery, _ summaryQuery: SummaryQuery, _ windows: [WindowSummary],
        _ reader: StatisticsReader
    ) async throws -> [Coverage?] {
        var all = windows
        if !query.conditions.isEmpty {
            var plain = summaryQuery
            plain.hasSketch = false
            let hasGaps = windows.contains(where: \.isPartial)
            all = try await reader.withoutConditions(looksAtEach: hasGaps).summaries(plain)
        }
        return Coverage.of(all, in: all.indices.map(summaryQuery.span), now: now())
    }

    private func aggregateTable(
        _ query: StatisticsQuery, _ samples: TimeRange, _ reader: StatisticsReader,
        _ cells: AggregateCells
    ) async throws -> StatisticsTable {
        var range = query.range
        if range.from == .distantPast { range = TimeRange(from: samples.from, to: range.to) }
        if range.to == .distantFuture { range = TimeRange(from: range.from, to: samples.to) }
        let step = query.every.map { cells.step(max(1, $0.wholeMicroseconds)) }
        let summaryQuery = try summaryQuery(
            query, cells.covering(range, now: now()), step, samples, reader)
        let (windows, seen) = try await cells.summaries(summaryQuery, samples, reader)
        // Exact order statistics are values of single samples.
        let statistics = query.statistics.approximate
        let told = windows.enumerated().map { place, window in
            let isTold = window.count >= GrantTerms.minimumCount
            let range = summaryQuery.span(of: place)
            return StatisticsTable.Window(
                range, window, Coverage(seen[place], of: range),
                count: isTold ? window.count : nil,
                values: window.fields.map { summary in
                    statistics.map { isTold ? summary.value(of: $0) : nil }
                })
        }
        // Where damage begins and ends is where single samples were.
        let damage = await reader.damage(in: summaryQuery.range).map {
            cells.covering($0, now: now())
        }
        return StatisticsTable(
            fields: reader.fields, statistics: statistics, windows: told, damage: damage.joined)
    }

    /// An open range with windows holds as many whole ones as there are samples for.
    private func summaryQuery(
        _ query: StatisticsQuery, _ range: TimeRange, _ step: Int64?, _ samples: TimeRange,
        _ reader: StatisticsReader
    ) throws(LAEError) -> SummaryQuery {
        var range = range
        if let step {
            if range.from == .distantPast {
                let phase = samples.from.microseconds % step
                let back = phase < 0 ? phase + step : phase
                let start = samples.from.advanced(byMicroseconds: -back)
                range = TimeRange(from: start, to: range.to)
            }
            if range.to == .distantFuture {
                let (width, overflow) = samples.to.microseconds.subtractingReportingOverflow(
                    range.from.microseconds)
                let rest = overflow ? 0 : (step - width % step) % step
                let end = samples.to.advanced(byMicroseconds: rest)
                range = TimeRange(from: range.from, to: max(range.from, end))
            }
        }
        let made = SummaryQuery(
            sensor: reader.sensor, fields: reader.fields, range: range, step: step,
            hasSketch: query.statistics.contains(where: \.needsSketch))
        guard made.windowCount <= StatisticsQuery.windowLimit else {
            throw LAEError(
                .tooManyWindows,
                "The range holds more than \(StatisticsQuery.windowLimit) windows.",
                hint: "Ask for a shorter range or wider windows.")
        }
        let numbers = query.statistics.count * reader.fields.count * made.windowCount
        guard numbers <= StatisticsQuery.numberLimit else {
            throw LAEError(
                .tooManyWindows,
                "The answer holds more than \(StatisticsQuery.numberLimit) numbers.",
                hint: "Ask for fewer fields, statistics or windows.")
        }
        return made
    }
}

extension [Statistic] {
    /// The same with percentiles that summaries are enough for.
    var approximate: [Statistic] {
        map { statistic in
            statistic.exactPercent.map { .approximatePercentile($0) } ?? statistic
        }
    }
}
