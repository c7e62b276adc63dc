import Auth
import Dialects
import Hummingbird
import LAE
import Samples
import Statistics
import Synchronization
import VM

/// The series that a client may see, and their numbers under its grants.
struct GrantedSeries: SeriesSource {
    /// For how long the newest value of a series counts as present, unless its samples are farther apart.
    private static let lookBack = Duration.seconds(300)
    /// How many intervals may pass without a sample.
    private static let intervals = 3
    private static let longestLookBack = Duration.seconds(7 * 86_400)
    /// The maximum number of samples that one query reads one by one.
    private static let sampleLimit = 1_000_000

    private let authorizer: RequestAuthorizer
    private let engine: AnalyticsEngine
    private let request: Request
    private let context: ProviderContext
    /// The numeric series of the sensors that the client may read.
    private let all: [MetricSeries]
    private let statuses: [SensorID: SensorStatus]
    private let notes = QueryNotes()

    /// - Throws: `AuthError` for a client that is not known.
    init(
        _ machine: VirtualMachine, _ engine: AnalyticsEngine, _ authorizer: RequestAuthorizer,
        _ request: Request, _ context: ProviderContext
    ) async throws {
        let client = try await authorizer.client("prometheus", request, context)
        let permissions = await authorizer.authority.permissions
        var all: [MetricSeries] = []
        var statuses: [SensorID: SensorStatus] = [:]
        for status in await machine.statuses()
        where status.state == .available || status.hasSamples {
            let id = status.sensor.id
            switch permissions.permission(of: client, for: id) {
            case .granted, .statistics:
                statuses[id] = status
                all += status.sensor.fields.filter(\.kind.isNumeric).map {
                    MetricSeries($0, of: id)
                }
            case .denied, .prompt, nil: break
            }
        }
        (self.authorizer, self.engine) = (authorizer, engine)
        (self.request, self.context) = (request, context)
        (self.all, self.statuses) = (all, statuses)
    }

    /// What is missing in the answers so far.
    var warnings: [String] { notes.warnings }

    /// Why sensors were refused so far.
    var refusals: [String] { notes.refusals }

    func series(matching matchers: [LabelMatcher]) -> [MetricSeries] {
        all.filter { matchers.match($0.labels) }
    }

    /// The series that match one of the selectors; all without a selector.
    func series(matchingOneOf selectors: [[LabelMatcher]]) -> [MetricSeries] {
        guard !selectors.isEmpty else { return all }
        return all.filter { series in
            let labels = series.labels
            return selectors.contains { $0.match(labels) }
        }
    }

    // MARK: - Statistics of windows

    func values(
        of function: RangeFunction, _ series: [MetricSeries], window: Int64?,
        at times: EvaluationTimes
    ) async throws -> [[Double?]] {
        guard let statistic = Statistic(function) else { return series.map { _ in [] } }
        return try await bySensor(series) { sensor, fields in
            let grant = try await authorizer.grant(
                "stats", .stats, of: sensor, request, context, isExact: true)
            let width = window ?? lookBack(sensor, grant)
            let windows = MovingWindows(
                from: times.first, every: times.step, count: times.count, width: width)
            let table = try await engine.statistics(
                StatisticsQuery(
                    moving: windows, fields: fields, statistics: [statistic, .count]),
                for: grant)
            if !table.damage.isEmpty || table.windows.contains(where: \.isPartial) {
                notes.warn(
                    "Samples of \(sensor) are missing in a part of the time: they are damaged, or were pruned and"
                        + " are only summarised for longer times.")
            }
            return fields.indices.map { row in
                table.windows.map { window in
                    let values = window.values[row]
                    guard let count = values[1], count > 0 else { return nil }
                    return function == .present ? 1 : values[0]
                }
            }
        }
    }

    private func lookBack(_ sensor: SensorID, _ grant: Grant) -> Int64 {
        var interval = statuses[sensor]?.interval ?? .zero
        if let rate = grant.terms.maximumRate, rate > 0 {
            let slot = min(1 / rate, Self.longestLookBack / .seconds(1))
            interval = max(interval, .microseconds(Int64(slot * 1e6)))
        }
        return min(max(Self.lookBack, interval * Self.intervals), Self.longestLookBack)
            .wholeMicroseconds
    }

    // MARK: - Samples

    func samples(of series: [MetricSeries], in range: TimeRange) async throws -> [SeriesSamples] {
        let room = SampleRoom(Self.sampleLimit)
        let found = try await bySensor(series) { sensor, fields -> [SeriesSamples] in
            let grant = try await authorizer.grant(
                "samples", .raw, of: sensor, request, context, isExact: true)
            let page = try await engine.batch(
                SampleSelection(range: range, fields: fields, limit: max(1, room.left)),
                for: grant)
            guard page.next == nil, room.take(page.samples.count * fields.count) else {
                throw PrometheusError(
                    .execution,
                    "The query reads more than \(Self.sampleLimit) samples one by one. Use a shorter range, or a"
                        + " function such as avg_over_time, which reads summaries.")
            }
            if !page.damage.isEmpty {
                notes.warn("Samples of \(sensor) are damaged in a part of the time.")
            }
            return page.samples.columns.map { column in
                SeriesSamples(times: page.samples.times, values: column.doubles)
            }
        }
        return found
    }

    // MARK: - Sensors

    /// Calls `body` once for each sensor, with the fields of its series.
    ///
    /// A sensor that is refused has no values, and is noted.
    ///
    /// - Returns: the values of each series, in their order.
    private func bySensor<Values: EmptyValues>(
        _ series: [MetricSeries], _ body: (SensorID, [String]) async throws -> [Values]
    ) async throws -> [Values] {
        var rows: [SensorID: [Int]] = [:]
        var sensors: [SensorID] = []
        for (row, one) in series.enumerated() {
            if rows[one.sensor] == nil { sensors.append(one.sensor) }
            rows[one.sensor, default: []].append(row)
        }
        var values = [Values](repeating: .empty, count: series.count)
        for sensor in sensors {
            try Task.checkCancellation()
            let own = rows[sensor] ?? []
            do {
                let found = try await body(sensor, own.map { series[$0].field.name })
                for (row, one) in zip(own, found) { values[row] = one }
            } catch {
                guard let problem = Problem(ofStream: error) else { throw error }
                guard !problem.concernsCaller else { throw problem }
                notes.refuse(
                    [problem.detail, problem.fix].compactMap { $0 }.joined(separator: " "))
            }
        }
        return values
    }
}

/// Values of which there can be none.
private protocol EmptyValues {
    static var empty: Self { get }
}

extension [Double?]: EmptyValues {
    fileprivate static var empty: [Double?] { [] }
}

extension SeriesSamples: EmptyValues {
    fileprivate static var empty: SeriesSamples { SeriesSamples(times: [], values: []) }
}

/// How many samples a query may still read.
private final class SampleRoom {
    private(set) var left: Int

    init(_ limit: Int) {
        left = limit
    }

    func take(_ count: Int) -> Bool {
        left -= count
        return left >= 0
    }
}

/// What is missing in the answer to a query.
private final class QueryNotes: Sendable {
    private let state = Mutex<(warnings: [String], refusals: [String])>(([], []))

    var warnings: [String] { state.withLock { $0.warnings + $0.refusals } }
    var refusals: [String] { state.withLock { $0.refusals } }

    func warn(_ text: String) {
        state.withLock { if !$0.warnings.contains(text) { $0.warnings.append(text) } }
    }

    func refuse(_ text: String) {
        state.withLock { if !$0.refusals.contains(text) { $0.refusals.append(text) } }
    }
}

extension Column {
    fileprivate var doubles: [Double] {
        switch self {
        case .numbers(let values): values
        case .integers(let values): values.map(Double.init)
        case .texts: []
        }
    }
}

extension Statistic {
    /// - Returns: `nil` for functions of single samples.
    fileprivate init?(_ function: RangeFunction) {
        switch function {
        case .average: self = .mean
        case .minimum: self = .minimum
        case .maximum: self = .maximum
        case .sum: self = .sum
        case .count, .present: self = .count
        case .standardDeviation: self = .populationStandardDeviation
        case .variance: self = .populationVariance
        case .last: self = .last
        case .quantile(let quantile): self = .approximatePercentile(quantile * 100)
        case .rate, .increase, .delta: return nil
        }
    }
}
