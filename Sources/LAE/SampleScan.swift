import Auth
import Samples
import Statistics
import VM

/// Reads a range page by page and returns the samples that the grant and the conditions allow.
///
/// Memory is bounded by a page; a cancelled task stops between two pages.
struct SampleScan {
    private static let pageSize = 32_768
    /// Bytes of text after which a page ends early.
    static let pageTextBytes = 8 << 20

    private let origin: SampleOrigin
    private let terms: GrantTerms
    private let matchers: [Condition.Matcher]
    private var query: SampleQuery
    /// The whole visible range; `query` has the unread rest.
    private let whole: TimeRange
    private var usedSlot: TimeRange?
    private var isAtEnd: Bool
    private var hasStarted = false

    init(
        _ query: SampleQuery, from origin: SampleOrigin, under terms: GrantTerms,
        matchers: [Condition.Matcher]
    ) {
        self.origin = origin
        self.terms = terms
        self.matchers = matchers
        self.query = query
        whole = terms.visible(query.range)
        self.query.range = whole
        self.query.limit = min(query.limit, Self.pageSize)
        self.query.textBytes = Self.pageTextBytes
        isAtEnd = self.query.range.isEmpty
    }

    /// The next samples in order, not empty; `nil` at the end.
    mutating func next() async throws -> StoredBatch? {
        while !isAtEnd {
            try Task.checkCancellation()
            if !hasStarted { try await start() }
            let page = try await origin.batch(query)
            isAtEnd = page.count < query.limit && page.samples.textBytes < Self.pageTextBytes
            query.after = page.isEmpty ? query.after : page.position(page.count - 1)
            let thinned = try await thinned(page)
            skipUsedSlot()
            let visible = terms.reduced(thinned)
            let matching = matchers.reduce(visible) { batch, matcher in
                batch.keeping(rows: matcher(batch))
            }
            if !matching.isEmpty { return matching }
        }
        return nil
    }

    /// Determines, before the first page of an ascending scan, whether the slot in which it begins is used.
    ///
    /// The slot is used if its first sample is before the beginning of the scan. This is read from the store,
    /// because the caller can pass any position, and because a range can begin inside a slot.
    private mutating func start() async throws {
        hasStarted = true
        guard query.order == .ascending else { return }
        let after = query.after.flatMap { $0.time < whole.from ? nil : $0 }
        query.after = after
        let begin = after?.time ?? whole.from
        guard let slot = terms.slot(of: begin), after != nil || slot.from < begin else { return }
        let first = SampleQuery(
            sensor: query.sensor, fields: query.fields, range: slot, limit: 1)
        let batch = try await origin.batch(first)
        guard !batch.isEmpty else { return }
        let position = batch.position(0)
        if position.time < whole.from || after.map({ position <= $0 }) == true { usedSlot = slot }
    }

    /// Continues after the slot that was used last, however many samples it has.
    private mutating func skipUsedSlot() {
        guard let slot = usedSlot else { return }
        let (from, to) = (query.range.from, query.range.to)
        query.range =
            query.order == .ascending
            ? TimeRange(from: max(from, slot.to), to: to)
            : TimeRange(from: from, to: min(to, slot.from))
        if query.range.isEmpty { isAtEnd = true }
    }

    /// At most one sample of each slot: its first, in both orders.
    private mutating func thinned(_ page: StoredBatch) async throws -> StoredBatch {
        guard let first = page.samples.times.first, terms.slot(of: first) != nil else {
            return page
        }
        var rows: [Int] = []
        var earliest: [StoredSample] = []
        for (row, time) in page.samples.times.enumerated() {
            guard let slot = terms.slot(of: time), slot != usedSlot else { continue }
            usedSlot = slot
            if query.order == .ascending {
                rows.append(row)
            } else if let sample = try await firstSample(of: slot) {
                earliest.append(sample)
            }
        }
        guard query.order == .descending else { return page.keeping(rows: rows) }
        guard let fields = query.fields,
            let samples = SampleBatch(earliest.map(\.sample), of: fields)
        else { return page.keeping(rows: []) }
        return StoredBatch(sequences: earliest.map(\.sequence), samples: samples)
    }

    private func firstSample(of slot: TimeRange) async throws -> StoredSample? {
        let query = SampleQuery(sensor: query.sensor, fields: query.fields, range: slot, limit: 1)
        let batch = try await origin.batch(query)
        guard !batch.isEmpty, whole.contains(batch.samples.times[0]) else { return nil }
        return batch[0]
    }
}

/// Where the samples of a sensor come from: the store, or a computation.
enum SampleOrigin: Sendable {
    case stored(SampleReading)
    /// The samples of a virtual sensor, computed when they are read.
    case computed(WindowReader)

    /// The samples that match, in the query's order.
    func batch(_ query: SampleQuery) async throws -> StoredBatch {
        switch self {
        case .stored(let samples): try await samples.batch(query)
        case .computed(let reader): try await reader.batch(query)
        }
    }

    /// The time of the latest sample.
    ///
    /// - Parameter now: excludes samples in the future; `nil` to include them.
    func newest(of sensor: SensorID, at now: Timestamp?) async throws -> Timestamp? {
        switch self {
        case .stored(let samples):
            guard let now else { return await samples.newest(of: sensor)?.time }
            return try await samples.newest(of: sensor, at: now)?.time
        case .computed(let reader):
            let query = SampleQuery(sensor: sensor, order: .descending, limit: 1)
            return try await reader.batch(query).samples.times.first
        }
    }

    /// The time ranges in which samples of a range are damaged, in the sensor or in the
    /// inputs it is computed from.
    func damage(of sensor: SensorID, in range: TimeRange) async -> [TimeRange] {
        switch self {
        case .stored(let samples):
            return await samples.damage(of: sensor, in: range).clipped(to: range)
        case .computed(let reader):
            var found: [TimeRange] = []
            for input in reader.computation.inputs {
                found += await reader.samples.damage(of: input.sensor, in: range)
            }
            return found.joined.clipped(to: range)
        }
    }

    /// Whether its samples are computed, so that the store has no summaries of them.
    var isComputed: Bool {
        if case .computed = self { true } else { false }
    }
}
