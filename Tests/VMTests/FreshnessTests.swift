import Foundation
import Samples
import TestSupport
import Testing

@testable import VM

/// Which sample is the newest one, how old it is, and whether that is old for its sensor.
struct FreshnessTests {
    private static let start: Int64 = 1_700_000_010_000_000

    private static func seconds(_ number: Double) -> Duration {
        .microseconds(Int64(number * 1_000_000))
    }

    @Test(
        arguments: [
            // The age, the interval, and whether that is stale.
            (0, 1, false), (10, 1, false), (11, 1, true), (9, 0.01, false), (11, 0.01, true),
            (180, 60, false), (181, 60, true), (-60, 1, false), (1_000_000_000, nil, nil),
            (0, nil, nil),
            (1_000_000_000, 1e9, false),
        ] as [(Int, Double?, Bool?)])
    func `a sample is stale after three intervals, and never within ten seconds`(
        age: Int, interval: Double?, isStale: Bool?
    ) {
        let now = Timestamp(microseconds: Self.start)
        let freshness = Freshness(
            of: now.advanced(by: .seconds(-age)), at: now, every: interval.map(Self.seconds))
        #expect(freshness.isStale == isStale)
        #expect(freshness.age == max(.zero, .seconds(age)))
    }

    @Test func `no time overflows`() {
        for (time, now) in [
            (Timestamp.distantPast, Timestamp.distantFuture), (.distantFuture, .distantPast),
        ] {
            let freshness = Freshness(of: time, at: now, every: .microseconds(Int64.max))
            #expect(freshness.age >= .zero)
            #expect(freshness.isStale == false)
        }
    }

    @Test(arguments: [
        (CollectionLevel.medium, Duration.seconds(1)), (.low, .seconds(10)),
        (.every(.seconds(60)), .seconds(60)),
    ])
    func `the interval of a sensor that the host reads is that of its level`(
        level: CollectionLevel, interval: Duration
    ) async throws {
        let place = try TestMachine()
        let sensor = FakeSensor("probe")
        try await place.using(sensor) { machine in
            try await machine.setLevel(level, of: "probe")
            #expect(await machine.status(of: "probe")?.freshness == nil)
            await machine.collectOnce()
            #expect(await machine.status(of: "probe")?.interval == interval)
            #expect(await machine.status(of: "probe")?.freshness?.isStale == false)
            place.clock.advance(by: max(interval * 3, .seconds(10)) + .seconds(1))
            let late = try #require(await machine.status(of: "probe")?.freshness)
            #expect(late.isStale == true)
            #expect(late.age == max(interval * 3, .seconds(10)) + .seconds(1))
            // Also when it is gone.
            sensor.isThere(false)
            try await machine.lookForSensors()
            #expect(await machine.status(of: "probe")?.freshness?.isStale == true)
        }
    }

    private static func batch(_ seconds: [Double]) -> SampleBatch {
        SampleBatch(
            times: seconds.map { Timestamp(microseconds: start + Int64($0 * 1_000_000)) },
            columns: [.numbers(seconds)])
    }

    /// The batches that are published, and the longest of the last intervals, in seconds.
    @Test(
        arguments: [
            ([[0]], nil), ([[0], [60]], 60), ([[0], [60], [61]], 60),
            // What comes together counts as one.
            ([[0, 1, 2], [60, 61, 62], [120, 121, 122]], 60),
            // Late samples do not count.
            ([[0], [60], [10], [20], [120]], 60),
            // Only the last eight.
            ([[0], [900]] + (1...8).map { [900 + Double($0)] }, 1),
            // A clock that was ahead.
            ([[0], [1e8]] + (1...9).map { [Double($0)] }, 1),
        ] as [([[Double]], Double?)])
    func `the interval of a sensor that others publish is the longest of the last ones`(
        batches: [[Double]], interval: Double?
    ) async throws {
        let place = try TestMachine()
        try await place.using { machine in
            _ = try await machine.declare(
                Sensor(declared: "steps", title: "Steps", fields: [Field("x", unit: "1")]))
            for batch in batches { try await machine.publish(Self.batch(batch), to: "steps") }
            #expect(await machine.status(of: "steps")?.interval == interval.map(Self.seconds))
        }
    }

    @Test func `after a clock jumped ahead and back the newest sample is the current one`()
        async throws
    {
        let place = try TestMachine()
        let sensor = FakeSensor("probe")
        let now = place.clock.now()
        let jump = now.advanced(by: .seconds(10 * 365 * 86_400))
        try await place.using(sensor) { machine in
            await machine.collectOnce()
            place.clock.set(to: jump)
            await machine.collectOnce()
            #expect(await machine.status(of: "probe")?.newest?.time == jump)
            #expect(await machine.status(of: "probe")?.future == nil)
            place.clock.set(to: now)
            let status = try #require(await machine.status(of: "probe"))
            #expect(status.newest?.time == now)
            #expect(status.future == jump)
            #expect(status.freshness?.age == .zero)
        }
        // After a restart, too; and what comes then is the newest.
        try await place.using(sensor) { machine in
            #expect(await machine.status(of: "probe")?.newest?.time == now)
            place.clock.advance(by: .seconds(5))
            await machine.collectOnce()
            let status = try #require(await machine.status(of: "probe"))
            #expect(status.newest?.time == now.advanced(by: .seconds(5)))
            #expect(status.future == jump)
            #expect(try await machine.all("probe").map(\.time).last == jump)
            _ = try await machine.retention.forget(
                "probe", TimeRange(from: now.advanced(by: .seconds(6)), to: .distantFuture))
            #expect(await machine.status(of: "probe")?.future == nil)
        }
    }

    @Test func `a sensor whose samples are all in the future has no newest sample`()
        async throws
    {
        let place = try TestMachine()
        try await place.using { machine in
            _ = try await machine.declare(
                Sensor(declared: "steps", title: "Steps", fields: [Field("x", unit: "1")]))
            // Clocks may differ by less than five minutes.
            try await machine.publish(Self.batch([299]), to: "steps")
            #expect(await machine.status(of: "steps")?.freshness?.age == .zero)
            _ = try await machine.retention.forget("steps", .all)
            try await machine.publish(Self.batch([300]), to: "steps")
            let status = try #require(await machine.status(of: "steps"))
            #expect(status.newest == nil)
            #expect(status.hasSamples)
        }
    }
}
