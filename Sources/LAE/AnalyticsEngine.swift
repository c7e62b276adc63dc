public import Auth
public import Samples
public import Scheduling
public import VM

/// The Local Analytics Engine: answers queries about samples under a grant.
///
/// Each call takes a `Grant`, applies its terms, and records in the access log what it returned.
///
/// ```swift
/// let engine = AnalyticsEngine(machine, log: authority.log)
/// let grant = try await authority.checkApp(token: token, name: "curl", requested: request)
/// let table = try await engine.statistics(
///     StatisticsQuery(statistics: [.mean, .maximum], every: .seconds(60)), for: grant)
/// ```
public struct AnalyticsEngine: Sendable {
    private let sensors: SensorCatalog
    private let samples: SampleQueries
    private let statistics: StatisticsQueries
    private let analyses: AnalysisQueries
    private let publishing: SamplePublishing

    /// Creates an engine that reads from a virtual machine and records reads in an access log.
    public init(_ machine: VirtualMachine, log: AccessLog, time: any TimeSource = .system) {
        sensors = SensorCatalog(machine, time: time)
        samples = SampleQueries(sensors, machine.samples, log: log, time: time)
        statistics = StatisticsQueries(sensors, machine.samples, log: log, time: time)
        analyses = AnalysisQueries(sensors, machine, log: log, time: time)
        publishing = SamplePublishing(machine, log: log)
    }

    // MARK: - Sensors

    /// A virtual sensor that can be declared with `VirtualMachine.declare`; its fields are the outputs
    /// of its definition.
    ///
    /// An input that names a kind with one readable sensor becomes an input from that sensor.
    ///
    /// ```swift
    /// let derivation = Derivation(
    ///     inputs: ["cpu.busy"], window: "1m", outputs: [.init(name: "mean", by: "mean")])
    /// let sensor = try await engine.virtualSensor("busy", title: "Busy", derivation)
    /// _ = try await machine.declare(sensor)
    /// ```
    ///
    /// - Throws: `invalidDefinition` for one that cannot be computed, that uses an unknown sensor
    ///   or field, itself or another virtual sensor, or that has invalid fields.
    public func virtualSensor(
        _ id: SensorID, title: String, _ derivation: Derivation
    ) async throws(LAEError) -> Sensor {
        try await sensors.virtualSensor(id, title: title, derivation)
    }

    // MARK: - Samples

    /// The newest sample that the grant allows to see, and how old it is.
    ///
    /// Samples more than 5 minutes in the future do not count; see ``SensorStatus/future``.
    ///
    /// - Throws: `notGranted` for a grant of aggregates, `unknownSensor`, `unavailable`, `failed`;
    ///   `tooManyWindows` and `tooManyRows` where a virtual sensor would compute too much.
    public func latest(for grant: Grant) async throws(LAEError) -> LatestSample {
        try await samples.latest(for: grant)
    }

    /// The samples of a selection, at most its limit.
    ///
    /// ```swift
    /// let page = try await engine.samples(
    ///     SampleSelection(order: .descending, fields: ["busy"], limit: 10), for: grant)
    /// ```
    ///
    /// - Throws: as ``latest(for:)``; also `unknownField` and `invalidCondition`.
    public func samples(
        _ selection: SampleSelection, for grant: Grant
    ) async throws(LAEError) -> SamplePage {
        SamplePage(
            try await samples.batch(
                selection, for: grant, operation: "samples", checksForMore: true))
    }

    /// The samples of a selection column by column, at most its limit.
    ///
    /// - Throws: as ``samples(_:for:)``.
    public func batch(
        _ selection: SampleSelection, for grant: Grant
    ) async throws(LAEError) -> BatchPage {
        try await samples.batch(selection, for: grant, operation: "samples", checksForMore: true)
    }

    /// The samples accepted after `sequence`, in the order in which they were accepted, and the
    /// sequence number to continue from.
    ///
    /// That number also advances past samples that the terms exclude. The sample of a window of a virtual
    /// sensor has the sequence number of the sample of an input that closed the window: the first that is not
    /// before its end.
    ///
    /// - Parameter mark: that of the previous arrivals, if there were any.
    /// - Throws: as ``latest(for:)``.
    public func arrivals(
        after sequence: Int64, limit: Int, mark: Timestamp? = nil, for grant: Grant
    ) async throws(LAEError) -> Arrivals {
        try await samples.arrivals(after: sequence, limit: limit, mark: mark, for: grant)
    }

    /// The sensors whose samples make those of a sensor arrive: itself, or the inputs of a virtual sensor.
    public func origins(of sensor: SensorID) async -> [SensorID] {
        await sensors.origins(of: sensor)
    }

    // MARK: - Statistics and analyses

    /// Statistics of a range, as one window or many.
    ///
    /// A statistics-only grant widens ranges and windows to fixed cells (see `AggregateCells`),
    /// returns percentiles within 1 %, and excludes `first`, `last` and conditions.
    ///
    /// - Throws: `notGranted`, `unknownSensor`, `unavailable`, `unknownField`, `notNumeric`,
    ///   `invalidCondition`, `tooManyWindows`, `tooManyRows`, `failed`.
    public func statistics(
        _ query: StatisticsQuery, for grant: Grant
    ) async throws(LAEError) -> StatisticsTable {
        try await statistics.table(query, for: grant)
    }

    /// An analysis of fields of one or more sensors, under a grant for each of them.
    ///
    /// Under a statistics-only grant, the range is widened to whole cells (see `AggregateCells`),
    /// and results for fewer than 5 rows, bins or clusters are suppressed. The analysis holds at
    /// most a million numbers in memory, and ends when its task is cancelled.
    ///
    /// ```swift
    /// let request = AnalysisRequest(
    ///     try Analysis("histogram", ["bins": .number(20)]),
    ///     of: [try FieldReference(parsing: "cpu.busy")])
    /// let answer = try await engine.analyze(request, grants: [grant])
    /// ```
    ///
    /// - Throws: `notGranted` also where a sensor has no grant, or the answer would reveal single
    ///   samples; `unknownSensor`, `unavailable`, `unknownField`, `notNumeric`, `invalidCondition`,
    ///   `invalidAnalysis`, `tooManyRows`, `failed`.
    public func analyze(
        _ request: AnalysisRequest, grants: [Grant]
    ) async throws(LAEError) -> AnalysisAnswer {
        try await analyses.answer(request, grants: grants)
    }

    // MARK: - Publishing

    /// The fields that samples published under a grant must have.
    ///
    /// - Throws: `notGranted` for a grant to read, `unknownSensor`, `unavailable`,
    ///   `sensorComputed`, `sensorCollected`, `sensorOff`.
    public func publishedFields(for grant: Grant) async throws(LAEError) -> [Field] {
        try await publishing.fields(for: grant)
    }

    /// Stores samples that a client publishes, and records it in the access log; when this returns
    /// they are synced.
    ///
    /// - Parameters:
    ///   - key: the client's idempotency key, so that a repeated batch is stored once.
    ///   - clock: the newest time that the client itself wrote into a sample, for estimating its clock offset;
    ///     `nil` when it wrote none.
    /// - Throws: `notGranted` for a grant to read, `unknownSensor`, `unavailable`,
    ///   `sensorComputed`, `sensorCollected`, `sensorOff`, `bufferFull`, `batchTooLarge`,
    ///   `diskFull`, `keyReused`, `failed`.
    public func publish(
        _ batch: SampleBatch, key: BatchKey? = nil, clock: ClockReading? = nil, for grant: Grant
    ) async throws(LAEError) -> BatchReceipt {
        try await publishing.publish(batch, key: key, clock: clock, for: grant)
    }
}

/// Publishes samples under a grant.
private struct SamplePublishing: Sendable {
    private let machine: VirtualMachine
    private let log: AccessLog

    init(_ machine: VirtualMachine, log: AccessLog) {
        self.machine = machine
        self.log = log
    }

    func fields(for grant: Grant) async throws(LAEError) -> [Field] {
        try check(grant)
        do {
            try await machine.checkPublishing(to: grant.sensor)
        } catch {
            throw LAEError(error)
        }
        guard let sensor = await machine.sensor(grant.sensor) else {
            throw LAEError(VirtualMachineError.unknownSensor(grant.sensor))
        }
        return sensor.fields
    }

    func publish(
        _ batch: SampleBatch, key: BatchKey?, clock: ClockReading?, for grant: Grant
    ) async throws(LAEError) -> BatchReceipt {
        try check(grant)
        let receipt: BatchReceipt
        let client = grant.isOwner ? nil : grant.client
        do {
            if let key {
                receipt = try await machine.publish(batch, to: grant.sensor, by: client, key: key)
            } else {
                let last = try await machine.publish(batch, to: grant.sensor, by: client)
                receipt = BatchReceipt(accepted: batch.count, last: last)
            }
        } catch {
            throw LAEError(error)
        }
        // A repeated batch may have been written long before it arrived, so its times tell nothing
        // about the clock.
        if let clock, !receipt.isRepeated { await machine.note(clock, of: grant.sensor) }
        var range: TimeRange?
        if let first = batch.times.min(), let last = batch.times.max() {
            range = TimeRange(from: first, to: last.advanced(byMicroseconds: 1))
        }
        // The samples are stored; an entry that cannot be written now is kept in memory.
        try? await log.record("publish", .write, for: grant, range: range, count: receipt.accepted)
        return receipt
    }

    private func check(_ grant: Grant) throws(LAEError) {
        guard grant.terms.access.includes(.write) else {
            throw LAEError(.notGranted, "Publishing to \(grant.sensor) is not granted.")
        }
    }
}
