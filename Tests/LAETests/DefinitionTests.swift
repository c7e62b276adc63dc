import Auth
import Samples
import Statistics
import Testing
import VM

@testable import LAE

/// Valid definitions of virtual sensors, and the effect of grants for them.
struct DefinitionTests {
    private let fixture: EngineFixture

    init() async throws {
        fixture = try await EngineFixture()
    }

    @Test(
        arguments: [
            ("1s", nil, "mean", ["nothing.x"], "no sensor named nothing"),
            ("1s", nil, "mean", ["probe.z"], "no field named"),
            ("1s", nil, "mean", ["probe.state"], "is not a number"),
            ("1s", nil, "mean", ["virtual.shake.a"], "computed from itself"),
            ("1s", nil, "mean", ["virtual.other.a"], "is virtual itself"),
            ("1s", nil, "mean", ["x"], "Not a field"),
            ("1s", nil, "mean", ["probe.x", "probe.n"], "takes one input"),
            ("1s", nil, "spectrum", ["probe.x"], "neither a statistic"),
            ("1s", nil, "correlation", ["probe.x"], "takes two inputs"),
            ("1s", nil, "correlation", ["probe.x", "other.y"], "different times"),
            ("1s", "2s", "mean", ["probe.x"], "whole number of slides"),
            ("1s", "300ms", "mean", ["probe.x"], "whole number of slides"),
            ("101s", "1s", "mean", ["probe.x"], "at most 100"),
            ("0s", nil, "mean", ["probe.x"], "durations"),
            ("1", nil, "mean", ["probe.x"], "durations"),
            ("367d", nil, "mean", ["probe.x"], "durations"),
        ] as [(String, String?, String, [String], String)])
    func `an invalid definition is rejected with the reason`(
        window: String, slide: String?, by: String, of: [String], message: String
    ) async throws {
        try await fixture.define(
            window: "1s", [("a", by: "mean", of: ["probe.x"])], as: "virtual.other")
        let error = await #expect(throws: LAEError.self) {
            try await fixture.define(window: window, slide: slide, [("a", by: by, of: of)])
        }
        #expect(error?.code == .invalidDefinition)
        #expect(error?.message.contains(message) == true)
        #expect(await fixture.machine.status(of: EngineFixture.shake) == nil)
    }

    @Test func `the input of a virtual sensor cannot become virtual`() async throws {
        let steps = try Sensor(declared: "steps", title: "Steps", fields: [Field("count")])
        _ = try await fixture.machine.declare(steps)
        try await fixture.define(window: "1s", [("a", by: "sum", of: ["steps.count"])])
        let outputs = [("a", by: "sum", of: ["probe.x"])]
        await #expect(throws: VirtualMachineError.self) {
            let derivation = Derivation(
                inputs: ["probe.x"], window: "1s", outputs: [.init(name: "a", by: "sum")])
            _ = try await fixture.machine.declare(
                Sensor(
                    declared: "steps", title: "Steps", fields: [Field("a")],
                    derivation: derivation))
        }
        try await fixture.machine.withdraw("steps")
        let error = await #expect(throws: LAEError.self) {
            try await fixture.define(window: "1s", outputs, as: "steps")
        }
        #expect(error?.message.contains("virtual.shake is computed from steps") == true)
        let grant = try await fixture.grant(to: EngineFixture.shake)
        let missing = await #expect(throws: LAEError.self) {
            _ = try await fixture.engine.latest(for: grant)
        }
        #expect(missing?.code == .unavailable)
    }

    @Test func `a grant for a virtual sensor reveals none of its inputs, and its terms apply`()
        async throws
    {
        try await fixture.add((0..<600).map { ($0 * 100_000, Double($0)) })
        try await fixture.define(window: "1s", [("mean", by: "mean", of: ["probe.x"])])
        let rough = try await fixture.grant(
            Terms(access: .raw, maximumRate: 0.5, precision: 7), to: EngineFixture.shake)
        let found = try await fixture.pages(SampleSelection(limit: 4), rough)
        #expect(found.count == 31)
        for sample in found {
            guard case .number(let number) = sample.values[0] else { continue }
            #expect(number.truncatingRemainder(dividingBy: 7) == 0)
        }
        let past = try await fixture.grant(
            Terms(
                access: .raw,
                history: .microseconds(EngineFixture.now.microseconds - 50_000_000)),
            to: EngineFixture.shake)
        let late = try await fixture.pages(SampleSelection(), past)
        #expect(late.map(\.time.microseconds) == (50...60).map { $0 * 1_000_000 })
        let statistics = try await fixture.grant(Terms(access: .stats), to: EngineFixture.shake)
        await #expect(throws: LAEError.self) {
            _ = try await fixture.engine.samples(SampleSelection(), for: statistics)
        }
        let table = try await fixture.engine.statistics(
            StatisticsQuery(statistics: [.count, .mean]), for: statistics)
        // A sample at the end of the first minute is alone in its cell.
        #expect(table.windows.map(\.count) == [59])
    }

    @Test func `reads are logged under the virtual sensor's own name`() async throws {
        try await fixture.add([(0, 1)])
        try await fixture.define(window: "1s", [("mean", by: "mean", of: ["probe.x"])])
        let grant = try await fixture.grant(to: EngineFixture.shake)
        _ = try await fixture.engine.samples(SampleSelection(), for: grant)
        let entries = try await fixture.authority.log.entries(AccessLogQuery(limit: 10))
        #expect(entries.contains { $0.sensor == EngineFixture.shake && $0.count == 1 })
        #expect(!entries.contains { $0.sensor == EngineFixture.sensor })
    }

    @Test func `a virtual sensor has no published samples`() async throws {
        try await fixture.define(window: "1s", [("mean", by: "mean", of: ["probe.x"])])
        let write = try await fixture.grant(Terms(access: .write), to: EngineFixture.shake)
        let publishing = await #expect(throws: LAEError.self) {
            _ = try await fixture.engine.publishedFields(for: write)
        }
        #expect(publishing?.code == .sensorComputed)
    }
}
