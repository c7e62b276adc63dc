import Auth
import Foundation
import Samples
import TestSupport
import Testing
import Text

@testable import Provider

/// The terms of a grant, one at a time, for tests that a dialect shows a client what the native routes show it.
///
/// ```swift
/// @Test(arguments: GrantTermCase.all)
/// func `the dialect shows what the native routes show`(term: GrantTermCase) async throws {
///     try await ServedHost.with { host in
///         try await host.fillTemperatures()
///         let token = try await host.client("dialect")
///         try await host.decide(term, by: "dialect")
///         let native = try await host.nativeView(of: "temperature.attic", token: token)
///         …
/// ```
struct GrantTermCase: CustomTestStringConvertible, Sendable {
    /// What the native routes show of `temperature.attic`.
    enum Shown: Hashable {
        case samples, statistics, nothing
    }

    let name: String
    var access = Access.raw
    /// The decision at a time; `nil` for none.
    let decision: @Sendable (Timestamp) -> Decision?
    let shown: Shown
    /// The problem of a refused call for samples; `nil` where they are shown.
    var code: String?
    /// Whether the grant excludes `temperature.cellar`.
    var excludesCellar = false
    /// By what the client narrows its own token before it uses it.
    var caveat: Caveat?

    /// The decision is about the kind, `sensor:temperature` or `sensor:temperature:stats`.
    var privilege: String { access == .stats ? "sensor:temperature:stats" : "sensor:temperature" }

    var testDescription: String { name }

    static let all = [
        GrantTermCase(name: "all samples", decision: { _ in .allowAlways }, shown: .samples),
        GrantTermCase(
            name: "rate", decision: { _ in .allow(Terms(access: .raw, maximumRate: 0.1)) },
            shown: .samples),
        GrantTermCase(
            name: "precision", decision: { _ in .allow(Terms(access: .raw, precision: 0.5)) },
            shown: .samples),
        GrantTermCase(
            name: "history", decision: { _ in .allow(Terms(access: .raw, history: .seconds(310))) },
            shown: .samples),
        GrantTermCase(
            name: "rate, precision and history",
            decision: { _ in
                .allow(
                    Terms(
                        access: .raw, maximumRate: 0.05, precision: 2, history: .seconds(610)))
            }, shown: .samples),
        GrantTermCase(
            name: "only",
            decision: { _ in
                .allow(
                    Terms(
                        access: .raw,
                        only: InstanceChoice(
                            ["temperature.attic"], excluding: ["temperature.cellar"])))
            }, shown: .samples, excludesCellar: true),
        GrantTermCase(
            name: "not yet expired",
            decision: {
                .allow(Terms(access: .raw, expires: $0.advanced(byMicroseconds: 60_000_000)))
            }, shown: .samples),
        GrantTermCase(
            name: "statistics only", access: .stats, decision: { _ in .allowAlways },
            shown: .statistics, code: "statistics-only"),
        GrantTermCase(
            name: "statistics only with history and precision", access: .stats,
            decision: { _ in
                .allow(Terms(access: .stats, precision: 0.5, history: .seconds(610)))
            }, shown: .statistics, code: "statistics-only"),
        GrantTermCase(
            name: "expired",
            decision: { .allow(Terms(access: .raw, expires: $0.advanced(byMicroseconds: -1))) },
            shown: .nothing, code: "undecided"),
        GrantTermCase(
            name: "denied", decision: { _ in .deny }, shown: .nothing, code: "denied"),
        GrantTermCase(
            name: "undecided", decision: { _ in nil }, shown: .nothing, code: "undecided"),
    ]

    /// Tokens that their holder has narrowed.
    static let narrowed = [
        GrantTermCase(
            name: "narrowed to a rate, a precision and a history", decision: { _ in .allowAlways },
            shown: .samples,
            caveat: Caveat(maximumRate: 0.1, precision: 0.5, history: .seconds(310))),
        GrantTermCase(
            name: "a rate, narrowed to another and to one sensor",
            decision: { _ in .allow(Terms(access: .raw, maximumRate: 0.25)) }, shown: .samples,
            caveat: Caveat(sensors: ["temperature.attic", "gauge"], maximumRate: 0.1)),
        GrantTermCase(
            name: "narrowed to statistics", decision: { _ in .allowAlways }, shown: .statistics,
            code: "narrowed", caveat: Caveat(access: .stats, history: .seconds(900))),
    ]

    /// Random terms.
    static func random(_ count: Int, seed: UInt64) -> [GrantTermCase] {
        var random = SplitMix(state: seed)
        func maybe<T>(_ make: (inout SplitMix) -> T) -> T? {
            Bool.random(using: &random) ? make(&random) : nil
        }
        return (0..<count).map { _ in
            let access = Int.random(in: 0...3, using: &random) == 0 ? Access.stats : .raw
            let terms = Terms(
                access: access,
                maximumRate: maybe { 1 / Double(Int.random(in: 1...240, using: &$0)) },
                precision: maybe { [0.1, 0.25, 0.7, 1, 3].randomElement(using: &$0) ?? 1 },
                history: maybe { .seconds(Int.random(in: 1...1500, using: &$0)) })
            return GrantTermCase(
                name: "random with seed \(seed): \(terms)", access: access,
                decision: { _ in .allow(terms) }, shown: access == .raw ? .samples : .statistics)
        }
    }
}

/// What ends a grant while a client reads on, as a stream does.
enum GrantRevocation: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case denied
    case narrowed
    case expired
    case tokenRevoked

    var testDescription: String { rawValue }

    /// Ends a grant for `sensor:temperature` of a client.
    func apply(to host: ServedHost, client: String) async throws {
        switch self {
        case .denied: try await host.decide(.deny, "sensor:temperature", by: client)
        case .narrowed: try await host.decide(.statisticsOnly, "sensor:temperature", by: client)
        case .expired:
            try await host.decide(
                .allow(
                    Terms(
                        access: .raw, expires: host.clock.now.advanced(byMicroseconds: 1_000_000))),
                "sensor:temperature", by: client)
            host.clock.advance(.seconds(2))
        case .tokenRevoked: try await host.authority.revokeClient(client)
        }
    }
}

/// What the native routes show a client of a sensor.
struct NativeView: Equatable, Sendable {
    /// A sample: its time in milliseconds since 1970, and its fields.
    struct Row: Equatable, Sendable {
        let time: Double
        let values: [String: JSONValue]

        func number(_ field: String) -> Double? { values[field]?.number?.double }

        /// Whether times and values are equal, wherever they are in their texts.
        static func == (left: Row, right: Row) -> Bool {
            left.time == right.time
                && left.values.mapValues(\.line) == right.values.mapValues(\.line)
        }
    }

    /// One window, with its bounds in milliseconds since 1970.
    struct Window: Equatable, Sendable {
        let from: Double
        let to: Double
        let count: Double?
        /// By field, by the name of the statistic; without the undefined and the suppressed ones.
        let values: [String: [String: Double]]
    }

    /// The newest sample; `nil` if none is shown.
    let latest: Row?
    /// In the order of time.
    let samples: [Row]
    /// Windows of a minute over ``ServedHost/temperatureRange``, with count, sum, mean, stddev, min and max.
    let windows: [Window]
    /// The codes of the refused calls: of `latest`, of `samples`, of `stats`; `nil` where they were answered.
    let codes: [String?]

    /// The windows that have samples.
    var filled: [Window] { windows.filter { $0.count.map { $0 > 0 } ?? false } }

    /// - Parameter answers: the bodies of the answers to ``ServedHost/nativePaths(of:)``.
    init(_ answers: [JSONValue?]) {
        latest = answers[0].flatMap(Self.row)
        samples = (answers[1]?["items"]?.array ?? []).compactMap(Self.row)
        windows = (answers[2]?["items"]?.array ?? []).map { item in
            Window(
                from: item["from"]?.number?.double ?? .nan,
                to: item["to"]?.number?.double ?? .nan, count: item["count"]?.number?.double,
                values: Self.statistics(of: item))
        }
        codes = answers.map { $0?["code"]?.string }
    }

    /// The statistics of a window, by field and name.
    static func statistics(of item: JSONValue) -> [String: [String: Double]] {
        Dictionary(
            uniqueKeysWithValues: (item["values"]?.object ?? []).map { field in
                let numbers = (field.value.object ?? []).compactMap { one in
                    (one.value.number?.double).map { (one.key, $0) }
                }
                return (field.key, Dictionary(uniqueKeysWithValues: numbers))
            })
    }

    private static func row(_ json: JSONValue) -> Row? {
        guard let time = json["t"]?.number?.double, let members = json.object else { return nil }
        // The newest sample also has its age, and when the next one is due.
        let values = members.map { ($0.key, $0.value) }
            .filter { !["t", "age", "stale", "interval"].contains($0.0) }
        return Row(time: time, values: Dictionary(values) { first, _ in first })
    }
}

/// An entry of the access log without its counts and times.
struct AccessLine: Hashable, Sendable {
    let kind: AccessLogEntry.Kind
    let sensor: SensorID?
    let access: Access?
    let operation: String?
}

extension ServedHost {
    /// The 20 minutes of the samples of ``fillTemperatures()``.
    var temperatureRange: TimeRange {
        let end = clock.now.microseconds / 60_000_000 * 60_000_000
        return TimeRange(
            from: Timestamp(microseconds: end - 1_200_000_000), to: Timestamp(microseconds: end))
    }

    /// Declares `temperature.attic` and `temperature.cellar`, each with a number, a whole number and a state, and
    /// publishes a sample of each every 2 s for 20 minutes, the last a second before the present.
    ///
    /// The clock is set to the beginning of a minute, so that all cells of aggregates have ended.
    func fillTemperatures() async throws {
        clock.now = Timestamp(microseconds: clock.now.microseconds / 60_000_000 * 60_000_000)
        let start = temperatureRange.from.microseconds / 1000
        for (sensor, base) in [("temperature.attic", 20.0), ("temperature.cellar", 8.0)] {
            let declared = try await send(
                Call(
                    "PUT", "/api/v1/sensors/\(sensor)", token: owner,
                    json: """
                        {"title": "Temperature \\"\(sensor)\\"", "fields": [
                          {"name": "temperature", "unit": "Cel"},
                          {"name": "opened", "kind": "integer", "unit": "1"},
                          {"name": "window", "kind": "state"}]}
                        """))
            guard declared.status == 201 else { throw Answer.NotHTTP(text: declared.text) }
            let rows = (0..<600).map { row in
                let value = base + 3 * sin(Double(row) / 40) + Double(row % 7) / 10
                return "\(start + Int64(row) * 2000 + 1000),\(value),\(row / 50),"
                    + (row / 100 % 2 == 0 ? "open" : "shut")
            }
            let text = (["t,temperature,opened,window"] + rows).joined(separator: "\n") + "\n"
            let published = try await publish(text, as: "text/csv", to: sensor)
            guard published.status == 201 else { throw Answer.NotHTTP(text: published.text) }
        }
    }

    func decide(_ term: GrantTermCase, by client: String) async throws {
        guard let decision = term.decision(clock.now) else { return }
        try await decide(decision, term.privilege, by: client)
    }

    /// The newest sample, all samples, and windows of a minute, at the native routes.
    func nativePaths(of sensor: String) -> [String] {
        let range = temperatureRange
        let (from, to) = (range.from.microseconds / 1000, range.to.microseconds / 1000)
        return [
            "latest", "samples?limit=10000",
            "stats?from=\(from)&to=\(to)&every=60s&fn=count,sum,mean,stddev,min,max",
        ].map { "/api/v1/sensors/\(sensor)/\($0)" }
    }

    /// What the native routes show of a sensor of ``fillTemperatures()``.
    func nativeView(of sensor: String, token: String) async throws -> NativeView {
        var answers: [JSONValue] = []
        for path in nativePaths(of: sensor) {
            answers.append(try await send(Call("GET", path, token: token)).json())
        }
        return NativeView(answers)
    }

    /// What the access log has about the reads and refused calls of a client.
    func accessLines(of client: String) async throws -> Set<AccessLine> {
        let entries = try await authority.log.entries(
            AccessLogQuery(client: client, limit: 10_000))
        return Set(
            entries.filter { $0.outcome != nil }.map {
                AccessLine(
                    kind: $0.kind, sensor: $0.sensor, access: $0.access, operation: $0.operation)
            })
    }
}
