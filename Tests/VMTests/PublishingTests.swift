import Foundation
import Samples
import Testing

@testable import VM

struct PublishingTests {
    private static func steps() throws -> Sensor {
        try Sensor(
            declared: "steps", title: "Steps", fields: [Field("count", kind: .integer)])
    }

    private static func batch(_ counts: Int64...) -> SampleBatch {
        SampleBatch(
            times: counts.map { Timestamp(microseconds: $0) }, columns: [.integers(counts)])
    }

    private static func key(_ name: String, _ digest: UInt8 = 0, by client: String = "a")
        -> BatchKey
    {
        BatchKey(client: client, name: name, digest: [digest])
    }

    @Test func `a declared sensor and its samples persist across a restart`() async throws {
        let place = try TestMachine()
        try await place.using { machine in
            #expect(try await machine.declare(Self.steps()))
            #expect(try await machine.declare(Self.steps()) == false)
            try await machine.publish(Self.batch(1, 2), to: "steps")
        }
        try await place.using { machine in
            let status = try #require(await machine.status(of: "steps"))
            #expect(status.sensor == (try Self.steps()))
            #expect(status.state == .available)
            #expect(try await machine.all("steps").count == 2)
            try await machine.withdraw("steps")
        }
        try await place.using { machine in
            #expect(await machine.status(of: "steps") == nil)
            try await machine.lookForSensors()
            #expect(await machine.status(of: "steps") == nil)
        }
    }

    @Test func `discovery does not change declared sensors`() async throws {
        let place = try TestMachine()
        try await place.using { machine in
            _ = try await machine.declare(Self.steps())
            try await machine.lookForSensors()
            #expect(await machine.status(of: "steps")?.state == .available)
            try await machine.setLevel(.off, of: "steps")
            try await machine.lookForSensors()
            await #expect(throws: VirtualMachineError.self) {
                try await machine.publish(Self.batch(1), to: "steps")
            }
        }
    }

    @Test func `a sensor that the host reads cannot be published to`() async throws {
        let place = try TestMachine()
        try await place.using(FakeSensor("probe")) { machine async throws in
            let batch = SampleBatch(
                times: [Timestamp(microseconds: 1)], columns: [.numbers([1])])
            let plain = await #expect(throws: VirtualMachineError.self) {
                try await machine.publish(batch, to: "probe")
            }
            let named = await #expect(throws: VirtualMachineError.self) {
                try await machine.publish(batch, to: "probe", key: Self.key("k"))
            }
            for error in [plain, named] {
                #expect(error?.code == .sensorCollected)
                #expect(error?.hint?.contains("sensors add") == true)
            }
            #expect(try await machine.all("probe").isEmpty)
            #expect(await machine.isPublished("probe") == false)
        }
    }

    @Test func `a damaged file of declarations is reported and not overwritten`() async throws {
        let place = try TestMachine()
        try await place.using { machine in _ = try await machine.declare(Self.steps()) }
        let path = place.path + "/declared-sensors.json"
        try "{".write(toFile: path, atomically: true, encoding: .utf8)
        let error = await #expect(throws: VirtualMachineError.self) { try await place.start() }
        #expect(error?.code == .dataUnusable)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "{")
    }

    @Test func `a key identifies one batch, and a failed batch can be repeated`() async throws {
        let place = try TestMachine()
        try await place.using { machine in
            _ = try await machine.declare(Self.steps())
            let first = try await machine.publish(Self.batch(1), to: "steps", key: Self.key("k"))
            let again = try await machine.publish(Self.batch(1), to: "steps", key: Self.key("k"))
            #expect((first.accepted, first.last) == (again.accepted, again.last))
            #expect((first.isRepeated, again.isRepeated) == (false, true))
            let other = await #expect(throws: VirtualMachineError.self) {
                try await machine.publish(Self.batch(2), to: "steps", key: Self.key("k", 1))
            }
            #expect(other?.code == .keyReused)
            try await machine.setLevel(.off, of: "steps")
            await #expect(throws: VirtualMachineError.self) {
                try await machine.publish(Self.batch(3), to: "steps", key: Self.key("l"))
            }
            try await machine.setLevel(.low, of: "steps")
            _ = try await machine.publish(Self.batch(3), to: "steps", key: Self.key("l"))
            #expect(try await machine.all("steps").count == 2)
        }
    }

    @Test func `a key is known to a later session, and not to other clients or sensors`()
        async throws
    {
        let place = try TestMachine()
        let first = try await place.using { machine in
            _ = try await machine.declare(Self.steps())
            return try await machine.publish(Self.batch(1, 2), to: "steps", key: Self.key("k"))
        }
        try await place.using { machine in
            let again = try await machine.publish(
                Self.batch(1, 2), to: "steps", key: Self.key("k"))
            #expect((first.accepted, first.last) == (again.accepted, again.last))
            #expect(again.isRepeated)
            #expect(try await machine.all("steps").count == 2)
            _ = try await machine.publish(
                Self.batch(1, 2), to: "steps", key: Self.key("k", by: "b"))
            #expect(try await machine.all("steps").count == 4)
            let other = await #expect(throws: VirtualMachineError.self) {
                try await machine.publish(Self.batch(2), to: "steps", key: Self.key("k", 1))
            }
            #expect(other?.code == .keyReused)
        }
    }

    @Test func `concurrent repetitions of a batch are stored once`() async throws {
        let place = try TestMachine()
        try await place.using { machine in
            _ = try await machine.declare(Self.steps())
            let receipts = try await withThrowingTaskGroup(of: BatchReceipt.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await machine.publish(
                            Self.batch(1, 2, 3), to: "steps", key: Self.key("k"))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(receipts.map { [Int64($0.accepted), $0.last] }) == [[3, 3]])
            #expect(receipts.filter { !$0.isRepeated }.count == 1)
            #expect(try await machine.all("steps").count == 3)
        }
    }
}
