public import Auth
import Samples
public import Scheduling
import Statistics
public import VM

/// The Local Analytics Engine: gives out samples and statistics under a grant.
///
/// Every entry takes a `Grant`, lets its terms take effect, and notes in the access log what left.
public struct AnalyticsEngine: Sendable {
    let machine: VirtualMachine
    let log: AccessLog
    let time: any TimeSource

    public init(_ machine: VirtualMachine, log: AccessLog, time: any TimeSource = .system) {
        self.machine = machine
        self.log = log
        self.time = time
    }

    func now() -> Timestamp { time.now() }

    /// The newest sample that the grant lets be seen; `nil` when there is none.
    ///
    /// - Throws: `notGranted` for a grant of aggregates, `unknownSensor`, `unavailable`, `failed`;
    ///   `tooManyWindows` and `tooManyRows` where a virtual sensor would need too much.
    public func latest(for grant: Grant) async throws(LAEError) -> SamplePage {
        let selection = SampleSelection(order: .descending, limit: 1)
        return try await samples(selection, for: grant, operation: "latest", looksFurther: false)
    }

    /// The samples of a selection, at most its limit.
    ///
    /// - Throws: as `latest`; also `unknownField` and `invalidCondition`.
    public func samples(
        _ selection: SampleSelection, for grant: Grant
    ) async throws(LAEError) -> SamplePage {
        try await samples(selection, for: grant, operation: "samples")
    }

    /// The samples of a selection column by column, at most its limit.
    ///
    /// - Throws: as `samples(_:for:)`.
    public func batch(
        _ selection: SampleSelection, for grant: Grant
    ) async throws(LAEError) -> BatchPage {
        try await batch(selection, for: grant, operation: "samples", looksFurther: true)
    }

    /// What arrived after `sequence`, in the order of arrival, and the place to go on from.
    ///
    /// The place also moves past samples that the terms hold back.
    ///
    /// - Throws: as `latest`; also `sensorComputed` for a virtual sensor.
    public func arrivals(
        after sequence: Int64, limit: Int, for grant: Grant
    ) async throws(LAEError) -> Arrivals {
        let terms = try await rawTerms(grant)
        let fields = try await fields(of: grant.sensor)
        guard await machine.status(of: grant.sensor)?.sensor.derivation == nil else {
            throw LAEError(
                .sensorComputed,
                "\(grant.sensor) is virtual: its samples are computed when they are read, and none"
                    + " arrives.", hint: "Read its samples or its newest one instead.")
        }
        do {
            let arrived = try await machine.samples.arrivals(
                of: grant.sensor, fields: fields, after: sequence, limit: limit)
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
                        sensor: grant.sensor, fields: fields, range: slot, limit: 1)
                    guard try await machine.samples.rows(first).first?.sequence == sample.sequence
                    else { continue }
                }
                kept.append(terms.reduced(sample))
            }
            if !kept.isEmpty {
                await log.record("stream", .raw, for: grant, range: nil, count: kept.count)
            }
            return Arrivals(
                page: SamplePage(
                    fields: fields, samples: kept, next: nil,
                    damage: arrived.damage.clipped(to: visible)),
                last: arrived.samples.last?.sequence ?? sequence, tooOld: tooOld)
        } catch {
            throw Self.wrap(error)
        }
    }

    // MARK: - Private

    private func samples(
        _ selection: SampleSelection, for grant: Grant, operation: String,
        looksFurther: Bool = true
    ) async throws(LAEError) -> SamplePage {
        let page = try await batch(
            selection, for: grant, operation: operation, looksFurther: looksFurther)
        return SamplePage(
            fields: page.fields, samples: (0..<page.stored.count).map { page.stored[$0] },
            next: page.next, damage: page.damage)
    }

    /// - Parameter looksFurther: whether the page is to say if more samples follow.
    private func batch(
        _ selection: SampleSelection, for grant: Grant, operation: String, looksFurther: Bool
    ) async throws(LAEError) -> BatchPage {
        let terms = try await rawTerms(grant)
        let all = try await fields(of: grant.sensor)
        let source = try await source(of: grant.sensor)
        let columns = try columns(selection.fields, of: all, grant.sensor)
        let matchers = try matchers(selection.conditions, all)
        let query = SampleQuery(
            sensor: grant.sensor, fields: all, range: selection.range, order: selection.order,
            after: selection.after,
            limit: min(selection.limit, .max - 1) + (looksFurther ? 1 : 0))
        do {
            var scan = SampleScan(query, source, terms, matchers: matchers)
            var found = StoredBatch(of: all)
            // A page ends early behind as much text as the scan takes at a time.
            var isFull = false
            while found.count < query.limit, !isFull, let page = try await scan.next() {
                found = found.isEmpty ? page : found.joined(with: page)
                isFull = found.samples.textBytes >= SampleScan.pageTextBytes
            }
            let shown = found[0..<min(selection.limit, found.count)]
            await log.record(
                operation, .raw, for: grant, range: selection.range, count: shown.count)
            let isMore = found.count > shown.count || isFull && looksFurther
            let next = isMore ? shown.position(shown.count - 1) : nil
            let end = next ?? (looksFurther ? nil : shown.isEmpty ? nil : shown.position(0))
            let damage = await source.damage(
                of: grant.sensor, in: terms.visible(selection.stretch(to: end)))
            return BatchPage(
                fields: columns.map { all[$0] }, stored: shown.keeping(columns), next: next,
                damage: damage)
        } catch {
            throw Self.wrap(error)
        }
    }

    private func rawTerms(_ grant: Grant) async throws(LAEError) -> GrantTerms {
        let terms = await terms(of: grant)
        guard terms.allowsSamples else {
            let message =
                terms.allowsStatistics
                ? "Only statistics of \(grant.sensor) are granted."
                : "Reading \(grant.sensor) is not granted."
            throw LAEError(.notGranted, message)
        }
        return terms
    }

    func fields(of sensor: SensorID) async throws(LAEError) -> [Field] {
        guard let status = await machine.status(of: sensor) else {
            let instances = await machine.instances(of: sensor)
            throw LAEError(
                .unknownSensor, "There is no sensor named \(sensor).",
                hint: instances.isEmpty
                    ? "List them with: nervous sensors"
                    : "There are: \(instances.map(\.description).joined(separator: ", "))")
        }
        if case .unavailable(let reason, let remedy) = status.state, status.newest == nil {
            throw LAEError(.unavailable, "\(sensor) is not available: \(reason).", hint: remedy)
        }
        return status.sensor.fields
    }

    func columns(
        _ names: [String]?, of fields: [Field], _ sensor: SensorID
    ) throws(LAEError) -> [Int] {
        guard let names else { return Array(fields.indices) }
        var columns: [Int] = []
        for name in names {
            guard let column = fields.firstIndex(where: { $0.name == name }) else {
                throw LAEError(
                    .unknownField, "\(sensor) has no field named \(name.debugDescription).",
                    hint: "It has: \(fields.map(\.name).joined(separator: ", "))")
            }
            columns.append(column)
        }
        return columns
    }

    func numericColumns(
        _ names: [String]?, of fields: [Field], _ sensor: SensorID
    ) throws(LAEError) -> [Int] {
        let chosen = try columns(names, of: fields, sensor)
        if names != nil, let text = chosen.first(where: { !fields[$0].kind.isNumeric }) {
            throw LAEError(
                .notNumeric, "\(fields[text].name) of \(sensor) is not a number.")
        }
        return chosen.filter { fields[$0].kind.isNumeric }
    }

    func matchers(
        _ conditions: [Condition], _ fields: [Field]
    ) throws(LAEError) -> [Condition.Matcher] {
        var matchers: [Condition.Matcher] = []
        for condition in conditions { matchers.append(try condition.matcher(for: fields)) }
        return matchers
    }

    static func wrap(_ error: any Error) -> LAEError {
        if let own = error as? LAEError { return own }
        if let refusal = LAEError(publishing: error) { return refusal }
        let message = (error as? VirtualMachineError)?.message ?? "\(error)"
        return LAEError(.failed, message, cause: error)
    }
}
