import Samples
import Statistics
import VM

/// Reads the numbers of a sensor's fields under the terms of a grant and the conditions of a query.
///
/// Where nothing has to be excluded or rounded, it uses the stored summaries of whole chunks.
struct StatisticsReader: Sendable {
    let sensor: ReadableSensor
    /// The indices of the requested numeric fields.
    private let columns: [Int]
    private let samples: SampleReading
    private let terms: GrantTerms
    private var matchers: [Condition.Matcher]
    /// Whether each sample is read even if summaries would suffice.
    private var readsEachSample = false
    private let horizon: Timestamp

    /// - Parameters:
    ///   - columns: the indices of the requested numeric fields.
    ///   - horizon: later samples are ignored, so that each pass reads the same ones.
    init(
        of sensor: ReadableSensor, columns: [Int], samples: SampleReading, terms: GrantTerms,
        matchers: [Condition.Matcher] = [], until horizon: Timestamp
    ) {
        self.sensor = sensor
        self.columns = columns
        self.samples = samples
        self.terms = terms
        self.matchers = matchers
        self.horizon = horizon
    }

    var fields: [Field] { columns.map { sensor.fields[$0] } }

    private var origin: SampleOrigin { sensor.origin }

    /// The same reader without conditions.
    ///
    /// - Parameter readsEachSample: whether to read sample by sample, as a query with conditions does.
    ///   Pruned samples, of which only summaries exist, are then left out.
    func withoutConditions(readsEachSample: Bool) -> StatisticsReader {
        var reader = self
        reader.matchers = []
        reader.readsEachSample = readsEachSample
        return reader
    }

    /// Whether samples must be read one by one.
    private var needsSamples: Bool {
        terms.changesSamples || !matchers.isEmpty || origin.isComputed || readsEachSample
    }

    private func visible(_ range: TimeRange) -> TimeRange {
        terms.visible(range).intersection(TimeRange(from: .distantPast, to: horizon))
    }

    /// The time ranges in which visible samples are damaged.
    func damage(in range: TimeRange) async -> [TimeRange] {
        await origin.damage(of: sensor.id, in: visible(range))
    }

    /// The time of the first sample in a range or the beginning of its first summary of pruned samples,
    /// whichever is earlier.
    func next(in range: TimeRange) async throws -> Timestamp? {
        let visible = visible(range)
        guard !visible.isEmpty else { return nil }
        let first = SampleQuery(sensor: sensor.id, fields: sensor.fields, range: visible, limit: 1)
        var found = try await origin.batch(first).samples.times
        if !origin.isComputed,
            let gone = try await samples.summarised(sensor.id, fields: fields, in: visible)
        {
            found.append(gone.from)
        }
        return found.min()
    }

    /// The summary of each window of a query.
    func summaries(_ query: SummaryQuery) async throws -> [WindowSummary] {
        guard !visible(query.range).isEmpty else {
            return Array(repeating: WindowSummary(query), count: query.windowCount)
        }
        return try await needsSamples ? scannedSummaries(query) : storedSummaries(query)
    }

    private func storedSummaries(_ query: SummaryQuery) async throws -> [WindowSummary] {
        let visible = visible(query.range)
        guard visible != query.range else { return try await samples.summaries(query) }
        var part = query
        part.range = visible
        guard query.step != nil || query.starts != nil else {
            return try await samples.summaries(part)
        }
        // The terms do not move the bounds of windows, so the first window may be only partly
        // visible.
        let first = query.window(of: visible.from)
        part.range = visible.intersection(query.span(of: first))
        var head = part
        (head.step, head.starts) = (nil, nil)
        var result = Array(repeating: WindowSummary(query), count: first)
        result += try await samples.summaries(head)
        part.range = TimeRange(from: part.range.to, to: max(part.range.to, visible.to))
        part.starts = query.starts.map { starts in
            Array(starts.dropFirst(first + 1).prefix { $0 < part.range.to })
        }
        result += try await samples.summaries(part)
        // There are no samples in the last windows.
        while result.count < query.windowCount { result.append(WindowSummary(query)) }
        return result
    }

    /// The statistics of one field in one window; percentiles are approximate if samples that the
    /// summary counts are damaged.
    ///
    /// - Parameter summary: of that field and window.
    func values(
        _ statistics: [Statistic], of field: Int, in range: TimeRange, _ summary: FieldSummary
    ) async throws -> (values: [Double?], isApproximate: Bool) {
        let percents = statistics.compactMap(\.exactPercent)
        guard !percents.isEmpty else { return (statistics.map { summary.value(of: $0) }, false) }
        guard let exact = try await percentiles(percents, of: field, in: range, summary) else {
            return (statistics.approximate.map { summary.value(of: $0) }, true)
        }
        let found = Dictionary(zip(percents, exact)) { first, _ in first }
        let values = statistics.map { statistic in
            statistic.exactPercent.map { found[$0] ?? nil } ?? summary.value(of: statistic)
        }
        return (values, false)
    }

    /// Exact percentiles of one field.
    ///
    /// - Parameters:
    ///   - summary: of the same field and range, with its sketch.
    ///   - percents: 0 to 100.
    /// - Returns: one value for each percent (`nil` if there are no samples); `nil` instead of the array if
    ///   samples are damaged.
    private func percentiles(
        _ percents: [Double], of field: Int, in range: TimeRange, _ summary: FieldSummary
    ) async throws -> [Double?]? {
        let quantiles = percents.map { Quantile($0 / 100, of: summary.count) }
        let ranks = Set(quantiles.compactMap { $0 }.flatMap { [$0.lower, $0.upper] }).sorted()
        guard !ranks.isEmpty else { return percents.map { _ in nil } }
        let whole = summary.moments.minimum...summary.moments.maximum
        let candidates = ranks.map { rank in
            summary.sketch.map { $0.bounds(ofRank: rank) } ?? whole
        }
        var selection = RankSelection(ranks: ranks, of: summary.count, candidates: candidates)
        repeat {
            try Task.checkCancellation()
            selection = try await pass(selection, over: field, in: range)
        } while selection.endPass()
        guard let values = selection.values else {
            guard await damage(in: range).isEmpty else { return nil }
            // Samples with times before the horizon were accepted during the passes; the next query
            // includes them.
            throw LAEError(
                .changed, "The samples of \(sensor.id) changed while they were read.",
                hint: "Repeat the query.")
        }
        let found = Dictionary(uniqueKeysWithValues: zip(ranks, values))
        return quantiles.map { quantile in
            quantile.flatMap { quantile in
                guard let below = found[quantile.lower], let above = found[quantile.upper] else {
                    return nil
                }
                return quantile.value(below, above)
            }
        }
    }

    // MARK: - Private

    private func pass(
        _ selection: RankSelection, over field: Int, in range: TimeRange
    ) async throws -> RankSelection {
        guard needsSamples else {
            return try await samples.reduce(
                fields[field], of: sensor.id, in: visible(range), into: selection
            ) { selection, numbers in selection.insert(numbers) }
        }
        var selection = selection
        var scan = scan(range)
        while let batch = try await scan.next() {
            switch batch.samples.columns[columns[field]] {
            case .numbers(let values): values.withUnsafeBufferPointer { selection.insert($0) }
            case .integers(let values):
                values.map(Double.init).withUnsafeBufferPointer { selection.insert($0) }
            case .texts: break
            }
        }
        return selection
    }

    private func scannedSummaries(_ query: SummaryQuery) async throws -> [WindowSummary] {
        var result = WindowSummaries(query)
        var scan = scan(query.range)
        while let batch = try await scan.next() { result.add(batch.keeping(columns)) }
        for range in try await gaps(query) { result.noteGap(in: range) }
        return result.windows
    }

    /// The time ranges of damaged samples, and the windows with pruned samples: these cannot be read one
    /// by one.
    private func gaps(_ query: SummaryQuery) async throws -> [TimeRange] {
        var found = await damage(in: query.range)
        let visible = visible(query.range)
        guard !origin.isComputed,
            try await samples.summarised(sensor.id, fields: query.fields, in: visible) != nil
        else { return found }
        var plain = query
        plain.hasSketch = false
        for (index, window) in try await storedSummaries(plain).enumerated()
        where window.isFromSummaries || window.isPartial {
            found.append(query.span(of: index))
        }
        return found
    }

    private func scan(_ range: TimeRange) -> SampleScan {
        SampleScan(
            SampleQuery(
                sensor: sensor.id, fields: sensor.fields, range: visible(range), limit: .max),
            from: origin, under: terms, matchers: matchers)
    }
}
