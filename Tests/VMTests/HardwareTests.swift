import Foundation
import Samples
import Synchronization
import TestSupport
import Testing

@testable import VM

struct HardwareTests {
    private let machine: TestMachine
    private let sensor = FakeSensor("probe")

    init() throws {
        machine = try TestMachine()
    }

    @Test func `added hardware is collected and removed hardware is not`() async throws {
        sensor.isThere(false)
        let started = try await machine.start(sensor)
        #expect(await started.statuses().isEmpty)
        try await machine.collecting(started, sleepers: 0) {
            sensor.isThere(true)
            await machine.clock.run(for: .seconds(30), leaving: 3)
            #expect(await started.status(of: "probe")?.state == .available)
            await machine.clock.run(for: .seconds(2))
            #expect(sensor.reads == 3)
            sensor.isThere(false)
            await machine.clock.run(for: .seconds(28), leaving: 2)
            // The number of sleeping tasks does not show that one has ended.
            try await until { await started.status(of: "probe")?.state != .available }
            #expect(
                await started.status(of: "probe")?.state
                    == .unavailable(reason: "it was removed", remedy: nil))
            let reads = sensor.reads
            await machine.clock.run(for: .seconds(20))
            #expect(sensor.reads == reads)
            let count = try await started.all("probe").count
            // A read in progress is not stored when the sensor disappears.
            #expect(count == reads || count == reads - 1)
        }
        await started.close()
    }

    @Test func `discovery does not disturb existing sensors`() async throws {
        let started = try await machine.start(sensor)
        try await machine.collecting(started, sleepers: 1) {
            await machine.clock.run(for: .seconds(90))
        }
        #expect(sensor.reads == 91)
        await started.close()
    }

    @Test func `a sensor whose fields change continues with the new ones`() async throws {
        let started = try await machine.start(sensor)
        try await machine.collecting(started, sleepers: 1) {
            sensor.has([Field("x"), Field("y")])
            await machine.clock.run(for: .seconds(30))
        }
        let new = [Field("x"), Field("y")]
        #expect(await started.status(of: "probe")?.sensor.fields == new)
        let samples = try await started.all("probe")
        #expect(!samples.isEmpty)
        #expect(samples.allSatisfy { $0.values.count == 2 })
        let old = SampleQuery(sensor: "probe", fields: [Field("x")], limit: .max)
        #expect(try await started.samples.rows(old).count > samples.count)
        #expect(await started.status(of: "probe")?.failures == 0)
        await started.close()
    }

    @Test func `a sensor without hardware has a reason and is not read`() async throws {
        let started = try await machine.start(MissingSensor())
        await started.collectOnce()
        let status = try #require(await started.status(of: "missing"))
        #expect(status.state == .unavailable(reason: "no such thing", remedy: "buy one"))
        #expect(try await started.all("missing").isEmpty)
        await started.close()
    }

    @Test func `samples that a source sends are stored in their order`() async throws {
        let source = FakeSource()
        let started = try await machine.start(source)
        try await machine.collecting(started, sleepers: 0) {
            var signals = await started.samples.arrivalSignals(of: "pushed").makeAsyncIterator()
            await source.waitForListener()
            for number in 1...5 {
                source.send(Double(number))
                _ = await signals.next()
            }
            try await started.setLevel(.off, of: "pushed")
            source.send(6)
        }
        let values = try await started.all("pushed").map(\.values)
        #expect(values == (1...5).map { [.number(Double($0))] })
        await started.close()
    }

    @Test(
        arguments: [
            (nil, "pushed stopped sending"),
            (SensorError(.malformed, "the line is noisy"), "the line is noisy"),
        ] as [(SensorError?, String)])
    func `a source that ends is unavailable until it is found again`(
        error: SensorError?, reason: String
    ) async throws {
        let source = FakeSource()
        let started = try await machine.start(source)
        try await machine.collecting(started, sleepers: 0) {
            await source.waitForListener()
            source.end(error)
            // Discovery runs only when the clock moves.
            try await until { await started.status(of: "pushed")?.state != .available }
            #expect(
                await started.status(of: "pushed")?.state
                    == .unavailable(reason: reason, remedy: nil))
            await machine.clock.run(for: .seconds(30))
            await source.waitForListener()
            var signals = await started.samples.arrivalSignals(of: "pushed").makeAsyncIterator()
            source.send(7)
            _ = await signals.next()
        }
        #expect(try await started.all("pushed").map(\.values) == [[.number(7)]])
        await started.close()
    }
}

private struct MissingSensor: SensorDriver {
    func discover() -> [DiscoveredSensor] {
        let sensor = Sensor(id: "missing", title: "Missing", fields: [Field("x")], source: "none")
        return [DiscoveredSensor(sensor, .unavailable(reason: "no such thing", remedy: "buy one"))]
    }
}

/// A pushed sensor whose samples are sent by a test.
private final class FakeSource: SensorDriver, SampleSource {
    private let listener = Mutex<AsyncThrowingStream<Sample, any Error>.Continuation?>(nil)
    private let (listeners, arrival) = AsyncStream.makeStream(of: Void.self)

    func discover() -> [DiscoveredSensor] {
        let sensor = Sensor(
            id: "pushed", title: "Pushed", fields: [Field("x")], source: "a test",
            cadence: .asTheyCome)
        return [DiscoveredSensor(sensor, .pushed(self))]
    }

    func samples() -> AsyncThrowingStream<Sample, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Sample.self)
        listener.withLock { $0 = continuation }
        arrival.yield()
        return stream
    }

    func waitForListener() async {
        for await _ in listeners { return }
    }

    func send(_ number: Double) {
        let sample = Sample(time: Timestamp(microseconds: Int64(number)), values: [.number(number)])
        _ = listener.withLock { $0?.yield(sample) }
    }

    func end(_ error: SensorError?) {
        listener.withLock { $0?.finish(throwing: error) }
    }
}
