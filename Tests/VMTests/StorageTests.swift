import Foundation
import Samples
import TestSupport
import Testing

@testable import VM

struct StorageTests {
    private let machine: TestMachine
    private let sensor = FakeSensor("probe")

    init() throws {
        machine = try TestMachine()
    }

    @Test func `retention rules are applied once a minute while the machine collects`() async throws
    {
        let started = try await machine.start(sensor)
        try await started.setLevel(.every(.seconds(1)), of: "probe")
        try await started.retention.setRule(RetentionRule(raw: .zero), for: "probe")
        try await machine.collecting(started, sleepers: 1) {
            await machine.clock.run(for: .seconds(59))
            await started.retention.finish()
            #expect(await started.samples.prunedThrough("probe") == 0)
            // The hour of these samples ends, and a minute later they are pruned.
            await machine.clock.run(for: .seconds(3661))
        }
        #expect(await started.samples.prunedThrough("probe") > 0)
        let storage = try #require(try await started.retention.report().sensors.first)
        #expect(storage.summarised > 0)
        #expect(storage.samples + storage.summarised == Int64(sensor.reads))
        await started.close()
    }

    @Test func `a new retention rule is applied at once`() async throws {
        let started = try await machine.start(sensor)
        await started.collectOnce()
        await machine.clock.run(for: .seconds(7200))
        await started.collectOnce()
        try await started.retention.setRule(RetentionRule(raw: .seconds(60)), for: "probe")
        await started.retention.finish()
        #expect(try await started.all("probe").count == 1)
        #expect(try await started.retention.report().sensors.map(\.summarised) == [1])
        await started.close()
    }

    @Test func `closing ends the maintenance that a new rule began, without a failure`()
        async throws
    {
        let started = try await machine.start(sensor)
        await started.collectOnce()
        try await started.retention.setRule(RetentionRule(raw: .seconds(60)), for: "probe")
        await started.close()
        await started.retention.finish()
        #expect(await started.status().failure == nil)
    }

    @Test func `an unknown sensor cannot be forgotten`() async throws {
        let started = try await machine.start(sensor)
        let error = await #expect(throws: VirtualMachineError.self) {
            try await started.retention.forget("nobody", .all)
        }
        #expect(error?.code == .unknownSensor)
        await started.close()
    }
}
