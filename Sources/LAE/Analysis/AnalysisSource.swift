import Samples
import VM

/// The fields of one sensor that go into an analysis, and which of its samples count.
struct AnalysisSource: Sendable {
    let sensor: SensorID
    let origin: SampleOrigin
    /// All that the sensor has.
    let fields: [Field]
    /// Which of them are wanted, by place.
    let places: [Int]
    let range: TimeRange
    let terms: GrantTerms
    let matchers: [Condition.Matcher]
}

extension AnalysisSource {
    /// Whether only summaries are left of some samples that would have been read.
    var isPartial: Bool {
        get async throws {
            let visible = terms.visible(terms.cells?.hours(range) ?? range)
            guard case .stored(let machine) = origin, !visible.isEmpty else { return false }
            let wanted = places.map { fields[$0] }
            return try await machine.samples.summarised(sensor, fields: wanted, in: visible) != nil
        }
    }

    /// Where samples are known to be damaged that would have been read.
    func damage(now: Timestamp) async -> [TimeRange] {
        let found = await origin.damage(of: sensor, in: terms.visible(range))
        guard let cells = terms.cells else { return found }
        // Where damage begins and ends is where single samples were.
        return found.map { cells.covering($0, now: now) }.joined
    }
}

extension AnalyticsEngine {
    /// Hands over the wanted fields of a sensor in the order of time, as many samples at once as a
    /// page holds.
    ///
    /// It is the only place where analyses see samples.
    func read(
        _ source: AnalysisSource, _ take: (_ times: [Int64], _ columns: [Column]) throws -> Void
    ) async throws {
        let query = SampleQuery(
            sensor: source.sensor, fields: source.fields, range: source.range, limit: .max)
        var scan = SampleScan(query, source.origin, source.terms, matchers: source.matchers)
        var filter = source.terms.cells.map(DenseCells.init)
        func give(_ batch: StoredBatch) throws {
            guard !batch.isEmpty else { return }
            try take(
                batch.samples.times.map(\.microseconds),
                source.places.map { batch.samples.columns[$0] })
        }
        while let page = try await scan.next() { try give(filter?.pass(page) ?? page) }
        if let rest = filter?.finish() { try give(rest) }
    }
}

extension Column {
    /// The values as doubles; none of texts.
    var doubles: [Double] {
        switch self {
        case .numbers(let values): values
        case .integers(let values): values.map(Double.init)
        case .texts: []
        }
    }
}
