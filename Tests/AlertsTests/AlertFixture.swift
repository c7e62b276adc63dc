import API
import Addresses
import Foundation
import Samples
import Scheduling
import Statistics
import Synchronization
import TestSupport

@testable import Alerts

extension Timestamp {
    /// 2026-03-01T12:00:00Z, a multiple of all steps up to an hour.
    static let noon = Timestamp(microseconds: 1_772_366_400_000_000)

    func after(seconds: Double) -> Timestamp {
        advanced(byMicroseconds: Int64(seconds * 1_000_000))
    }
}

extension AlertRule {
    /// A rule about `meter.level`.
    static func make(
        _ name: String = "rule", _ change: (inout AlertDefinition) -> Void = { _ in }
    ) throws -> AlertRule {
        var definition = AlertDefinition(sensor: "meter")
        (definition.field, definition.window, definition.above) = ("level", "30s", 10)
        change(&definition)
        return try AlertRule(name, definition)
    }

    static func silence(_ limit: String) throws -> AlertRule {
        var definition = AlertDefinition(sensor: "meter")
        definition.silence = limit
        return try AlertRule("silent", definition)
    }
}

/// Samples of one sensor in memory; they can arrive in any order.
final class MemorySource: AlertSource {
    private struct State {
        var samples: [(time: Timestamp, value: Double)] = []
        var input = AlertInput.readable(unit: "Cel")
        var isFailing = false
        var read = 0
    }

    private let state = Mutex(State())

    func add(_ value: Double, at time: Timestamp) {
        state.withLock { $0.samples.append((time, value)) }
    }

    func set(_ input: AlertInput) { state.withLock { $0.input = input } }

    func fail(_ isFailing: Bool) { state.withLock { $0.isFailing = isFailing } }

    /// The number of windows that were read.
    var read: Int { state.withLock { $0.read } }

    /// The samples of a range, in order of time.
    func samples(in range: TimeRange) -> [(time: Timestamp, value: Double)] {
        state.withLock { $0.samples }.filter { range.contains($0.time) }
            .sorted { $0.time < $1.time }
    }

    func input(of rule: AlertRule) async -> AlertInput { state.withLock { $0.input } }

    func windows(
        of rule: AlertRule, in range: TimeRange, every step: Int64
    ) async throws(AlertsError) -> [WindowSummary] {
        try check()
        let fields = [Field("level", unit: "Cel")]
        let query = SummaryQuery(
            sensor: rule.sensor, fields: fields, range: range, step: step,
            hasSketch: rule.usesSketch)
        var summaries = WindowSummaries(query)
        let found = samples(in: range)
        summaries.add(
            StoredBatch(
                sequences: found.indices.map { Int64($0) },
                samples: SampleBatch(
                    times: found.map(\.time), columns: [.numbers(found.map(\.value))])))
        state.withLock { $0.read += summaries.windows.count }
        return summaries.windows
    }

    func newest(
        of rule: AlertRule, before time: Timestamp
    ) async throws(AlertsError) -> Timestamp? {
        try check()
        return samples(in: TimeRange(from: .distantPast, to: time)).last?.time
    }

    func finish() async {}

    private func check() throws(AlertsError) {
        if state.withLock({ $0.isFailing }) {
            throw AlertsError(.sourceFailed, "The samples cannot be read.")
        }
    }
}

/// Notes deliveries; a test decides how they end.
final class NotedChannels: AlertChannels {
    struct Call: Hashable {
        let id: String
        let body: String
        let tokenFile: String?
    }

    private struct State {
        var notices: [AlertNotice] = []
        var calls: [Call] = []
        var runs: [String] = []
        var answers: [AlertDeliveryError?] = []
        var hangs = false
    }

    private let state = Mutex(State())

    var notices: [AlertNotice] { state.withLock { $0.notices } }
    var calls: [Call] { state.withLock { $0.calls } }
    var runs: [String] { state.withLock { $0.runs } }

    /// How the next calls and runs end; then all succeed.
    func answer(_ answers: [AlertDeliveryError?]) { state.withLock { $0.answers = answers } }

    /// Whether notices never return, as if the host were killed meanwhile.
    func hang() { state.withLock { $0.hangs = true } }

    func notify(_ notice: AlertNotice) async {
        let hangs = state.withLock { state in
            state.notices.append(notice)
            return state.hangs
        }
        while hangs, !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }

    func call(
        _ address: WebAddress, tokenFile: String?, body: [UInt8], id: String
    ) async throws(AlertDeliveryError) {
        let call = Call(id: id, body: String(decoding: body, as: UTF8.self), tokenFile: tokenFile)
        state.withLock { $0.calls.append(call) }
        try end()
    }

    func run(app: String) async throws(AlertDeliveryError) {
        state.withLock { $0.runs.append(app) }
        try end()
    }

    private func end() throws(AlertDeliveryError) {
        let answer = state.withLock { $0.answers.isEmpty ? nil : $0.answers.removeFirst() }
        if let answer { throw answer }
    }
}

/// An engine with a file, samples, deliveries and a clock, which can be killed and opened again.
final class EngineFixture: Sendable {
    let source = MemorySource()
    let channels = NotedChannels()
    let time = ManualTime(at: .noon)
    private let folder: String
    private let jitter = Mutex(1.0)

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "alerts-\(UUID().uuidString)").path(percentEncoded: false)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var path: String { folder + "/alerts.sqlite" }

    func open(_ channels: NotedChannels? = nil) async throws -> AlertEngine {
        let engine = await AlertEngine(
            path: path, source: source, channels: channels ?? self.channels, time: time,
            jitter: { 1 })
        if let fault = engine.fault { throw fault }
        return engine
    }

    /// Evaluates and delivers each 5 s until the end of a time.
    func run(_ engine: AlertEngine, seconds: Int) async {
        for _ in 0..<seconds / 5 {
            time.advance(by: .seconds(5))
            await engine.evaluate()
            await engine.deliver()
        }
    }
}

extension AlertEngine {
    /// The events of a rule, the oldest first, as `fired 12.0` or `resolved`.
    func history(_ name: String = "rule") async throws -> [Event] {
        try await events(of: name, limit: 1000).reversed()
    }
}
