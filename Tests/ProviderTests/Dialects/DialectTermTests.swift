import Auth
import Connectors
import Foundation
import Samples
import TestSupport
import Testing
import Text

@testable import Provider

/// Every dialect under every term: what it shows to a client is what the native routes show it, and the access log
/// has it.
@Suite(.blocking, .timeLimit(.minutes(20)))
struct DialectTermTests {
    private static let isLong = ProcessInfo.processInfo.environment["NERVOUS_LONG_TESTS"] == "1"
    private static let seed = UInt64.random(in: .min ... .max)

    private static let terms =
        GrantTermCase.all + GrantTermCase.narrowed
        + GrantTermCase.random(isLong ? 100 : 4, seed: seed)

    @Test(arguments: terms)
    func `each dialect shows what the native routes show, and the log has it`(
        term: GrantTermCase
    ) async throws {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            await host.gauge(1)
            let native = try await host.holder(of: term, "native")
            for dialect in Dialect.all {
                let token = try await host.holder(of: term, dialect.name)
                let shown = try await dialect.read(host, token)
                for sensor in Dialect.sensors {
                    let note: Comment = "\(dialect.name), \(sensor)"
                    let view = try #require(shown[sensor], note)
                    try await Self.compare(view, of: sensor, dialect, host, native, note)
                    try await Self.checkLog(of: view, sensor, dialect, host, native, note)
                }
            }
        }
    }

    @Test(arguments: GrantRevocation.allCases)
    func `after a revocation each dialect shows what the native routes still show`(
        revocation: GrantRevocation
    ) async throws {
        for dialect in Dialect.all {
            try await ServedHost.with { host in
                try await host.fillTemperatures()
                await host.gauge(1)
                let allowed = ["sensor:temperature", "sensor:gauge"]
                let token = try await host.client(dialect.name, allow: allowed)
                let before = try await dialect.read(host, token)
                #expect(before.values.allSatisfy { $0 != .nothing(like: $0) }, "\(dialect.name)")
                try await revocation.apply(to: host, client: dialect.name)
                let after = try await dialect.read(host, token)
                for sensor in Dialect.sensors {
                    let view = try #require(after[sensor])
                    let note: Comment = "\(dialect.name), \(sensor)"
                    try await Self.compare(view, of: sensor, dialect, host, token, note)
                    #expect(view.rows.isEmpty, note)
                    #expect(
                        view.hasStatistics
                            == (revocation == .narrowed
                                && before[sensor]?.canShowStatistics == true),
                        note)
                }
            }
        }
    }

    @Test(arguments: [Decision.allowAlways, .statisticsOnly])
    func `a sensor that is unavailable is not shown with samples of others of its kind`(
        decision: Decision
    ) async throws {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            let declared = try await host.send(
                Call(
                    "PUT", "/api/v1/sensors/battery.phone", token: host.owner,
                    json: #"{"fields": [{"name": "charge", "unit": "%"}]}"#))
            #expect(declared.status == 201)
            let start = host.temperatureRange.from.microseconds / 1000
            let rows = (0..<600).map { "\(start + Int64($0) * 2000 + 1000),\($0 % 100)" }
            let published = try await host.publish(
                "t,charge\n" + rows.joined(separator: "\n") + "\n", as: "text/csv",
                to: "battery.phone")
            #expect(published.status == 201)
            func client(_ name: String) async throws -> String {
                let token = try await host.client(name)
                try await host.decide(decision, "sensor:battery", by: name)
                return token
            }
            let token = try await client("dialect")
            // The native route resolves the name of the kind.
            let native = try await host.send(
                Call("GET", "/api/v1/sensors/battery/stats", token: token))
            #expect(native.status == 200)
            let answer = try await host.send(Call("GET", "/metrics", token: token))
            let valued = ExpositionLine.lines(answer.text)
                .filter { $0.labels["field"] != nil }.compactMap { $0.labels["sensor"] }
            #expect(Set(valued) == ["battery.phone"])
            let query = #"count_over_time({__name__=~"sensor_battery.*"}[1m])"#
            #expect(try await host.rangeQuery(query, token).map(\.sensor) == ["battery.phone"])
            let path = "/sensorthings/v1.1/Datastreams(%27battery:charge%27)/Observations"
            let observations = try await host.send(Call("GET", path, token: token))
            #expect(try (observations.json()["value"]?.array ?? []).isEmpty)
            guard TestBroker.isInstalled, MessageWatch.isInstalled else { return }
            let broker = try TestBroker()
            try broker.start()
            let publisher = try await client(HomeAssistantPublisher.clientName)
            try await host.publishing(at: broker, token: publisher) { watch in
                let topics = ServedHost.homeAssistantTopics
                try await watch.until(topics.status) { $0 == "online" }
                #expect(watch.last(topics.announcement(of: "battery")) == nil)
                #expect(watch.last(topics.announcement(of: "battery.phone")) != nil)
            }
        }
    }

    // MARK: - Streams

    /// An open stream of `temperature.attic`.
    enum OpenStream: String, CaseIterable, CustomTestStringConvertible {
        case ofOne, ofMany, webSocket

        var testDescription: String { rawValue }

        /// Reads from it, changes something when it has begun, and reads until it ends.
        ///
        /// - Returns: all that has arrived.
        func text(
            from host: ServedHost, _ token: String, change: () async throws -> Void
        ) async throws -> String {
            let path = "/api/v1/sensors/temperature.attic/stream"
            var text = ""
            switch self {
            case .ofOne, .ofMany:
                let many = "/api/v1/stream?sensors=temperature.attic"
                try await host.events(
                    of: self == .ofOne ? path : many, after: nil, token: token,
                    begun: { $0.text.contains("id: ") }
                ) { events in
                    try await change()
                    await events.read {
                        $0.text.contains("event: problem") || $0.text.contains("event: refused")
                    }
                    text = events.text
                }
            case .webSocket:
                try await host.socket("sensors=temperature.attic", token: token) { socket in
                    await socket.read { !$0.messages.isEmpty }
                    try await change()
                    await socket.read { socket in
                        socket.messages.contains {
                            $0.contains(#""event":"problem""#) || $0.contains(#""event":"refused""#)
                        }
                    }
                    text = socket.messages.joined(separator: "\n")
                }
            }
            return text
        }
    }

    @Test(arguments: OpenStream.allCases, GrantRevocation.allCases)
    func `a revocation ends an open stream before the next sample`(
        stream: OpenStream, revocation: GrantRevocation
    ) async throws {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            let token = try await host.client("dialect", allow: ["sensor:temperature"])
            func publish(_ value: Double) async throws {
                let sample = #"{"temperature": \#(value), "opened": 1, "window": "open"}"#
                let answer = try await host.publish(sample, to: "temperature.attic")
                #expect(answer.status == 201)
            }
            let text = try await stream.text(from: host, token) {
                try await publish(31.25)
                try await revocation.apply(to: host, client: "dialect")
                try await publish(47.75)
            }
            #expect(!text.contains("47.75"))
            let code =
                switch revocation {
                case .denied: "denied"
                case .narrowed: "statistics-only"
                case .expired: "undecided"
                case .tokenRevoked: "invalid-token"
                }
            #expect(text.contains(#""code":"\#(code)""#), "\(text)")
        }
    }

    // MARK: - Comparing

    /// Compares what is shown of a sensor with what the native routes show the holder of another token.
    private static func compare(
        _ view: Dialect.View, of sensor: SensorID, _ dialect: Dialect, _ host: ServedHost,
        _ token: String, _ note: Comment
    ) async throws {
        let native = try await host.nativeView(of: sensor.description, token: token)
        func row(_ row: NativeView.Row) -> ShownRow {
            ShownRow(
                time: row.time,
                ShownRow(row).values.filter { dialect.fields.contains($0.key) })
        }
        if let newest = view.newest {
            #expect(newest == native.latest.map { [row($0)] } ?? [], note)
        }
        if let samples = view.samples { #expect(samples == native.samples.map(row), note) }
        if let windows = view.windows {
            #expect(windows.map(\.from) == native.filled.map(\.from), note)
            #expect(windows.map(\.to) == native.filled.map(\.to), note)
            #expect(windows.map(\.count) == native.filled.map(\.count), note)
            for (window, expected) in zip(windows, native.filled) {
                #expect(isClose(window.values, expected.values, dialect), note)
            }
        }
        if let recent = view.recent {
            let isShown = native.codes[1] == nil
            let expected = isShown ? [:] : try await host.recentStatistics(of: sensor, token)
            #expect(isClose(recent, expected, dialect), note)
        }
    }

    private static func isClose(
        _ shown: [String: [String: Double]], _ native: [String: [String: Double]],
        _ dialect: Dialect
    ) -> Bool {
        shown.keys == native.keys
            && native.allSatisfy { field, values in
                let wanted = values.filter { dialect.statistics.contains($0.key) }
                let found = (shown[field] ?? [:]).filter { dialect.statistics.contains($0.key) }
                return found.keys == wanted.keys
                    && wanted.allSatisfy { name, value in
                        abs((found[name] ?? .nan) - value) <= 1e-9 * max(1, abs(value))
                    }
            }
    }

    /// Each read of a sensor is in the access log with the samples that it returned, and each refusal where the dialect
    /// names the sensor; nothing else is.
    private static func checkLog(
        of view: Dialect.View, _ sensor: SensorID, _ dialect: Dialect, _ host: ServedHost,
        _ token: String, _ note: Comment
    ) async throws {
        let entries = try await host.authority.log.entries(
            AccessLogQuery(client: dialect.name, limit: 10_000)
        ).filter { $0.outcome != nil && $0.sensor == sensor }
        let reads = entries.filter { $0.kind == .access }
        #expect(
            Set(entries.compactMap(\.operation)).isSubset(of: dialect.operations),
            "\(note): \(entries)")
        let samples = reads.filter { $0.access == .raw }
        #expect(samples.isEmpty == view.rows.isEmpty, note)
        #expect(samples.map(\.count).reduce(0, +) >= view.rows.count, note)
        if view.hasStatistics { #expect(reads.contains { $0.access == .stats }, note) }
        let native = try await host.nativeView(of: sensor.description, token: token)
        let isRefused = native.codes[1] != nil && dialect.namesSensors
        if isRefused { #expect(entries.contains { $0.kind == .refusal }, note) }
        #expect(native.codes[1] != nil || entries.allSatisfy { $0.kind != .refusal }, note)
    }
}

extension Dialect.View {
    /// The same kinds of content without any.
    static func nothing(like view: Dialect.View) -> Dialect.View {
        Dialect.View(
            newest: view.newest.map { _ in [] }, samples: view.samples.map { _ in [] },
            windows: view.windows.map { _ in [] }, recent: view.recent.map { _ in [:] })
    }

    fileprivate var canShowStatistics: Bool { windows != nil || recent != nil }
}

extension ServedHost {
    /// A client with a decision, and its token as it uses it.
    fileprivate func holder(of term: GrantTermCase, _ name: String) async throws -> String {
        let token = try await client(name, allow: ["sensor:gauge"])
        try await decide(term, by: name)
        guard let caveat = term.caveat else { return token }
        return try AttenuatedToken(narrowing: token, by: caveat).text
    }

    /// The statistics of the last ten minutes, by field, with the number of samples and the bounds of the window; empty if
    /// they are refused or suppressed.
    fileprivate func recentStatistics(
        of sensor: SensorID, _ token: String
    ) async throws -> [String: [String: Double]] {
        let now = clock.now.microseconds / 1000
        let path = "stats?from=\(now - 600_000)&to=\(now)&fn=mean,stddev,min,max"
        let answer = try await send(
            Call("GET", "/api/v1/sensors/\(sensor)/\(path)", token: token)
        ).json()
        guard let window = answer["items"]?.array?.first,
            let count = window["count"]?.number?.double
        else { return [:] }
        var about = ["samples": count]
        for name in ["from", "to"] { about[name] = window[name]?.number?.double }
        return NativeView.statistics(of: window).mapValues { values in
            values.merging(about) { first, _ in first }
        }
    }
}
