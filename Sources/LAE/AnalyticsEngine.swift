public import Auth
public import Samples
public import VM

/// The Local Analytics Engine: gives out samples and statistics under a grant.
///
/// Every entry takes a `Grant`, lets its terms take effect, and notes in the access log what left.
public struct AnalyticsEngine: Sendable {
    let machine: VirtualMachine
    let log: AccessLog
    let now: @Sendable () -> Timestamp

    public init(
        _ machine: VirtualMachine, log: AccessLog,
        now: @escaping @Sendable () -> Timestamp = { .now() }
    ) {
        self.machine = machine
        self.log = log
        self.now = now
    }

    /// The newest sample that the grant lets be seen; `nil` when there is none.
    ///
    /// - Throws: `notGranted` for a grant of aggregates, `unknownSensor`, `unavailable`, `failed`.
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

    /// Statistics of a range, as one window or many.
    ///
    /// A grant of aggregates sees nothing of windows with fewer than 5 samples, and neither `first`
    /// nor `last`.
    /// - Throws: `notGranted`, `unknownSensor`, `unavailable`, `unknownField`, `notNumeric`,
    ///   `invalidCondition`, `tooManyWindows`, `failed`.
    public func statistics(
        _ query: StatisticsQuery, for grant: Grant
    ) async throws(LAEError) -> StatisticsTable {
        let terms = GrantTerms(grant, now: now())
        guard terms.allowsStatistics else {
            throw LAEError(.notGranted, "Reading \(grant.sensor) is not granted.")
        }
        if !terms.allowsSamples, let single = query.statistics.first(where: \.isSingleSample) {
            throw LAEError(
                .notGranted,
                "\(single) is the value of a single sample, and only statistics of"
                    + " \(grant.sensor) are granted.")
        }
        let all = try await fields(of: grant.sensor)
        let columns = try numericColumns(query.fields, of: all, grant.sensor)
        let matchers = try matchers(query.conditions, all)
        do {
            var windows = try await windows(query, columns.count, grant.sensor, terms)
            var scan = SampleScan(
                SampleQuery(
                    sensor: grant.sensor, fields: all, range: windows.range, limit: .max),
                machine, terms, matchers: matchers)
            while let page = try await scan.next() {
                for sample in page { windows.insert(sample, columns) }
            }
            await log.record(
                "stats", .stats, for: grant, range: query.range, count: windows.count)
            return StatisticsTable(
                fields: columns.map { all[$0] }, statistics: query.statistics,
                windows: windows.results(
                    query.statistics,
                    minimumCount: terms.allowsSamples ? 0 : GrantTerms.minimumCount))
        } catch {
            throw Self.wrap(error)
        }
    }

    /// What arrived after `sequence`, in the order of arrival, and the place to go on from.
    ///
    /// The place also moves past samples that the terms hold back.
    public func arrivals(
        after sequence: Int64, limit: Int, for grant: Grant
    ) async throws(LAEError) -> (page: SamplePage, last: Int64) {
        let terms = try rawTerms(grant)
        let fields = try await fields(of: grant.sensor)
        do {
            let arrived = try await machine.arrivals(
                of: grant.sensor, fields: fields, after: sequence, limit: limit)
            let visible = terms.visible(.all)
            var kept: [StoredSample] = []
            for sample in arrived where visible.contains(sample.time) {
                if let slot = terms.slot(of: sample.time) {
                    let first = SampleQuery(
                        sensor: grant.sensor, fields: fields, range: slot, limit: 1)
                    guard try await machine.samples(first).first?.sequence == sample.sequence
                    else { continue }
                }
                kept.append(terms.reduced(sample))
            }
            if !kept.isEmpty {
                await log.record("stream", .raw, for: grant, range: nil, count: kept.count)
            }
            return (
                SamplePage(fields: fields, samples: kept, next: nil),
                arrived.last?.sequence ?? sequence
            )
        } catch {
            throw Self.wrap(error)
        }
    }

    // MARK: - Private

    /// - Parameter looksFurther: whether the page is to say if more samples follow.
    private func samples(
        _ selection: SampleSelection, for grant: Grant, operation: String,
        looksFurther: Bool = true
    ) async throws(LAEError) -> SamplePage {
        let terms = try rawTerms(grant)
        let all = try await fields(of: grant.sensor)
        let columns = try columns(selection.fields, of: all, grant.sensor)
        let matchers = try matchers(selection.conditions, all)
        let query = SampleQuery(
            sensor: grant.sensor, fields: all, range: selection.range, order: selection.order,
            after: selection.after,
            limit: min(selection.limit, .max - 1) + (looksFurther ? 1 : 0))
        do {
            var scan = SampleScan(query, machine, terms, matchers: matchers)
            var found: [StoredSample] = []
            while found.count < query.limit, let page = try await scan.next() {
                found += page
            }
            let shown = found.prefix(selection.limit)
            await log.record(
                operation, .raw, for: grant, range: selection.range, count: shown.count)
            let next = found.count > shown.count ? shown.last : nil
            return SamplePage(
                fields: columns.map { all[$0] },
                samples: shown.map { $0.keeping(columns) },
                next: next.map(SampleQuery.Position.init(of:)))
        } catch {
            throw Self.wrap(error)
        }
    }

    private func rawTerms(_ grant: Grant) throws(LAEError) -> GrantTerms {
        let terms = GrantTerms(grant, now: now())
        guard terms.allowsSamples else {
            let message =
                terms.allowsStatistics
                ? "Only statistics of \(grant.sensor) are granted."
                : "Reading \(grant.sensor) is not granted."
            throw LAEError(.notGranted, message)
        }
        return terms
    }

    private func fields(of sensor: SensorID) async throws(LAEError) -> [Field] {
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

    private func columns(
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

    private func numericColumns(
        _ names: [String]?, of fields: [Field], _ sensor: SensorID
    ) throws(LAEError) -> [Int] {
        let chosen = try columns(names, of: fields, sensor)
        if names != nil, let text = chosen.first(where: { !fields[$0].kind.isNumeric }) {
            throw LAEError(
                .notNumeric, "\(fields[text].name) of \(sensor) is not a number.")
        }
        return chosen.filter { fields[$0].kind.isNumeric }
    }

    private func matchers(
        _ conditions: [Condition], _ fields: [Field]
    ) throws(LAEError) -> [@Sendable ([Value]) -> Bool] {
        var matchers: [@Sendable ([Value]) -> Bool] = []
        for condition in conditions { matchers.append(try condition.matcher(for: fields)) }
        return matchers
    }

    /// The empty windows of a query; an open range holds as many whole ones as there are samples for.
    private func windows(
        _ query: StatisticsQuery, _ columns: Int, _ sensor: SensorID, _ terms: GrantTerms
    ) async throws -> StatisticsWindows {
        var range = query.range
        let keepsValues = query.statistics.contains(where: \.needsEveryValue)
        guard let every = query.every else {
            return try StatisticsWindows(range, every: nil, columns, keepsValues: keepsValues)
        }
        let step = max(1, every.wholeMicroseconds)
        if range.from == .distantPast {
            let first = try await machine.samples(
                SampleQuery(sensor: sensor, range: terms.visible(range), limit: 1)
            ).first
            let start = (first?.time ?? now()).microseconds
            let phase = start % step
            let floor = Timestamp(microseconds: start - (phase < 0 ? phase + step : phase))
            range = TimeRange(from: floor, to: range.to)
        }
        if range.to == .distantFuture {
            let newest = await machine.newest(of: sensor)?.time ?? range.from
            let width = newest.microseconds.subtractingReportingOverflow(range.from.microseconds)
            // The end of the last window does not tell when the newest sample came.
            let rest = width.overflow ? 0 : step - 1 - width.partialValue % step
            let end = newest.advanced(byMicroseconds: rest).advanced(byMicroseconds: 1)
            range = TimeRange(from: range.from, to: newest < range.from ? range.from : end)
        }
        return try StatisticsWindows(range, every: step, columns, keepsValues: keepsValues)
    }

    static func wrap(_ error: any Error) -> LAEError {
        if let own = error as? LAEError { return own }
        if let refusal = LAEError(publishing: error) { return refusal }
        let message = (error as? VirtualMachineError)?.message ?? "\(error)"
        return LAEError(.failed, message, cause: error)
    }
}

extension StoredSample {
    /// The sample with only these values, in this order.
    fileprivate func keeping(_ columns: [Int]) -> StoredSample {
        let sample = Sample(time: time, values: columns.map { values[$0] })
        return StoredSample(sequence: sequence, sample: sample)
    }
}
