import Samples
import Statistics
import VM

/// Gives the numbers of a sensor's fields as the terms of a grant and the conditions of a question
/// let them be seen.
///
/// Where nothing has to be held back or rounded, whole chunks are answered for by their summaries.
struct StatisticsReader: Sendable {
    private let machine: VirtualMachine
    private let source: SampleOrigin
    private let terms: GrantTerms
    let sensor: SensorID
    /// Every field of the sensor.
    private let all: [Field]
    /// The numeric fields that are asked for, as indices of `all`.
    private let columns: [Int]
    private var matchers: [Condition.Matcher]
    /// Whether each sample is looked at although nothing needs it.
    private var looksAtEach = false
    /// What comes later than when the question was asked does not count.
    private let horizon: Timestamp

    /// - Parameter horizon: no later sample is looked at, so that each look sees the same ones.
    init(
        _ machine: VirtualMachine, _ source: SampleOrigin, _ terms: GrantTerms,
        _ sensor: SensorID, _ all: [Field], _ columns: [Int], _ matchers: [Condition.Matcher],
        until horizon: Timestamp
    ) {
        self.machine = machine
        self.source = source
        self.terms = terms
        self.sensor = sensor
        self.all = all
        self.columns = columns
        self.matchers = matchers
        self.horizon = horizon
    }

    var fields: [Field] { columns.map { all[$0] } }

    /// The same of every sample, whatever the conditions.
    ///
    /// - Parameter looksAtEach: whether what only summaries are left of is left out, as conditions have
    ///   it.
    func withoutConditions(looksAtEach: Bool) -> StatisticsReader {
        var reader = self
        reader.matchers = []
        reader.looksAtEach = looksAtEach
        return reader
    }

    /// Whether samples have to be looked at one by one.
    private var needsSamples: Bool {
        terms.changesSamples || !matchers.isEmpty || source.isComputed || looksAtEach
    }

    private func visible(_ range: TimeRange) -> TimeRange {
        terms.visible(range).intersection(TimeRange(from: .distantPast, to: horizon))
    }

    /// Where samples are known to be damaged that may be seen.
    func damage(in range: TimeRange) async -> [TimeRange] {
        await source.damage(of: sensor, in: visible(range))
    }

    /// The first moment of a range that there is a sample of, or a summary of samples that are gone.
    func next(in range: TimeRange) async throws -> Timestamp? {
        let visible = visible(range)
        guard !visible.isEmpty else { return nil }
        let first = SampleQuery(sensor: sensor, fields: all, range: visible, limit: 1)
        var found = try await source.batch(first).samples.times
        if !source.isComputed,
            let gone = try await machine.samples.summarised(sensor, fields: fields, in: visible)
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
        guard visible != query.range else { return try await machine.samples.summaries(query) }
        var part = query
        part.range = visible
        guard query.step != nil else { return try await machine.samples.summaries(part) }
        // Windows lie where they would lie without the terms; the first may be seen in part.
        let first = query.window(of: visible.from)
        part.range = visible.intersection(query.span(of: first))
        var head = part
        head.step = nil
        var result = Array(repeating: WindowSummary(query), count: first)
        result += try await machine.samples.summaries(head)
        part.range = TimeRange(from: part.range.to, to: max(part.range.to, visible.to))
        result += try await machine.samples.summaries(part)
        // Nothing is known of windows behind the last sample.
        while result.count < query.windowCount { result.append(WindowSummary(query)) }
        return result
    }

    /// The statistics of one field in one window; percentiles within 1 % where samples that its
    /// summary counts are damaged.
    ///
    /// - Parameter summary: of that field and window.
    func values(
        _ statistics: [Statistic], of place: Int, in range: TimeRange, _ summary: FieldSummary
    ) async throws -> (values: [Double?], isApproximate: Bool) {
        let percents = statistics.compactMap(\.exactPercent)
        guard !percents.isEmpty else { return (statistics.map { summary.value(of: $0) }, false) }
        guard let exact = try await percentiles(percents, of: place, in: range, summary) else {
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
    /// - Returns: one for each percent, `nil` of nothing; `nil` when some of the samples are damaged.
    private func percentiles(
        _ percents: [Double], of place: Int, in range: TimeRange, _ summary: FieldSummary
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
            selection = try await pass(selection, over: place, in: range)
        } while selection.endPass()
        guard let values = selection.values else {
            guard await damage(in: range).isEmpty else { return nil }
            // Samples came meanwhile that are older than the newest: they will be counted next time.
            throw LAEError(
                .changed, "The samples of \(sensor) changed while they were read.",
                hint: "Ask again.")
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
        _ selection: RankSelection, over place: Int, in range: TimeRange
    ) async throws -> RankSelection {
        guard needsSamples else {
            return try await machine.samples.reduce(
                fields[place], of: sensor, in: visible(range), into: selection
            ) { selection, numbers in selection.insert(numbers) }
        }
        var selection = selection
        var scan = scan(range)
        while let batch = try await scan.next() {
            switch batch.samples.columns[columns[place]] {
            case .numbers(let values): values.withUnsafeBufferPointer { selection.insert($0) }
            case .integers(let values):
                values.map(Double.init).withUnsafeBufferPointer { selection.insert($0) }
            case .texts: break
            }
        }
        return selection
    }

    private func scannedSummaries(_ query: SummaryQuery) async throws -> [WindowSummary] {
        var gathered = WindowSummaries(query)
        var scan = scan(query.range)
        while let batch = try await scan.next() { gathered.add(batch.keeping(columns)) }
        for stretch in try await gaps(query) { gathered.noteGap(in: stretch) }
        return gathered.windows
    }

    /// Where a query has samples that cannot be looked at one by one: only summaries are left of them,
    /// or they are damaged.
    private func gaps(_ query: SummaryQuery) async throws -> [TimeRange] {
        var found = await damage(in: query.range)
        let visible = visible(query.range)
        guard !source.isComputed,
            try await machine.samples.summarised(sensor, fields: query.fields, in: visible) != nil
        else { return found }
        var plain = query
        plain.hasSketch = false
        for (place, window) in try await storedSummaries(plain).enumerated()
        where window.isFromSummaries || window.isPartial {
            found.append(query.span(of: place))
        }
        return found
    }

    private func scan(_ range: TimeRange) -> SampleScan {
        SampleScan(
            SampleQuery(sensor: sensor, fields: all, range: visible(range), limit: .max), source,
            terms, matchers: matchers)
    }
}
