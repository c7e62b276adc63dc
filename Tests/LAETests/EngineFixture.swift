import Auth
import Foundation
import SampleStore
import Samples
import TestSupport
import Testing

@testable import LAE
@testable import VM

/// An engine with samples of a test, and an authority for its grants.
final class EngineFixture: Sendable {
    static let sensor: SensorID = "probe"
    /// A second sensor, with the one number `y`.
    static let other: SensorID = "other"
    static let fields = [
        Field("x", unit: "m"), Field("n", kind: .integer), Field("state", kind: .state),
    ]
    /// The current time: ten million seconds after 1970.
    static let now = Timestamp(microseconds: 10_000_000_000_000)

    let folder: URL
    let machine: VirtualMachine
    let authority: Authority
    let engine: AnalyticsEngine
    private let token: Token

    init() async throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "fixture-\(UUID().uuidString)", directoryHint: .notDirectory)
        machine = try await VirtualMachine.start(in: folder.path(), drivers: [FixtureDriver()])
        authority = try await Authority(
            path: folder.appending(path: "auth.sqlite").path(), time: ManualTime(at: Self.now))
        token = try await authority.createClient("reader", isOwner: false, expires: nil)
        engine = AnalyticsEngine(machine, log: authority.log, time: ManualTime(at: Self.now))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A grant made in the regular way: decided by the owner and checked by the authority.
    func grant(
        _ terms: Terms = Terms(access: .raw), to sensor: SensorID = EngineFixture.sensor
    ) async throws(AuthError) -> Grant {
        try await authority.reset(nil, of: "reader")
        let privilege = PrivilegeID.sensor(sensor, terms.access)
        try await authority.decide(.allow(terms), on: privilege, by: "reader")
        return try await authority.checkApp(
            token: token.text, name: "reader",
            requested: AccessRequest("samples", of: sensor, terms.access))
    }

    /// Appends samples whose `n` is a tenth of `x`; times are in microseconds.
    func add(_ samples: [(time: Int64, x: Double)], flush: Bool = true) async throws {
        let made = samples.map { time, x in
            Sample(
                time: Timestamp(microseconds: time),
                values: [
                    .number(x), .integer(Int64(x / 10)), .text(x < 0 ? "cold" : "warm"),
                ])
        }
        try await machine.samples.store.append(made, to: Self.sensor)
        if flush { try await machine.samples.store.flush() }
    }

    /// Appends samples of the other sensor; times are in microseconds.
    func addOther(_ samples: [(time: Int64, y: Double)]) async throws {
        let made = samples.map { time, y in
            Sample(time: Timestamp(microseconds: time), values: [.number(y)])
        }
        try await machine.samples.store.append(made, to: Self.other)
    }

    /// The answer to an analysis, by default under unrestricted grants for both sensors.
    func analyze(
        _ name: String, _ parameters: [String: AnalysisParameter] = [:], of inputs: [String],
        range: TimeRange = .all, conditions: [String] = [], every: Duration? = nil,
        join: AnalysisRequest.Join? = nil, terms: Terms = Terms(access: .raw),
        otherTerms: Terms = Terms(access: .raw)
    ) async throws -> AnalysisAnswer {
        let request = AnalysisRequest(
            try Analysis(name, parameters), of: try inputs.map { try FieldReference(parsing: $0) },
            range: range, conditions: try conditions.map { try Condition(parsingQualified: $0) },
            every: every, join: join)
        let grants = [try await grant(terms), try await grant(otherTerms, to: Self.other)]
        return try await engine.analyze(request, grants: grants)
    }

    /// All pages of a selection, one after the other.
    func pages(_ selection: SampleSelection, _ grant: Grant) async throws -> [StoredSample] {
        var selection = selection
        var samples: [StoredSample] = []
        while true {
            let page = try await engine.samples(selection, for: grant)
            #expect(page.samples.count <= selection.limit)
            samples += page.samples
            guard let next = page.next else { return samples }
            #expect(page.samples.count == selection.limit)
            selection.after = next
        }
    }

    /// All arrivals, read in pages of `groupSize`.
    func stream(_ grant: Grant, groupSize: Int) async throws -> [StoredSample] {
        var last: Int64 = 0
        var samples: [StoredSample] = []
        while true {
            let group = try await engine.arrivals(after: last, limit: groupSize, for: grant)
            guard group.last > last else { return samples }
            last = group.last
            samples += group.page.samples
        }
    }
}

extension TimeRange {
    init(_ from: Int64, _ to: Int64) {
        self.init(from: Timestamp(microseconds: from), to: Timestamp(microseconds: to))
    }
}

extension EngineFixture {
    static let shake: SensorID = "virtual.shake"

    /// Defines `virtual.shake`; an output consists of its name, its computation and its inputs.
    func define(
        window: String, slide: String? = nil, _ outputs: [(String, by: String, of: [String])],
        every: String? = nil, as id: SensorID = EngineFixture.shake
    ) async throws {
        var seen: Set<String> = []
        let derivation = Derivation(
            inputs: outputs.flatMap(\.of).filter { seen.insert($0).inserted }, window: window,
            slide: slide,
            outputs: outputs.map { output in
                Derivation.Output(
                    name: output.0, of: output.of, by: output.by,
                    every: output.of.count > 1 ? every : nil)
            })
        let sensor = try await engine.virtualSensor(id, title: "Shake", derivation)
        _ = try await machine.declare(sensor)
    }
}

/// Two available sensors whose samples are appended by tests, and one unavailable sensor.
private struct FixtureDriver: SensorDriver, SampleReader {
    func discover() -> [DiscoveredSensor] {
        let probe = Sensor(
            id: EngineFixture.sensor, title: "Probe", fields: EngineFixture.fields, source: "a test"
        )
        let other = Sensor(
            id: EngineFixture.other, title: "Other", fields: [Field("y", unit: "K")],
            source: "a test")
        let missing = Sensor(id: "missing", title: "Missing", fields: [], source: "nothing")
        return [
            DiscoveredSensor(probe, .polled(self)),
            DiscoveredSensor(other, .polled(self)),
            DiscoveredSensor(missing, .unavailable(reason: "no such thing", remedy: "buy one")),
        ]
    }

    mutating func read() throws(SensorError) -> [Value]? { nil }
}
