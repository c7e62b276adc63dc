import Foundation
import SampleStore
import Samples
import Statistics
import TestSupport
import Testing

@testable import VM

struct CollectionTests {
    private let machine: TestMachine
    private let sensor = FakeSensor("probe")

    init() throws {
        machine = try TestMachine()
    }

    @Test(arguments: [
        (CollectionLevel.low, 60, 7), (.medium, 10, 11), (.high, 2, 11),
        (.every(.milliseconds(1500)), 15, 11), (.every(.milliseconds(1)), 1, 1001),
    ])
    func `a sensor is read at the interval of its level`(
        level: CollectionLevel, seconds: Int, count: Int
    ) async throws {
        let started = try await machine.start(sensor)
        try await started.setLevel(level, of: "probe")
        let begin = machine.clock.now()
        try await machine.collecting(started, sleepers: 1) {
            await machine.clock.run(for: .seconds(seconds))
        }
        let samples = try await started.all("probe")
        #expect(samples.count == count)
        #expect(sensor.reads == count)
        let step = Int64(seconds) * 1_000_000 / Int64(count - 1)
        let times = (0..<Int64(count)).map { begin.advanced(byMicroseconds: $0 * step) }
        #expect(samples.map(\.time) == times)
        await started.close()
    }

    @Test(
        arguments: [
            (300_000, [300_000, 1_000_000, 2_000_000, 3_000_000]),
            (700_000, [700_000, 2_000_000, 3_000_000]),
            (-300_000, [-300_000, 1_000_000, 2_000_000, 3_000_000]),
        ] as [(Int64, [Int64])])
    func `sensors are read at whole multiples of their interval`(
        start: Int64, times: [Int64]
    ) async throws {
        let clock = ManualTime(at: Timestamp(microseconds: start))
        let started = try await VirtualMachine.start(
            in: machine.path, drivers: [sensor], time: clock)
        let work = Task { await started.collect() }
        await clock.waitForSleepers(3)
        await clock.run(for: .microseconds(3_100_000 - start))
        work.cancel()
        await work.value
        #expect(try await started.all("probe").map(\.time.microseconds) == times)
        await started.close()
    }

    @Test func `samples are acknowledged when collecting ends`() async throws {
        let started = try await machine.start(sensor)
        try await machine.collecting(started, sleepers: 1) {}
        #expect(await started.status().buffered == 0)
        #expect(await started.status().samples == 1)
        #expect(await started.status().collecting == false)
        await started.close()
    }

    @Test(
        arguments: [
            (Duration.zero, 500), (.seconds(1), 1000), (.seconds(10), 10_000), (nil, 10_000),
        ] as [(Duration?, Int)])
    func `samples are acknowledged within the flush interval`(
        interval: Duration?, milliseconds: Int
    ) async throws {
        let started = try await machine.start(sensor)
        if let interval { await started.setFlushInterval(interval) }
        try await started.setLevel(.every(.seconds(100)), of: "probe")
        try await machine.collecting(started, sleepers: 1) {
            await machine.clock.run(for: .milliseconds(milliseconds - 1))
            #expect(await started.status().buffered == 1)
            let waiting = try await started.all("probe")
            await machine.clock.run(for: .milliseconds(1))
            #expect(await started.status().buffered == 0)
            let written = try await started.all("probe")
            #expect(written == waiting && written.count == 1)
        }
        await started.close()
    }

    @Test func `every read includes samples that wait to be written`() async throws {
        let started = try await machine.start(sensor)
        try await machine.collecting(started, sleepers: 1) {
            await machine.clock.run(for: .seconds(25))
            // The sample of second 20 may be read just after the flush.
            #expect((5...6).contains(await started.status().buffered))
            let samples = try await started.all("probe")
            #expect(samples.map(\.sequence) == Array(1...26))
            #expect(await started.samples.store.newest(of: "probe") == samples.last)
            let arrivals = try await started.samples.store.arrivals(
                of: "probe", after: 18, limit: 9)
            #expect(arrivals.map(\.sequence) == Array(19...26))
            let summary = try await started.samples.store.summaries(
                SummaryQuery(sensor: "probe", fields: sensor.sensor.fields, range: .all))
            #expect(summary.map(\.count) == [26])
        }
        await started.close()
    }

    @Test func `samples that take much memory are written before the flush interval`() async throws
    {
        let text = Sensor(
            id: "text", title: "Text", fields: [Field("text", kind: .text)], source: "a test")
        let started = try await machine.start(sensor)
        try await started.setLevel(.every(.seconds(100)), of: "probe")
        let store = started.samples.store
        try await store.register("text", fields: text.fields)
        try await machine.collecting(started, sleepers: 1) {
            await started.setFlushInterval(.seconds(600))
            let long = String(repeating: "a", count: 600_000)
            for expected in [2, 0] {
                try await store.append(
                    [Sample(time: .now(), values: [.text(long)])], to: "text")
                await machine.clock.run(for: .milliseconds(500))
                #expect(await started.status().buffered == expected)
            }
        }
        await started.close()
    }

    @Test func `a published sample is acknowledged with all that were accepted before`()
        async throws
    {
        let started = try await machine.start(sensor)
        _ = try await started.declare(
            Sensor(declared: "steps", title: "Steps", fields: [Field("count", kind: .integer)]))
        try await machine.collecting(started, sleepers: 1) {
            #expect(await started.status().buffered == 1)
            try await started.publish(
                SampleBatch(times: [Timestamp(microseconds: 1)], columns: [.integers([1])]),
                to: "steps")
            #expect(await started.status().buffered == 0)
        }
        await started.close()
    }

    @Test func `failures of a sensor are reported and counted, and others continue`() async throws {
        let broken = FakeSensor("broken")
        broken.answer(
            .failure(SensorError(.unreadable, "broken cannot be read")),
            .failure(SensorError(.malformed, "broken gives an unknown value")), .value(1))
        let started = try await machine.start(sensor, broken)
        try await machine.collecting(started, sleepers: 2) {
            #expect(await started.status(of: "broken")?.failure == "broken cannot be read")
            await machine.clock.run(for: .seconds(1))
            let status = try #require(await started.status(of: "broken"))
            #expect(status.failure == "broken gives an unknown value")
            #expect(status.failures == 2)
            #expect(status.state == .available)
            await machine.clock.run(for: .seconds(3))
        }
        let status = try #require(await started.status(of: "broken"))
        #expect(status.failure == nil)
        #expect(status.failures == 2)
        #expect(try await started.all("broken").count == 3)
        #expect(try await started.all("probe").count == 5)
        await started.close()
    }

    @Test func `a value that is not finite is a failure, not a sample`() async throws {
        sensor.answer(.value(.nan), .value(1))
        let started = try await machine.start(sensor)
        try await machine.collecting(started, sleepers: 1) {
            #expect(await started.status(of: "probe")?.failures == 1)
            await machine.clock.run(for: .seconds(1))
        }
        #expect(try await started.all("probe").map(\.values) == [[.number(1)]])
        await started.close()
    }

    @Test func `a sensor that is gone is unavailable until it is found again`() async throws {
        sensor.answer(.value(1), .failure(SensorError(.gone, "probe was pulled out")), .value(2))
        let started = try await machine.start(sensor)
        try await machine.collecting(started, sleepers: 1) {
            await machine.clock.run(for: .seconds(1), leaving: 2)
            // The number of sleeping tasks does not show that one has ended.
            try await until { await started.status(of: "probe")?.state != .available }
            #expect(
                await started.status(of: "probe")?.state
                    == .unavailable(reason: "probe was pulled out", remedy: nil))
            #expect(sensor.reads == 2)
            await machine.clock.run(for: .milliseconds(28_999))
            #expect(sensor.reads == 2)
            await machine.clock.run(for: .milliseconds(1), leaving: 3)
            #expect(await started.status(of: "probe")?.state == .available)
            #expect(sensor.reads == 3)
        }
        #expect(try await started.all("probe").count == 2)
        await started.close()
    }

    @Test func `a sensor without a first value is read again`() async throws {
        sensor.answer(.nothing, .value(5))
        let started = try await machine.start(sensor)
        let once = Task { await started.collectOnce() }
        await machine.clock.waitForSleepers(1)
        await machine.clock.run(for: .milliseconds(200), leaving: 0)
        await once.value
        #expect(sensor.reads == 2)
        #expect(try await started.all("probe").map(\.values) == [[.number(5)]])
        #expect(await started.status().buffered == 0)
        await started.close()
    }

    @Test func `collecting once reads each enabled sensor once`() async throws {
        let other = FakeSensor("other")
        let started = try await machine.start(sensor, other)
        try await started.setLevel(.off, of: "other")
        await started.collectOnce()
        #expect(sensor.reads == 1)
        #expect(other.reads == 0)
        #expect(try await started.all("probe").count == 1)
        #expect(try await started.all("other").isEmpty)
        await started.close()
    }
}
