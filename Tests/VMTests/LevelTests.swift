import Foundation
import Samples
import TestSupport
import Testing

@testable import VM

@Suite(.blocking)
struct LevelTests {
    private let machine: TestMachine
    private let sensor = FakeSensor("probe")

    init() throws {
        machine = try TestMachine()
    }

    @Test func `a sensor that is off is never read or stored`() async throws {
        let started = try await machine.start(sensor)
        try await started.setLevel(.off, of: "probe")
        try await machine.collecting(started, sleepers: 0) {
            await machine.clock.run(for: .seconds(120))
            await started.collectOnce()
            _ = await started.samples.newest(of: "probe")
            _ = await started.statuses()
            let count = try await started.all("probe").count
            #expect(count == 0)
            #expect(sensor.reads == 0)
            try await started.setLevel(.medium, of: "probe")
            await machine.clock.waitForSleepers(3)
            await machine.clock.run(for: .seconds(2))
            #expect(sensor.reads == 3)
            try await started.setLevel(.off, of: "probe")
            await machine.clock.run(for: .seconds(60))
        }
        #expect(sensor.reads == 3)
        #expect(try await started.all("probe").count == 3)
        #expect(await started.status().samples == 3)
        await started.close()
    }

    @Test(arguments: [CollectionLevel.off, .high])
    func `a read in progress is not stored after a change of the level`(
        level: CollectionLevel
    ) async throws {
        let (readings, reading) = AsyncStream.makeStream(of: Void.self)
        let mayAnswer = DispatchSemaphore(value: 0)
        let slow = FakeSensor("slow") {
            reading.yield()
            mayAnswer.wait()
        }
        let started = try await machine.start(slow)
        let once = Task { await started.collectOnce() }
        for await _ in readings { break }
        try await started.setLevel(level, of: "slow")
        mayAnswer.signal()
        await once.value
        #expect(slow.reads == 1)
        #expect(try await started.all("slow").isEmpty)
        #expect(await started.status().samples == 0)
        await started.close()
    }

    @Test func `levels persist across a restart`() async throws {
        let levels: [(SensorID, CollectionLevel)] = [
            ("a", .off), ("b", .high), ("c", .every(.milliseconds(2500))), ("d", .low),
        ]
        let sensors = levels.map { FakeSensor($0.0) }
        let drivers: [any SensorDriver] = sensors
        for isFirst in [true, false] {
            let started = try await VirtualMachine.start(in: machine.path, drivers: drivers)
            for (id, level) in levels {
                if isFirst { try await started.setLevel(level, of: id) }
                #expect(await started.status(of: id)?.level == level)
            }
            await started.close()
        }
        let started = try await VirtualMachine.start(in: machine.path, drivers: drivers)
        await started.collectOnce()
        #expect(sensors.map(\.reads) == [0, 1, 1, 1])
        await started.close()
    }

    @Test func `the level of a kind applies to its instances, including later ones`()
        async throws
    {
        let (one, two) = (FakeSensor("net.one"), FakeSensor("net.two"))
        let other = FakeSensor("network")
        two.isThere(false)
        try await machine.using(one, two, other) { started in
            try await started.setLevel(.high, of: "net.one")
            try await started.setLevel(.off, of: "net")
            #expect(await started.status(of: "net.one")?.level == .off)
            #expect(await started.status(of: "network")?.level == VirtualMachine.defaultLevel)
            try await started.setLevel(.low, of: "net.one")
            #expect(await started.status(of: "net.one")?.level == .low)
        }
        two.isThere(true)
        try await machine.using(one, two, other) { again in
            #expect(await again.status(of: "net.one")?.level == .low)
            #expect(await again.status(of: "net.two")?.level == .off)
            await again.collectOnce()
        }
        #expect((one.reads, two.reads, other.reads) == (1, 0, 1))
    }

    @Test func `the level of a kind replaces those of its instances`() async throws {
        let one = FakeSensor("net.one")
        try await machine.using(one) { started in
            try await started.setLevel(.high, of: "net.one")
            try await started.setLevel(.off, of: "net")
        }
        try await machine.using(one) { again in
            #expect(await again.status(of: "net.one")?.level == .off)
            await again.collectOnce()
        }
        #expect(one.reads == 0)
    }

    @Test func `a sensor that is switched off before its read is not read`() async throws {
        let (readings, reading) = AsyncStream.makeStream(of: SensorID.self)
        let mayAnswer = DispatchSemaphore(value: 0)
        let ids: [SensorID] = ["one", "two"]
        let sensors = ids.map { id in
            FakeSensor(id) {
                reading.yield(id)
                mayAnswer.wait()
            }
        }
        let drivers: [any SensorDriver] = sensors
        let started = try await VirtualMachine.start(in: machine.path, drivers: drivers)
        let once = Task { await started.collectOnce() }
        for await first in readings {
            for id in ids where id != first { try await started.setLevel(.off, of: id) }
            break
        }
        for _ in ids { mayAnswer.signal() }
        await once.value
        #expect(sensors.map(\.reads).sorted() == [0, 1])
        #expect(await started.status().samples == 1)
        await started.close()
    }

    @Test func `a level for an unknown sensor is rejected`() async throws {
        let started = try await machine.start(sensor)
        let error = await #expect(throws: VirtualMachineError.self) {
            try await started.setLevel(.off, of: "pro")
        }
        #expect(error?.code == .unknownSensor)
        await started.close()
    }

    @Test func `concurrent level changes end with the same level in memory and store`() async throws
    {
        for _ in 0..<20 {
            let level = try await machine.using(sensor) { started in
                await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<8 {
                        group.addTask {
                            try await started.setLevel(number % 2 == 0 ? .off : .high, of: "probe")
                        }
                    }
                }
                let level = try #require(await started.status(of: "probe")).level
                let before = try await started.all("probe").count
                await started.collectOnce()
                let isRead = try await started.all("probe").count > before
                #expect(isRead == (level != .off))
                return level
            }
            try await machine.using(sensor) { again in
                #expect(await again.status(of: "probe")?.level == level)
            }
        }
    }

    @Test(arguments: [
        ("off", CollectionLevel.off), ("low", .low), ("medium", .medium), ("high", .high),
        ("auto", .auto), ("1ms", .every(.milliseconds(1))), ("5m", .every(.seconds(300))),
    ])
    func `the descriptions of levels are parsed again`(text: String, level: CollectionLevel) {
        #expect(CollectionLevel(text) == level)
        #expect(level.description == text)
    }

    @Test func `a custom interval replaces that of the level until a level is set`()
        async throws
    {
        let started = try await machine.start(sensor)
        func reads(in seconds: Int) async throws -> Int {
            let before = sensor.reads
            try await machine.collecting(started, sleepers: 1) {
                await machine.clock.run(for: .seconds(seconds))
            }
            return sensor.reads - before
        }
        // The default level, medium: one read per second.
        #expect(await started.status(of: "probe")?.level == .medium)
        #expect(try await reads(in: 10) == 11)
        try await started.setLevel(.every(.seconds(5)), of: "probe")
        #expect(try await reads(in: 10) == 3)
        try await started.setLevel(.medium, of: "probe")
        #expect(try await reads(in: 10) == 11)
        await started.close()
    }

    @Test(arguments: ["", "Off", "on", "0s", "999us", "-1s", "1", "nan", "5 m"])
    func `other texts are not levels`(text: String) {
        #expect(CollectionLevel(text) == nil)
    }
}
