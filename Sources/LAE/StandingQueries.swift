public import Auth
public import Samples
public import Scheduling
public import Statistics
public import VM

/// Reads the same fields again and again for the owner, such as for alert rules.
///
/// The first read of each sensor has an entry in the access log before it is answered. Later reads are
/// counted, and recorded together once an hour and at the end: one entry for each read would fill the log
/// with the host's own work. A crash loses at most the counts of one hour, never the fact that a sensor is
/// read.
public actor StandingQueries {
    /// Adjacent windows of one field.
    public struct Query: Hashable, Sendable {
        /// A numeric field.
        public var field: String
        /// A whole number of windows.
        public var range: TimeRange
        /// The width of a window, in microseconds.
        public var step: Int64
        /// Whether quantile sketches are included.
        public var hasSketch: Bool
        /// Conditions that a sample must meet to count.
        public var conditions: [Condition]

        /// Creates a query.
        public init(
            field: String, range: TimeRange, step: Int64, hasSketch: Bool = false,
            conditions: [Condition] = []
        ) {
            (self.field, self.range, self.step) = (field, range, step)
            (self.hasSketch, self.conditions) = (hasSketch, conditions)
        }
    }

    /// Reads that are not in the log yet.
    private struct Tally {
        let grant: Grant
        let began: ContinuousClock.Instant
        var count = 0
        var range: TimeRange?

        mutating func add(_ count: Int, _ read: TimeRange) {
            self.count += count
            range = TimeRange(
                from: min(range?.from ?? read.from, read.from),
                to: max(range?.to ?? read.to, read.to))
        }
    }

    private static let interval = Duration.seconds(3600)

    private let operation: String
    private let sensors: SensorCatalog
    private let samples: SampleReading
    private let log: AccessLog
    private let time: any TimeSource
    private var tallies: [SensorID: Tally] = [:]

    /// - Parameter operation: its name in the access log.
    public init(
        _ machine: VirtualMachine, as operation: String, log: AccessLog,
        time: any TimeSource = .system
    ) {
        self.operation = operation
        sensors = SensorCatalog(machine, time: time)
        samples = machine.samples
        (self.log, self.time) = (log, time)
    }

    /// The summary of each window, which can be merged.
    ///
    /// - Throws: `notGranted` for a grant with terms; `unknownSensor`, `unavailable`, `unknownField`,
    ///   `notNumeric`, `invalidCondition`, `tooManyRows`, `failed`.
    public func summaries(
        _ query: Query, for grant: Grant
    ) async throws(LAEError) -> [WindowSummary] {
        let lookup = await sensors.lookUp(grant.sensor)
        let terms = try terms(of: grant, lookup)
        let sensor = try await sensors.readable(lookup)
        let reader = StatisticsReader(
            of: sensor, columns: try sensor.numericColumns([query.field]), samples: samples,
            terms: terms, matchers: try sensor.matchers(query.conditions), until: .distantFuture)
        do {
            let found = try await reader.summaries(
                SummaryQuery(
                    sensor: grant.sensor, fields: reader.fields, range: query.range,
                    step: query.step, hasSketch: query.hasSketch))
            try await note(query.range, found.reduce(0) { $0 + $1.count }, for: grant)
            return found
        } catch {
            throw LAEError(error)
        }
    }

    /// The time of the last sample before a time.
    ///
    /// - Throws: as ``summaries(_:for:)``.
    public func newest(
        before end: Timestamp, for grant: Grant
    ) async throws(LAEError) -> Timestamp? {
        let lookup = await sensors.lookUp(grant.sensor)
        _ = try terms(of: grant, lookup)
        let sensor = try await sensors.readable(lookup)
        do {
            let range = TimeRange(from: .distantPast, to: end)
            let found = try await sensor.origin.batch(
                SampleQuery(sensor: grant.sensor, range: range, order: .descending, limit: 1)
            ).samples.times.first
            if let found {
                let range = TimeRange(from: found, to: found.advanced(byMicroseconds: 1))
                try await note(range, 1, for: grant)
            }
            return found
        } catch {
            throw LAEError(error)
        }
    }

    /// Records what was read and is not in the log yet.
    public func finish() async {
        for tally in tallies.values { await record(tally) }
        tallies = [:]
    }

    // MARK: - Private

    /// - Throws: `notGranted` unless all samples may be read as they are.
    private func terms(
        of grant: Grant, _ lookup: SensorLookup
    ) throws(LAEError) -> GrantTerms {
        let terms = lookup.terms(of: grant, now: time.now())
        guard terms.allowsSamples, !terms.changesSamples else {
            throw LAEError(
                .notGranted, "Summaries of \(grant.sensor) need permission for all its samples.")
        }
        return terms
    }

    private func note(_ range: TimeRange, _ count: Int, for grant: Grant) async throws {
        let now = time.instant()
        if var tally = tallies[grant.sensor], tally.grant == grant {
            tally.add(count, range)
            tallies[grant.sensor] = tally
            guard now - tally.began >= Self.interval else { return }
            tallies[grant.sensor] = Tally(grant: grant, began: now)
            return await record(tally)
        }
        tallies[grant.sensor] = Tally(grant: grant, began: now)
        try await log.record(operation, .stats, for: grant, range: range, count: count)
    }

    private func record(_ tally: Tally) async {
        guard let range = tally.range else { return }
        // The owner's reads are recorded later if the log cannot be written now.
        try? await log.record(
            operation, .stats, for: tally.grant, range: range, count: tally.count)
    }
}
