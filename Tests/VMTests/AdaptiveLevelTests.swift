import Samples
import TestSupport
import Testing

@testable import VM

/// Sensors at the level `auto` in a virtual machine, by a clock that the tests advance.
struct AdaptiveLevelTests {
    private static let longest = Duration.seconds(10)

    private let machine: TestMachine
    private let sensor = FakeSensor("probe")

    init() throws {
        machine = try TestMachine()
    }

    @Test func `a sensor is read rarely while its value stays, and often while it changes`()
        async throws
    {
        let started = try await machine.start(sensor)
        try await started.setLevel(.auto, of: "probe")
        sensor.answer(.value(7))
        try await machine.collecting(started, sleepers: 1) {
            await machine.clock.run(for: .seconds(600))
            #expect((70...90).contains(sensor.reads))
            let resting = try #require(await started.status(of: "probe"))
            #expect(resting.adaptive?.bounds == Duration.milliseconds(200)...Self.longest)
            #expect(resting.adaptive?.current == Self.longest)
            #expect(resting.interval == Self.longest)
            #expect(resting.freshness?.isStale == false)
            // Without an answer of its own the sensor counts its reads.
            sensor.answer()
            let step = machine.clock.now()
            await machine.clock.run(for: Self.longest)
            let seen = try #require(await started.samples.newest(of: "probe"))
            #expect(seen.time > step && seen.values != [.number(7)])
            await machine.clock.run(for: .seconds(300))
            #expect(await started.status(of: "probe")?.adaptive?.current == .milliseconds(200))
        }
        // Nothing is collected now.
        #expect(await started.status(of: "probe")?.adaptive?.current == nil)
        await started.close()
    }

    @Test func `a sensor whose samples someone awaits is read as often as at medium`() async throws
    {
        let started = try await machine.start(sensor)
        try await started.setLevel(.auto, of: "probe")
        sensor.answer(.value(7))
        let signals = await started.samples.arrivalSignals(of: "probe")
        try await machine.collecting(started, sleepers: 1) {
            await machine.clock.run(for: .seconds(100))
        }
        #expect(sensor.reads == 101)
        withExtendedLifetime(signals) {}
        await started.close()
    }

    @Test func `an input of a virtual sensor is read as often as at medium`() async throws {
        let started = try await machine.start(sensor)
        try await started.setLevel(.auto, of: "probe")
        sensor.answer(.value(7))
        _ = try await started.declare(
            Sensor(
                declared: "smooth", title: "Smooth", fields: [Field("mean", unit: "1")],
                derivation: Derivation(
                    inputs: ["probe.x"], window: "10s", outputs: [.init(name: "mean", by: "mean")])
            ))
        try await machine.collecting(started, sleepers: 1) {
            await machine.clock.run(for: .seconds(100))
            let longest = await started.status(of: "probe")?.adaptive?.bounds.upperBound
            #expect(longest == .seconds(1))
        }
        #expect(sensor.reads == 101)
        await started.close()
    }

    @Test func `an input of a derived sensor is read as often as that requires, while it is on`()
        async throws
    {
        let started = try await machine.start(sensor, derivers: [CopyDeriver()])
        try await started.setLevel(.auto, of: "probe")
        #expect(
            await started.status(of: "probe")?.adaptive?.bounds
                == Duration.milliseconds(200)...(.milliseconds(500)))
        try await started.setLevel(.off, of: "copy")
        #expect(
            await started.status(of: "probe")?.adaptive?.bounds
                == Duration.milliseconds(200)...Self.longest)
        await started.close()
    }

    @Test func `the level is kept over a restart, and other levels have no bounds`() async throws {
        try await machine.using(sensor) { try await $0.setLevel(.auto, of: "probe") }
        try await machine.using(sensor) { started in
            let status = try #require(await started.status(of: "probe"))
            #expect(status.level == .auto)
            #expect(status.adaptive?.bounds == Duration.milliseconds(200)...Self.longest)
            #expect(status.adaptive?.current == nil)
            try await started.setLevel(.low, of: "probe")
            #expect(await started.status(of: "probe")?.adaptive == nil)
        }
    }

    @Test func `a published sensor at auto accepts every sample`() async throws {
        try await machine.using { started in
            _ = try await started.declare(
                Sensor(declared: "steps", title: "Steps", fields: [Field("x", unit: "1")]))
            try await started.setLevel(.auto, of: "steps")
            let time = machine.clock.now()
            try await started.publish(
                SampleBatch(times: [time, time], columns: [.numbers([1, 2])]), to: "steps")
            #expect(try await started.all("steps").count == 2)
            #expect(await started.status(of: "steps")?.adaptive == nil)
        }
    }
}

/// The samples of `probe` again, which needs two of them a second.
private struct CopyDeriver: SensorDeriver {
    private struct Copy: SampleDeriver {
        let inputs = [Field("x")]
        let longestInterval: Duration? = .milliseconds(500)

        mutating func resume(after last: Sample) {}

        mutating func take(_ sample: Sample) -> Sample? { sample }
    }

    func discover(among sensors: [DiscoveredSensor]) -> [DiscoveredSensor] {
        let copy = Sensor(id: "copy", title: "Copy", fields: [Field("x")], source: "a test")
        return [DiscoveredSensor(copy, .derived(from: "probe", Copy()))]
    }
}
