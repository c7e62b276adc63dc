import API
import Auth
import Dialects
import Foundation
import HTTPTypes
import Hummingbird
import LAE
import NIOCore
import Samples
import Statistics
import VM

/// The newest values of the sensors that a client may read, for Prometheus; for the owner also the health of the host.
struct MetricsRoutes {
    let authorizer: RequestAuthorizer
    let machine: VirtualMachine
    let engine: AnalyticsEngine
    let host: HostInformation

    /// How many sensors one task reads.
    private static let chunk = 64
    private static let percents = [0.0, 5, 25, 50, 75, 95, 100]

    func add(to routes: inout RouteTable) {
        routes.on(.metrics, [.get: metrics])
    }

    @Sendable
    private func metrics(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("metrics", request, context)
        try request.rejectParameters(except: [])
        let format = try ExpositionFormat(accept: request.headers[.accept])
        let permissions = await authorizer.authority.permissions
        let known = await machine.statuses().compactMap { status -> KnownSensor? in
            switch permissions.permission(of: client, for: status.sensor.id) {
            case .granted: KnownSensor(status: status, allowsSamples: true)
            case .statistics: KnownSensor(status: status, allowsSamples: false)
            case .denied, .prompt, nil: nil
            }
        }
        var families = MetricFamilies()
        for sensor in known { families.add(informationAbout: sensor.status.sensor) }
        for reading in try await readings(known, request, context) { families.add(reading) }
        if client.kind == .owner { try await addHealth(to: &families) }
        var writer = ExpositionWriter(format)
        for family in families.all { writer.write(family) }
        return Response(
            status: .ok, headers: [.contentType: format.mediaType, .vary: "Accept"],
            body: .init(byteBuffer: ByteBuffer(bytes: writer.finish())))
    }

    /// What the client may see of each sensor, in their order.
    private func readings(
        _ sensors: [KnownSensor], _ request: Request, _ context: ProviderContext
    ) async throws -> [Reading] {
        try await withThrowingTaskGroup(of: (Int, [Reading]).self) { group in
            for start in stride(from: 0, to: sensors.count, by: Self.chunk) {
                let part = sensors[start..<min(sensors.count, start + Self.chunk)]
                group.addTask {
                    var readings: [Reading] = []
                    for sensor in part {
                        if let reading = try await reading(sensor, request, context) {
                            readings.append(reading)
                        }
                    }
                    return (start, readings)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
                .sorted { $0.0 < $1.0 }.flatMap(\.1)
        }
    }

    /// - Returns: `nil` without a current value, and if the sensor can no longer be read.
    private func reading(
        _ known: KnownSensor, _ request: Request, _ context: ProviderContext
    ) async throws -> Reading? {
        let sensor = known.status.sensor
        do {
            if known.allowsSamples {
                guard known.status.hasSamples else { return nil }
                let grant = try await authorizer.grant(
                    "latest", .raw, of: sensor.id, request, context, isExact: true)
                let latest = try await engine.latest(for: grant)
                // A stale value is not a current one.
                guard latest.freshness?.isStale != true else { return nil }
                return .newest(sensor, latest)
            }
            guard sensor.fields.contains(where: \.kind.isNumeric) else { return nil }
            let grant = try await authorizer.grant(
                "stats", .stats, of: sensor.id, request, context, isExact: true)
            let query = RecentStatistics(of: sensor).query(
                Self.percents.map { .approximatePercentile($0) }
                    + [.mean, .standardDeviation, .count], at: authorizer.now())
            return .recent(sensor, try await engine.statistics(query, for: grant))
        } catch {
            guard let problem = Problem(ofStream: error) else { throw error }
            guard !problem.concernsCaller else { throw problem }
            return nil
        }
    }

    /// A sensor that the client may read.
    private struct KnownSensor: Sendable {
        let status: SensorStatus
        let allowsSamples: Bool
    }

    fileprivate enum Reading: Sendable {
        case newest(Sensor, LatestSample)
        /// The statistics of the recent time.
        case recent(Sensor, StatisticsTable)
    }

    // MARK: - The host

    private func addHealth(to families: inout MetricFamilies) async throws {
        let status = await machine.status()
        let log = authorizer.authority.log
        let sensors = await machine.statuses()
        func add(
            _ name: String, _ kind: MetricFamily.Kind, unit: String? = nil, _ help: String,
            _ value: MetricFamily.Number
        ) {
            families.add(
                MetricFamily(name, kind, unit: unit, help: help, points: [.init(value)]))
        }
        func whole(_ number: some BinaryInteger) -> MetricFamily.Number {
            .integer(Int64(clamping: number))
        }
        families.add(
            MetricFamily(
                "nervous", .info, help: "The version of the host.",
                points: [.init(.integer(1), labels: [("version", host.version)])]))
        add(
            "nervous_start_time_seconds", .gauge, unit: "seconds",
            "When the host started, in seconds since 1970.",
            .number(Double(status.started.microseconds) / 1e6))
        add(
            "nervous_collecting", .gauge, "Whether sensors are read.",
            whole(status.collecting ? 1 : 0))
        add(
            "nervous_samples_accepted", .counter,
            "Samples accepted since the data directory was created.", whole(status.samples))
        add(
            "nervous_samples_dropped", .counter,
            "Samples dropped since the start because nothing could be written.",
            whole(status.dropped))
        add(
            "nervous_samples_buffered", .gauge, "Samples that are not on disk.",
            whole(status.buffered))
        add(
            "nervous_store_size_bytes", .gauge, unit: "bytes", "Bytes of the store of samples.",
            whole(status.bytes))
        var failure = status.failure
        if failure == nil { failure = await log.failure }
        add(
            "nervous_write_failing", .gauge,
            "Whether the last write of samples or of the access log failed.",
            whole(failure == nil ? 0 : 1))
        add(
            "nervous_damaged_sensors", .gauge, "Sensors of which samples are damaged.",
            whole(status.damage.count))
        add(
            "nervous_access_log_size_bytes", .gauge, unit: "bytes", "Bytes of the access log.",
            whole(try await log.size()))
        add(
            "nervous_access_log_entries", .counter, "Entries written to the access log.",
            whole(try await log.head().id))
        add(
            "process_cpu_seconds", .counter, unit: "seconds",
            "Processor time of the host process.", .number(ProcessUse.processorSeconds))
        if let bytes = ProcessUse.residentBytes {
            add(
                "process_resident_memory_bytes", .gauge, unit: "bytes",
                "Resident memory of the host process.", whole(bytes))
        }
        let available = sensors.count { $0.state == .available }
        families.add(
            MetricFamily(
                "nervous_sensors", .gauge, help: "Sensors by whether samples can come from them.",
                points: [
                    .init(whole(available), labels: [("state", "available")]),
                    .init(whole(sensors.count - available), labels: [("state", "unavailable")]),
                ]))
        families.add(
            MetricFamily(
                "nervous_sensor_read_failures", .counter,
                help: "Failed reads of a sensor since the start.",
                points: sensors.map {
                    .init(whole($0.failures), labels: [("sensor", $0.sensor.id.description)])
                }))
    }
}

/// The families of an exposition, by their names.
private struct MetricFamilies {
    private var families: [String: MetricFamily] = [:]

    /// In the order of their names.
    var all: [MetricFamily] {
        families.values.filter { !$0.points.isEmpty }.sorted { $0.name < $1.name }
    }

    mutating func add(_ family: MetricFamily) {
        families[family.name] = family
    }

    mutating func add(informationAbout sensor: Sensor) {
        add(
            .init(
                .integer(1),
                labels: [
                    ("sensor", sensor.id.description), ("kind", sensor.id.kind.description),
                    ("title", sensor.title),
                ]),
            to: "sensor", .info, unit: nil, help: "A sensor that this client may read.")
    }

    mutating func add(_ reading: MetricsRoutes.Reading) {
        switch reading {
        case .newest(let sensor, let latest):
            guard let sample = latest.samples.first else { return }
            for (field, value) in zip(latest.fields, sample.values) {
                add(value, of: field, of: sensor, at: sample.time)
            }
        case .recent(let sensor, let table):
            guard let window = table.windows.first, window.count != nil else { return }
            for (field, values) in zip(table.fields, window.values) {
                add(values, table.statistics, of: field, of: sensor)
            }
        }
    }

    private mutating func add(
        _ value: Value, of field: Field, of sensor: Sensor, at time: Timestamp
    ) {
        let series = MetricSeries(field, of: sensor.id)
        let number: MetricFamily.Number
        switch value {
        case .number(let double): number = .number(double)
        case .integer(let integer): number = .integer(integer)
        case .text(let text):
            // Free text is not a metric.
            guard field.kind == .state else { return }
            let family = series.name.family
            add(
                .init(.integer(1), labels: series.ownLabels + [("state", text)], time: time),
                to: family.hasSuffix("_state") ? family : family + "_state", .gauge, unit: nil,
                help: "The newest state of \(field.name) of sensors of the kind \(sensor.id.kind).")
            return
        }
        add(
            .init(number, labels: series.ownLabels, time: time), to: series.name.family,
            series.name.isCounter ? .counter : .gauge, unit: series.name.unit,
            help:
                "The newest \(field.name) of sensors of the kind \(sensor.id.kind)\(Self.unit(field))."
        )
    }

    /// The statistics of the recent time of one field.
    private mutating func add(
        _ values: [Double?], _ statistics: [Statistic], of field: Field, of sensor: Sensor
    ) {
        let labels = MetricSeries(field, of: sensor.id).ownLabels
        let about = "of recent \(field.name) of sensors of the kind \(sensor.id.kind)"
        for (statistic, value) in zip(statistics, values) {
            guard let value else { continue }
            switch statistic {
            case .approximatePercentile(let percent):
                let name = MetricName.distribution(of: field, sensor.id.kind)
                add(
                    .init(.number(value), labels: labels + [("quantile", "\(percent / 100)")]),
                    to: name.family, .summary, unit: name.unit,
                    help: "Quantiles \(about)\(Self.unit(field)).")
            case .count:
                let name = MetricName.statistic(
                    "samples", of: field, sensor.id.kind, hasUnit: false)
                add(
                    .init(.number(value), labels: labels), to: name.family, .gauge, unit: nil,
                    help: "The number \(about).")
            default:
                let name = MetricName.statistic("\(statistic)", of: field, sensor.id.kind)
                add(
                    .init(.number(value), labels: labels), to: name.family, .gauge,
                    unit: name.unit, help: "The \(statistic) \(about)\(Self.unit(field)).")
            }
        }
    }

    private static func unit(_ field: Field) -> String {
        guard let unit = field.unit, unit != "1" else { return "" }
        return ", in \(unit)"
    }

    private mutating func add(
        _ point: MetricFamily.Point, to name: String, _ kind: MetricFamily.Kind, unit: String?,
        help: String
    ) {
        // Fields of different sensors can have equal names and different units.
        var (name, end) = (name, unit)
        while let other = families[name], other.kind != kind || other.unit != end {
            name += "_value"
            end = nil
        }
        families[name, default: MetricFamily(name, kind, unit: end, help: help)]
            .points.append(point)
    }
}

/// What this process uses.
private enum ProcessUse {
    static var processorSeconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
        }
    }

    /// - Returns: `nil` without procfs.
    static var residentBytes: Int64? {
        guard let data = FileManager.default.contents(atPath: "/proc/self/statm") else {
            return nil
        }
        let words = String(decoding: data, as: UTF8.self).split(separator: " ")
        return words.count > 1 ? Int64(words[1]).map { $0 * Int64(getpagesize()) } : nil
    }
}

extension ExpositionFormat {
    /// The acceptable form with the highest quality; the text format without `Accept`.
    ///
    /// - Throws: `Problem` if neither is acceptable.
    fileprivate init(accept: String?) throws {
        guard let accept else {
            self = .text
            return
        }
        let best = ContentNegotiation.best(of: accept) { range -> ExpositionFormat? in
            switch range {
            case "application/openmetrics-text": .openMetrics
            case "text/plain", "text/*", "*/*": .text
            case "application/*": .openMetrics
            default: nil
            }
        }
        guard let best else {
            throw Problem(
                .notAcceptable,
                "Metrics are available as application/openmetrics-text and text/plain.")
        }
        self = best
    }
}
