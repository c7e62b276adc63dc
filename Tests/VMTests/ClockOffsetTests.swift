import Foundation
import Samples
import TestSupport
import Testing

@testable import VM

/// Clock offsets of sources: which sensors have one, and what is kept of it.
struct ClockOffsetTests {
    private static func note(_ ahead: Duration, _ machine: VirtualMachine, at now: Timestamp) async
    {
        await machine.note(ClockReading(stamp: now.advanced(by: ahead), arrival: now), of: "steps")
    }

    private static let steps = Result {
        try Sensor(declared: "steps", title: "Steps", fields: [Field("x", unit: "1")])
    }

    @Test func `the clock offset of a client that publishes is kept over restarts`() async throws {
        let place = try TestMachine()
        let sensor = try Self.steps.get()
        let start = place.clock.now()
        try await place.using { machine in
            _ = try await machine.declare(sensor)
            #expect(await machine.status(of: "steps")?.clock == nil)
            // The second sample waited in a buffer.
            for ahead in [30, -200] { await Self.note(.seconds(ahead), machine, at: start) }
            let clock = try #require(await machine.status(of: "steps")?.clock)
            #expect(clock == ClockOffset(ahead: .seconds(30), measured: start, isSettled: false))
            #expect(clock.isWrong)
        }
        place.clock.advance(by: .seconds(3600))
        try await place.using { machine in
            let known = try #require(await machine.status(of: "steps")?.clock)
            #expect(known == ClockOffset(ahead: .seconds(30), measured: start, isSettled: false))
            // Seven more minutes outweigh it together with this one.
            for minute in 0..<8 {
                await Self.note(
                    .milliseconds(-50), machine,
                    at: place.clock.now().advanced(by: .seconds(minute * 60)))
            }
            let clock = try #require(await machine.status(of: "steps")?.clock)
            #expect(clock.ahead == .milliseconds(-50))
            #expect(clock.isSettled && !clock.isWrong)
        }
    }

    @Test func `a sensor that is removed leaves no clock offset`() async throws {
        let place = try TestMachine()
        let sensor = try Self.steps.get()
        try await place.using { machine in
            _ = try await machine.declare(sensor)
            await Self.note(.seconds(30), machine, at: place.clock.now())
            try await machine.withdraw("steps")
            _ = try await machine.declare(sensor)
            #expect(await machine.status(of: "steps")?.clock == nil)
        }
        let file = ClockOffsetFile(path: place.path + "/clock-offsets.json")
        #expect(file.read().isEmpty)
    }

    @Test func `a sensor that the host reads has no clock offset`() async throws {
        let place = try TestMachine()
        try await place.using(FakeSensor("steps")) { machine in
            await machine.collectOnce()
            await Self.note(.seconds(30), machine, at: place.clock.now())
            #expect(await machine.status(of: "steps")?.clock == nil)
        }
    }

    @Test func `the estimate of a source is kept while the source is away`() async throws {
        let place = try TestMachine()
        let offset = ClockOffset(
            ahead: .seconds(-7), measured: place.clock.now(), isSettled: true)
        try await place.using(StampedSensor(offset)) { machine in
            #expect(await machine.status(of: "beacon")?.clock == offset)
        }
        try await place.using(StampedSensor(nil)) { machine in
            #expect(await machine.status(of: "beacon")?.clock == offset)
        }
    }

    @Test(arguments: [
        "", "{", #"{"version":2,"offsets":[]}"#,
        #"{"version":1,"offsets":[{"sensor":"No","ahead":1,"measured":1,"settled":true}]}"#,
    ])
    func `a damaged file of clock offsets is none`(text: String) async throws {
        let place = try TestMachine()
        let sensor = try Self.steps.get()
        try await place.using { machine in _ = try await machine.declare(sensor) }
        let path = place.path + "/clock-offsets.json"
        try Data(text.utf8).write(to: URL(filePath: path))
        try await place.using { machine in
            #expect(await machine.status(of: "steps")?.clock == nil)
            await Self.note(.seconds(2), machine, at: place.clock.now())
        }
        #expect(ClockOffsetFile(path: path).read()["steps"]?.ahead == .seconds(2))
    }

    @Test func `offsets of any size can be read from the file`() async throws {
        let place = try TestMachine()
        let sensor = try Self.steps.get()
        try await place.using { machine in _ = try await machine.declare(sensor) }
        let path = place.path + "/clock-offsets.json"
        let extremes = ClockOffset(
            ahead: .microseconds(Int64.min), measured: .distantFuture, isSettled: true)
        try ClockOffsetFile(path: path).write(["steps": extremes])
        try await place.using { machine in
            #expect(await machine.status(of: "steps")?.clock == extremes)
            await Self.note(.seconds(2), machine, at: place.clock.now())
            #expect(await machine.status(of: "steps")?.clock?.ahead != nil)
        }
    }

    @Test func `a wrong clock is reported once, and again after it was right`() {
        let now = Timestamp(microseconds: 1_700_000_010_000_000)
        var clocks = ClockOffsets([:])
        for (ahead, reports) in [(1, 0), (6, 1), (60, 0), (1, 0), (6, 1)] {
            let offset = ClockOffset(ahead: .seconds(ahead), measured: now, isSettled: false)
            clocks.set(offset, for: "steps")
            #expect(clocks.takeWrong().count == reports)
        }
    }

    @Test func `small changes are not written before an hour has passed, or the end`() {
        let now = Timestamp(microseconds: 1_700_000_010_000_000)
        func offset(_ milliseconds: Int64, after seconds: Int64) -> ClockOffset {
            ClockOffset(
                ahead: .milliseconds(milliseconds), measured: now.advanced(by: .seconds(seconds)),
                isSettled: true)
        }
        for (changed, isWritten) in [
            (offset(1000, after: 0), false), (offset(1099, after: 60), false),
            (offset(1100, after: 60), true), (offset(900, after: 60), true),
            (offset(1000, after: 3599), false), (offset(1000, after: 3600), true),
        ] {
            var clocks = ClockOffsets(["steps": offset(1000, after: 0)])
            clocks.set(changed, for: "steps")
            #expect((clocks.unstored(isLast: false) != nil) == isWritten)
            let isChanged = changed != offset(1000, after: 0)
            #expect((clocks.unstored(isLast: true) != nil) == isChanged)
        }
    }
}

/// A sensor whose source writes times of its own and sends nothing now.
private struct StampedSensor: SensorDriver {
    private final class Source: SampleSource {
        let report: SourceReport?

        init(_ clock: ClockOffset?) {
            var report = SourceReport()
            report.clock = clock
            self.report = report
        }

        func samples() -> AsyncThrowingStream<Sample, any Error> {
            AsyncThrowingStream { $0.finish() }
        }
    }

    private let source: Source

    init(_ clock: ClockOffset?) {
        source = Source(clock)
    }

    func discover() -> [DiscoveredSensor] {
        let sensor = Sensor(
            id: "beacon", title: "Beacon", fields: [Field("x")], source: "a test",
            cadence: .asTheyCome)
        return [DiscoveredSensor(sensor, .pushed(source))]
    }
}
