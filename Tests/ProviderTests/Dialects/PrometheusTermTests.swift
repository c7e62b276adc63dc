import Auth
import Samples
import Testing
import Text

@testable import Provider

/// What Prometheus and clients of its query API see of a sensor is what the native routes show, under every term.
@Suite(.timeLimit(.minutes(10)))
struct PrometheusTermTests {
    private static let sensors = ["temperature.attic", "temperature.cellar"]
    private static let name = "sensor_temperature_celsius"

    /// A host with samples, and the tokens of two clients with the same decision.
    private static func with(
        _ term: GrantTermCase,
        _ body: @Sendable (ServedHost, _ dialect: String, _ native: String) async throws -> Void
    ) async throws {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            let (dialect, native) = (
                try await host.client("dialect"), try await host.client("native")
            )
            for client in ["dialect", "native"] { try await host.decide(term, by: client) }
            try await body(host, dialect, native)
        }
    }

    private static func close(_ one: Double?, _ other: Double?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return abs(one - other) <= 1e-9 * max(1, abs(other))
    }

    // MARK: - Exposition

    @Test(arguments: GrantTermCase.all)
    func `the exposition has the newest sample that the native route shows`(
        term: GrantTermCase
    ) async throws {
        try await Self.with(term) { host, dialect, native in
            let answer = try await host.send(Call("GET", "/metrics", token: dialect))
            #expect(answer.status == 200)
            let lines = ExpositionLine.lines(answer.text)
            for sensor in Self.sensors {
                let view = try await host.nativeView(of: sensor, token: native)
                let own = lines.filter { $0.labels["sensor"] == sensor }
                func newest(_ name: String) -> ExpositionLine? { own.first { $0.name == name } }
                let temperature = newest(Self.name)
                #expect(temperature?.value == view.latest?.number("temperature"))
                #expect(temperature?.time == view.latest?.time)
                #expect(newest("sensor_temperature_opened")?.value == view.latest?.number("opened"))
                #expect(
                    newest("sensor_temperature_window_state")?.labels["state"]
                        == view.latest?.values["window"]?.string)
                try await Self.checkDistribution(own, of: sensor, view, host, native)
                let isShown = view.latest != nil || !view.windows.isEmpty
                #expect((newest("sensor_info") != nil) == isShown)
                #expect(own.isEmpty == !isShown)
            }
            let written = try await host.accessLines(of: "dialect")
            let reference = try await host.accessLines(of: "native")
            #expect(written.filter { $0.sensor != nil }.isSubset(of: reference))
            for sensor in Self.sensors.compactMap({ SensorID($0) }) {
                let isShown = lines.contains { $0.labels["sensor"] == sensor.description }
                let line = AccessLine(
                    kind: .access, sensor: sensor, access: term.shown == .samples ? .raw : .stats,
                    operation: term.shown == .samples ? "latest" : "stats")
                #expect(written.contains(line) == isShown)
            }
            #expect(!answer.text.contains("nervous_"))
        }
    }

    /// Only under a statistics-only grant there is a distribution, which is that of the native route.
    private static func checkDistribution(
        _ lines: [ExpositionLine], of sensor: String, _ view: NativeView, _ host: ServedHost,
        _ token: String
    ) async throws {
        let quantiles = lines.filter { $0.name == "sensor_temperature_distribution_celsius" }
        guard view.latest == nil, !view.windows.isEmpty else {
            #expect(quantiles.isEmpty)
            return
        }
        let now = host.clock.now.microseconds / 1000
        let fn = "p0~,p5~,p25~,p50~,p75~,p95~,p100~,mean,stddev,count"
        let answer = try await host.send(
            Call(
                "GET", "/api/v1/sensors/\(sensor)/stats?from=\(now - 600_000)&to=\(now)&fn=\(fn)",
                token: token)
        ).json()
        let values = try #require(answer["items"]?.array?.first?["values"]?["temperature"])
        #expect(quantiles.count == 7)
        for line in quantiles {
            let percent = (Double(line.labels["quantile"] ?? "") ?? -1) * 100
            #expect(close(line.value, values["p\(Int(percent.rounded()))~"]?.number?.double))
        }
        for (name, statistic) in [
            ("mean_celsius", "mean"), ("stddev_celsius", "stddev"), ("samples", "count"),
        ] {
            let line = lines.first { $0.name == "sensor_temperature_\(name)" }
            #expect(line != nil && close(line?.value, values[statistic]?.number?.double), "\(name)")
        }
    }

    // MARK: - Queries

    /// The values of a query at each minute, by sensor; `nil` with the answer if there is an error.
    private static func values(
        _ query: String, _ host: ServedHost, _ token: String
    ) async throws -> (values: [String: [Double: Double]], answer: Answer) {
        let range = host.temperatureRange
        let (from, to) = (
            range.from.microseconds / 1_000_000, range.to.microseconds / 1_000_000
        )
        let answer = try await host.send(
            Call(
                "GET",
                "/prometheus/api/v1/query_range?start=\(from + 60)&end=\(to)&step=60&query="
                    + query.utf8.map { "%" + hexadecimal($0) }.joined(), token: token))
        var found: [String: [Double: Double]] = [:]
        for series in try answer.json()["data"]?["result"]?.array ?? [] {
            let pairs = (series["values"]?.array ?? []).map { pair in
                (
                    pair.array?[0].number?.double ?? .nan,
                    Double(pair.array?[1].string ?? "") ?? .nan
                )
            }
            found[series["metric"]?["sensor"]?.string ?? ""] = Dictionary(
                uniqueKeysWithValues: pairs)
        }
        return (found, answer)
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16)
        return text.count == 1 ? "0" + text : text
    }

    @Test(arguments: GrantTermCase.all)
    func `functions of windows are the native statistics`(term: GrantTermCase) async throws {
        try await Self.with(term) { host, dialect, native in
            for (function, statistic) in [
                ("avg", "mean"), ("min", "min"), ("max", "max"), ("sum", "sum"), ("count", "count"),
            ] {
                let (found, answer) = try await Self.values(
                    "\(function)_over_time(\(Self.name)[1m])", host, dialect)
                #expect(answer.status == 200, "\(answer.text)")
                for sensor in Self.sensors {
                    let view = try await host.nativeView(of: sensor, token: native)
                    let expected = view.windows.compactMap { window -> (Double, Double)? in
                        guard let count = window.count, count > 0,
                            let value = window.values["temperature"]?[statistic]
                        else { return nil }
                        return (window.to / 1000, value)
                    }
                    #expect((found[sensor] ?? [:]).count == expected.count, "\(function) \(sensor)")
                    for (time, value) in expected {
                        #expect(Self.close(found[sensor]?[time], value), "\(function) at \(time)")
                    }
                }
            }
            let written = try await host.accessLines(of: "dialect").filter { $0.sensor != nil }
            #expect(written.isSubset(of: try await host.accessLines(of: "native")))
            let line = AccessLine(
                kind: .access, sensor: "temperature.attic", access: .stats, operation: "stats")
            #expect(written.contains(line) == (term.shown != .nothing))
        }
    }

    @Test(arguments: GrantTermCase.all)
    func `a selector has the samples that the native route shows`(term: GrantTermCase) async throws
    {
        try await Self.with(term) { host, dialect, native in
            let (found, answer) = try await Self.values(Self.name, host, dialect)
            let isRefused = term.shown == .statistics
            #expect(answer.status == (isRefused ? 422 : 200), "\(answer.text)")
            let range = host.temperatureRange
            for sensor in Self.sensors {
                let samples = try await host.nativeView(of: sensor, token: native).samples
                var time = Double(range.from.microseconds / 1000) + 60_000
                while time <= Double(range.to.microseconds / 1000) {
                    let newest = samples.last { $0.time <= time && $0.time > time - 300_000 }
                    #expect(
                        found[sensor]?[time / 1000] == newest?.number("temperature"),
                        "\(sensor) at \(time)")
                    time += 60_000
                }
            }
        }
    }

    @Test(arguments: GrantTermCase.all)
    func `rates need the samples that the native route shows`(term: GrantTermCase) async throws {
        try await Self.with(term) { host, dialect, native in
            let (found, answer) = try await Self.values("increase(\(Self.name)[5m])", host, dialect)
            #expect(answer.status == (term.shown == .statistics ? 422 : 200), "\(answer.text)")
            let range = host.temperatureRange
            for sensor in Self.sensors {
                let samples = try await host.nativeView(of: sensor, token: native).samples
                var time = Double(range.from.microseconds / 1000) + 60_000
                while time <= Double(range.to.microseconds / 1000) {
                    let count = samples.count { $0.time <= time && $0.time > time - 300_000 }
                    #expect((found[sensor]?[time / 1000] != nil) == (count >= 2))
                    time += 60_000
                }
            }
            let reference = try await host.accessLines(of: "native")
            #expect(
                try await host.accessLines(of: "dialect").filter { $0.sensor != nil }
                    .isSubset(of: reference))
        }
    }

    @Test(arguments: GrantTermCase.all)
    func `labels name only sensors of which something is shown`(term: GrantTermCase) async throws {
        try await Self.with(term) { host, dialect, native in
            let answer = try await host.send(
                Call("GET", "/prometheus/api/v1/label/sensor/values", token: dialect)
            ).json()
            var shown: [String] = []
            for sensor in Self.sensors {
                let view = try await host.nativeView(of: sensor, token: native)
                if view.latest != nil || !view.windows.isEmpty { shown.append(sensor) }
            }
            #expect(answer["data"]?.array?.compactMap(\.string) == shown)
        }
    }

    // MARK: - Revocation

    @Test(arguments: GrantRevocation.allCases)
    func `a revocation affects the next scrape and the next query`(
        revocation: GrantRevocation
    ) async throws {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            let token = try await host.client("dialect", allow: ["sensor:temperature"])
            func scrape() async throws -> Answer {
                try await host.send(Call("GET", "/metrics", token: token))
            }
            #expect(try await scrape().text.contains("\n\(Self.name){"))
            #expect(try await !Self.values(Self.name, host, token).values.isEmpty)
            try await revocation.apply(to: host, client: "dialect")
            let answer = try await scrape()
            #expect(answer.status == (revocation == .tokenRevoked ? 401 : 200))
            #expect(!answer.text.contains("\n\(Self.name){"))
            let (found, query) = try await Self.values(Self.name, host, token)
            #expect(found.isEmpty)
            let status =
                switch revocation {
                case .tokenRevoked: 401
                case .narrowed: 422
                case .denied, .expired: 200
                }
            #expect(query.status == status, "\(query.text)")
        }
    }
}
