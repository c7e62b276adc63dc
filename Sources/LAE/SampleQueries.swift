import Auth
import Samples
import Scheduling
import Statistics
import VM

/// Answers queries for single samples.
struct SampleQueries: Sendable {
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

    func latest(for grant: Grant) async throws(LAEError) -> LatestSample {
        let now = time.now()
        let lookup = await sensors.lookUp(grant.sensor)
        let page = SamplePage(
            try await batch(
                SampleSelection(order: .descending, limit: 1), of: lookup, for: grant,
                operation: "latest", checksForMore: false,
                until: SampleReading.end(ofPresent: now)))
        let terms = lookup.terms(of: grant, now: now)
        let interval = terms.interval(lookup.status?.interval)
        let freshness = page.samples.first.map { sample in
            Freshness(of: sample.time, at: now, every: interval)
        }
        return LatestSample(page: page, freshness: freshness, interval: interval)
    }

    /// - Parameters:
    ///   - operation: its name in the access log.
    ///   - checksForMore: whether to find out if more samples follow, so that the page can tell
    ///     where to continue.
    func batch(
        _ selection: SampleSelection, for grant: Grant, operation: String, checksForMore: Bool
    ) async throws(LAEError) -> BatchPage {
        try await batch(
            selection, of: await sensors.lookUp(grant.sensor), for: grant, operation: operation,
            checksForMore: checksForMore)
    }

    /// - Parameter end: only samples before this time are read; the access log has the range of the
    ///   selection.
    private func batch(
        _ selection: SampleSelection, of lookup: SensorLookup, for grant: Grant,
        operation: String, checksForMore: Bool, until end: Timestamp = .distantFuture
    ) async throws(LAEError) -> BatchPage {
        let terms = try rawTerms(lookup, grant)
        let sensor = try await sensors.readable(lookup)
        let columns = try sensor.columns(selection.fields)
        let matchers = try sensor.matchers(selection.conditions)
        let query = SampleQuery(
            sensor: grant.sensor, fields: sensor.fields,
            range: selection.range.intersection(TimeRange(from: .distantPast, to: end)),
            order: selection.order, after: selection.after,
            limit: min(selection.limit, .max - 1) + (checksForMore ? 1 : 0))
        do {
            var scan = SampleScan(query, from: sensor.origin, under: terms, matchers: matchers)
            var found = StoredBatch(of: sensor.fields)
            // A page also ends early once it has as much text as the scan reads at once.
            var isFull = false
            while found.count < query.limit, !isFull, let page = try await scan.next() {
                found = found.isEmpty ? page : found.joined(with: page)
                isFull = found.samples.textBytes >= SampleScan.pageTextBytes
            }
            let shown = found[0..<min(selection.limit, found.count)]
            try await log.record(
                operation, .raw, for: grant, range: selection.range, count: shown.count)
            let isMore = found.count > shown.count || isFull && checksForMore
            let next = isMore ? shown.position(shown.count - 1) : nil
            let stop = next ?? (checksForMore ? nil : shown.isEmpty ? nil : shown.position(0))
            let damage = await sensor.origin.damage(
                of: grant.sensor, in: terms.visible(selection.range(to: stop)))
            return BatchPage(
                fields: columns.map { sensor.fields[$0] }, stored: shown.keeping(columns),
                next: next, damage: damage)
        } catch {
            throw LAEError(error)
        }
    }

    func arrivals(
        after sequence: Int64, limit: Int, mark: Timestamp?, for grant: Grant
    ) async throws(LAEError) -> Arrivals {
        let lookup = await sensors.lookUp(grant.sensor)
        let terms = try rawTerms(lookup, grant)
        let sensor = try await sensors.readable(lookup)
        do {
            let arrived: ArrivalPage
            let group: WindowArrivals.Group
            switch sensor.origin {
            case .stored:
                arrived = try await samples.arrivals(
                    of: grant.sensor, fields: sensor.fields, after: sequence, limit: limit)
                group = WindowArrivals.Group(
                    last: arrived.samples.last?.sequence ?? sequence,
                    isComplete: arrived.samples.count < limit)
            case .computed(let reader):
                group = try await WindowArrivals(sensor: grant.sensor, reader: reader)
                    .group(after: sequence, mark: mark, limit: limit)
                arrived = ArrivalPage(samples: group.samples, damage: [])
            }
            let visible = terms.visible(.all)
            var kept: [StoredSample] = []
            var tooOld: Int64?
            for sample in arrived.samples {
                guard visible.contains(sample.time) else {
                    tooOld = sample.sequence
                    continue
                }
                if let slot = terms.slot(of: sample.time) {
                    let first = SampleQuery(
                        sensor: grant.sensor, fields: sensor.fields, range: slot, limit: 1)
                    let batch = try await sensor.origin.batch(first)
                    // The samples of virtual sensors differ in their times.
                    guard batch.count > 0,
                        sensor.origin.isComputed
                            ? batch.samples.times[0] == sample.time
                            : batch.position(0).sequence == sample.sequence
                    else { continue }
                }
                kept.append(terms.reduced(sample))
            }
            if !kept.isEmpty {
                try await log.record("stream", .raw, for: grant, range: nil, count: kept.count)
            }
            return Arrivals(
                page: SamplePage(
                    fields: sensor.fields, samples: kept, next: nil,
                    damage: arrived.damage.clipped(to: visible)),
                last: group.last, isComplete: group.isComplete, tooOld: tooOld, mark: group.mark)
        } catch {
            throw LAEError(error)
        }
    }

    private func rawTerms(
        _ lookup: SensorLookup, _ grant: Grant
    ) throws(LAEError) -> GrantTerms {
        let terms = lookup.terms(of: grant, now: time.now())
        guard terms.allowsSamples else {
            throw LAEError(
                .notGranted,
                terms.allowsStatistics
                    ? "Only statistics of \(grant.sensor) are granted."
                    : "Reading \(grant.sensor) is not granted.")
        }
        return terms
    }
}

extension StoredBatch {
    /// The samples with only these columns, in this order.
    func keeping(_ columns: [Int]) -> StoredBatch {
        StoredBatch(
            sequences: sequences,
            samples: SampleBatch(
                times: samples.times, columns: columns.map { samples.columns[$0] }))
    }
}
