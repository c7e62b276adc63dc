import Auth
import Connectors
import Foundation
import Samples
import TestSupport
import Testing
import Text
import VM

@testable import Provider

/// A form in which others read sensors of ``ServedHost/fillTemperatures()``, and what it shows of them.
///
/// ```swift
/// for dialect in Dialect.all {
///     let token = try await host.client(dialect.name)
///     let shown = try await dialect.read(host, token)
/// ```
struct Dialect: Sendable {
    /// What is shown of a sensor; `nil` for what the dialect never shows.
    struct View: Equatable, Sendable {
        /// The newest sample, if there is one.
        var newest: [ShownRow]?
        /// In the order of time.
        var samples: [ShownRow]?
        /// The windows of ``NativeView/windows`` that have samples.
        var windows: [NativeView.Window]?
        /// Statistics of the last ten minutes, by field and name; empty where samples are shown.
        var recent: [String: [String: Double]]?

        var rows: [ShownRow] { (newest ?? []) + (samples ?? []) }
        var hasStatistics: Bool { windows?.isEmpty == false || recent?.isEmpty == false }
    }

    static let sensors: [SensorID] = ["temperature.attic", "temperature.cellar"]

    /// The name of its client, too.
    let name: String
    /// The operations that the access log has for its reads.
    let operations: Set<String>
    /// Whether it is asked for a sensor by name, so that a refusal is recorded; otherwise it shows all sensors that are
    /// granted.
    var namesSensors = true
    /// The fields of samples that it shows.
    var fields: Set<String> = ["temperature", "opened", "window"]
    /// The statistics that it shows.
    var statistics: Set<String> = ["count", "sum", "mean", "stddev", "min", "max"]
    /// What it shows of each of ``sensors`` to the holder of a token.
    let read: @Sendable (ServedHost, _ token: String) async throws -> [SensorID: View]

    /// Home Assistant needs a broker.
    static var all: [Dialect] {
        [csv, lines, senML, eventStream, mergedStream, webSocket, batch, exposition, query]
            + [sensorThings, assistant]
            + (TestBroker.isInstalled && MessageWatch.isInstalled ? [homeAssistant] : [])
    }

    private static func each(
        _ read: (SensorID) async throws -> View
    ) async throws -> [SensorID: View] {
        var views: [SensorID: View] = [:]
        for sensor in sensors { views[sensor] = try await read(sensor) }
        return views
    }

    // MARK: - Forms of the API

    private static let csv = Dialect(name: "csv", operations: ["samples"]) { host, token in
        try await each { sensor in
            let answer = try await host.formattedSamples(of: sensor, "text/csv", token)
            guard answer.status == 200 else { return View(samples: []) }
            let lines = answer.text.split(whereSeparator: \.isNewline).map {
                $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            }
            let rows = lines.dropFirst().map { cells in
                let pairs = Dictionary(uniqueKeysWithValues: zip(lines[0], cells))
                return ShownRow(
                    time: Double(pairs["t"] ?? "") ?? .nan,
                    pairs.mapValues { text in
                        Double(text).map { "\($0)" } ?? text.replacing("\"", with: "")
                    })
            }
            return View(samples: Array(rows))
        }
    }

    private static let lines = Dialect(name: "ndjson", operations: ["samples"]) { host, token in
        try await each { sensor in
            let answer = try await host.formattedSamples(of: sensor, "application/x-ndjson", token)
            guard answer.status == 200 else { return View(samples: []) }
            let rows = try answer.text.split(separator: "\n").map { line in
                try ShownRow(StrictJSON().parse(Array(line.utf8)))
            }
            return View(samples: rows)
        }
    }

    private static let senML = Dialect(name: "senml", operations: ["samples", "latest"]) {
        host, token in
        try await each { sensor in
            let samples = try await host.formattedSamples(
                of: sensor, "application/senml+json", token)
            let latest = try await host.send(
                Call(
                    "GET", "/api/v1/sensors/\(sensor)/latest", token: token,
                    headers: [("Accept", "application/senml+json")]))
            return View(
                newest: try rows(ofPack: latest), samples: try rows(ofPack: samples))
        }
    }

    private static func rows(ofPack answer: Answer) throws -> [ShownRow] {
        guard answer.status == 200 else { return [] }
        var rows: [ShownRow] = []
        for record in try answer.json().array ?? [] {
            if let time = record["bt"]?.number?.double {
                rows.append(ShownRow(time: (time * 1000).rounded(), [:]))
            }
            guard let name = record["n"]?.string, !rows.isEmpty else { continue }
            rows[rows.count - 1].values[name] =
                (record["v"] ?? record["vs"]).map(ShownRow.text)
        }
        return rows
    }

    private static let batch = Dialect(name: "batch", operations: ["samples", "latest", "stats"]) {
        host, token in
        try await each { sensor in
            let paths = host.nativePaths(of: sensor.description).map { #"{"path": "\#($0)"}"# }
            let answer = try await host.send(
                Call(
                    "POST", "/api/v1/batch", token: token,
                    json: #"{"calls": [\#(paths.joined(separator: ", "))]}"#))
            let items = try answer.json()["items"]?.array ?? []
            let isOne = items.count == paths.count
            let view = NativeView(isOne ? items.map { $0["body"] } : [nil, nil, nil])
            return View(
                newest: view.latest.map { [ShownRow($0)] } ?? [],
                samples: view.samples.map(ShownRow.init), windows: view.filled)
        }
    }

    // MARK: - Streams

    private static let eventStream = Dialect(name: "event-stream", operations: ["stream"]) {
        host, token in
        try await each { sensor in
            let last = await host.machine.status(of: sensor)?.newest?.sequence ?? 0
            var view = View(samples: [])
            try await host.stream(of: sensor.description, after: "0", token: token) { events in
                // The position is sent also when the last samples are not shown.
                await events.read { events in
                    !events.text.contains("HTTP/1.1 200")
                        || (events.positions.last ?? 0) >= last
                }
                view.samples = try events.sampleData.map(ShownRow.init)
            }
            return view
        }
    }

    /// A stream of both sensors, and of `gauge`, whose sample is the last.
    private static let streamed = "sensors=temperature.attic@0,temperature.cellar@0,gauge@0"

    private static let mergedStream = Dialect(name: "merged-stream", operations: ["stream"]) {
        host, token in
        var found: [JSONValue] = []
        try await host.events(
            of: "/api/v1/stream?\(streamed)", after: nil, token: token,
            begun: { $0.text.contains("\n\n") }
        ) { events in
            await events.read { events in
                !events.text.contains("HTTP/1.1 200")
                    || events.text.contains(#""sensor":"gauge""#)
            }
            found = try events.sampleData
        }
        return bySensor(found)
    }

    private static let webSocket = Dialect(name: "websocket", operations: ["stream"]) {
        host, token in
        var found: [JSONValue] = []
        try await host.socket(streamed, token: token) { socket in
            await socket.read { socket in
                !socket.head.contains("101")
                    || socket.messages.contains { $0.contains(#""sensor":"gauge""#) }
            }
            found = try socket.messages.compactMap { message in
                let json = try StrictJSON().parse(Array(message.utf8))
                return json["event"]?.string == "sample" ? json["data"] : nil
            }
        }
        return bySensor(found)
    }

    private static func bySensor(_ samples: [JSONValue]) -> [SensorID: View] {
        var views = Dictionary(uniqueKeysWithValues: sensors.map { ($0, View(samples: [])) })
        for sample in samples {
            guard let id = sample["sensor"]?.string.flatMap({ SensorID($0) }) else { continue }
            views[id]?.samples?.append(ShownRow(sample))
        }
        return views
    }

    // MARK: - Other protocols

    private static let exposition = Dialect(
        name: "prometheus", operations: ["latest", "stats"], namesSensors: false,
        statistics: ["mean", "stddev", "samples"]
    ) { host, token in
        let answer = try await host.send(Call("GET", "/metrics", token: token))
        let lines = answer.status == 200 ? ExpositionLine.lines(answer.text) : []
        return try await each { sensor in
            var view = View(newest: [], recent: [:])
            var newest: [String: String] = [:]
            for line in lines where line.labels["sensor"] == sensor.description {
                guard let field = line.labels["field"] else { continue }
                let statistic = line.name.firstMatch(of: /_(mean|stddev|samples)(_|$)/)
                if let statistic {
                    view.recent?[field, default: [:]][String(statistic.1)] = line.value
                } else if line.labels["quantile"] == nil {
                    newest[field] = line.labels["state"] ?? "\(line.value)"
                    view.newest = [ShownRow(time: line.time ?? .nan, newest)]
                }
            }
            return view
        }
    }

    private static let query = Dialect(
        name: "prometheus-query", operations: ["samples", "stats"], namesSensors: false,
        fields: ["temperature", "opened"],
        statistics: ["count", "sum", "mean", "min", "max"]
    ) { host, token in
        let names = #"{__name__=~"sensor_temperature_(celsius|opened)"}"#
        var windows: [SensorID: [Double: [String: [String: Double]]]] = [:]
        for (function, statistic) in [
            ("count", "count"), ("sum", "sum"), ("avg", "mean"), ("min", "min"), ("max", "max"),
        ] {
            let series = try await host.rangeQuery("\(function)_over_time(\(names)[1m])", token)
            for one in series {
                guard let sensor = one.sensor else { continue }
                for (time, value) in one.values {
                    windows[sensor, default: [:]][time, default: [:]][
                        one.field, default: [:]][statistic] = value
                }
            }
        }
        return try await each { sensor in
            View(
                windows: (windows[sensor] ?? [:]).sorted { $0.key < $1.key }.map { time, values in
                    NativeView.Window(
                        from: (time - 60) * 1000, to: time * 1000,
                        count: values["temperature"]?["count"], values: values)
                })
        }
    }

    private static let sensorThings = Dialect(name: "sensorthings", operations: ["samples"]) {
        host, token in
        try await each { sensor in
            var rows: [Double: [String: String]] = [:]
            for field in ["temperature", "opened", "window"] {
                var next: String? =
                    "/sensorthings/v1.1/Datastreams(%27\(sensor):\(field)%27)/Observations?$top=1000"
                while let target = next {
                    let answer = try await host.send(Call("GET", target, token: token))
                    next = nil
                    guard answer.status == 200 else { continue }
                    for item in try answer.json()["value"]?.array ?? [] {
                        let time = item["phenomenonTime"]?.string.flatMap {
                            Timestamp(rfc3339: $0)
                        }
                        rows[Double(time?.microseconds ?? 0) / 1000, default: [:]][field] =
                            item["result"].map(ShownRow.text)
                    }
                    next = try answer.json()["@iot.nextLink"]?.string.map { link in
                        String(link.dropFirst("http://localhost:\(host.port)".count))
                    }
                }
            }
            return View(
                samples: rows.sorted { $0.key < $1.key }.map { ShownRow(time: $0.key, $0.value) })
        }
    }

    private static let assistant = Dialect(
        name: "assistant", operations: ["samples", "latest", "stats"]
    ) { host, token in
        try await each { sensor in
            let view = try await Assistant(host, token: token).view(of: sensor.description)
            return View(
                newest: view.latest.map { [$0] } ?? [], samples: view.samples,
                windows: view.windows.filter { $0.count.map { $0 > 0 } ?? false })
        }
    }

    private static let homeAssistant = Dialect(
        name: HomeAssistantPublisher.clientName, operations: ["latest", "stats"],
        namesSensors: false, statistics: ["mean", "stddev", "min", "max", "samples", "from", "to"]
    ) { host, token in
        let broker = try TestBroker()
        try broker.start()
        var views: [SensorID: View] = [:]
        try await host.publishing(at: broker, token: token) { watch in
            // The publisher is online after its first look at all sensors.
            try await watch.until(ServedHost.homeAssistantTopics.status) { $0 == "online" }
            for sensor in sensors {
                var view = View(newest: [], recent: [:])
                let topics = ServedHost.homeAssistantTopics
                if let text = watch.last(topics.values(of: sensor)) {
                    let latest = try StrictJSON().parse(Array(text.utf8))
                    view.newest = [ShownRow(time: .nan, latest)]
                }
                if let text = watch.last(topics.statistics(of: sensor)) {
                    let fields = try StrictJSON().parse(Array(text.utf8)).object ?? []
                    for field in fields {
                        view.recent?[field.key] = Dictionary(
                            uniqueKeysWithValues: (field.value.object ?? []).compactMap { one in
                                let time = one.value.string.flatMap { Timestamp(rfc3339: $0) }
                                let number =
                                    one.value.number?.double
                                    ?? time.map { Double($0.microseconds) / 1000 }
                                return number.map { (one.key, $0) }
                            })
                    }
                }
                views[sensor] = view
            }
        }
        return views
    }
}

/// A sample that a dialect shows: numbers and states as texts.
struct ShownRow: Equatable, Sendable {
    /// In milliseconds since 1970; not a number if the dialect does not show it.
    let time: Double
    var values: [String: String]

    init(time: Double, _ values: [String: String]) {
        self.time = time
        self.values = values.filter { ["temperature", "opened", "window"].contains($0.key) }
    }

    init(time: Double, _ json: JSONValue) {
        self.init(
            time: time,
            Dictionary(
                uniqueKeysWithValues: (json.object ?? []).map { ($0.key, Self.text($0.value)) }))
    }

    /// - Parameter json: a sample of the API.
    init(_ json: JSONValue) {
        self.init(time: json["t"]?.number?.double ?? .nan, json)
    }

    init(_ row: NativeView.Row) {
        self.init(time: row.time, row.values.mapValues(Self.text))
    }

    static func text(_ value: JSONValue) -> String {
        value.number.map { "\($0.double)" } ?? value.string ?? value.line
    }

    static func == (left: ShownRow, right: ShownRow) -> Bool {
        left.values == right.values
            && (left.time == right.time || left.time.isNaN || right.time.isNaN)
    }
}

/// A line of the text format of Prometheus.
struct ExpositionLine: Equatable {
    let name: String
    let labels: [String: String]
    let value: Double
    let time: Double?

    /// The samples of an exposition whose label values have no escapes.
    static func lines(_ text: String) -> [ExpositionLine] {
        text.split(separator: "\n").compactMap { line in
            guard let match = line.wholeMatch(of: /([a-z_0-9]+)(?:\{(.*)\})? (\S+)(?: (\S+))?/)
            else { return nil }
            let labels = (match.2 ?? "").matches(of: /([a-z_]+)="((?:[^"\\]|\\.)*)"/).map {
                (String($0.1), String($0.2))
            }
            return ExpositionLine(
                name: String(match.1), labels: Dictionary(labels) { first, _ in first },
                value: Double(match.3) ?? .nan, time: match.4.flatMap { Double($0) })
        }
    }
}

extension EventReader {
    /// The ids, also of positions without a sample.
    fileprivate var positions: [Int64] {
        text.matches(of: /id: (\d+)\n/).compactMap { Int64($0.1) }
    }

    fileprivate var sampleData: [JSONValue] {
        get throws {
            try text.matches(of: /event: sample\ndata: ([^\n]*)\n/).map {
                try StrictJSON().parse(Array($0.1.utf8))
            }
        }
    }
}

extension ServedHost {
    fileprivate func formattedSamples(
        of sensor: SensorID, _ type: String, _ token: String
    ) async throws -> Answer {
        try await send(
            Call(
                "GET", "/api/v1/sensors/\(sensor)/samples?limit=10000", token: token,
                headers: [("Accept", type)]))
    }

    /// A series of an answer to a query of Prometheus.
    struct Series {
        let sensor: SensorID?
        let field: String
        /// By time in seconds since 1970.
        let values: [Double: Double]
    }

    /// A query at each minute of ``temperatureRange``; no series if it is refused.
    func rangeQuery(_ query: String, _ token: String) async throws -> [Series] {
        let range = temperatureRange
        let (from, to) = (range.from.microseconds / 1_000_000, range.to.microseconds / 1_000_000)
        let answer = try await send(
            Call(
                "GET",
                "/prometheus/api/v1/query_range?start=\(from + 60)&end=\(to)&step=60&query="
                    + query.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(),
                token: token))
        return try (answer.json()["data"]?["result"]?.array ?? []).map { series in
            let pairs = (series["values"]?.array ?? []).map { pair in
                (
                    pair.array?[0].number?.double ?? .nan,
                    Double(pair.array?[1].string ?? "") ?? .nan
                )
            }
            return Series(
                sensor: series["metric"]?["sensor"]?.string.flatMap { SensorID($0) },
                field: series["metric"]?["field"]?.string ?? "",
                values: Dictionary(uniqueKeysWithValues: pairs))
        }
    }
}
