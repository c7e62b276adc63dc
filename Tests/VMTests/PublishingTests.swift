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

    @Test func `a declared sensor and its samples outlive the machine`() async throws {
        let place = try Machine()
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
            try await machine.discover()
            #expect(await machine.status(of: "steps") == nil)
        }
    }

    @Test func `a look for hardware leaves declared sensors as they are`() async throws {
        let place = try Machine()
        try await place.using { machine in
            _ = try await machine.declare(Self.steps())
            try await machine.discover()
            #expect(await machine.status(of: "steps")?.state == .available)
            try await machine.setLevel(.off, of: "steps")
            try await machine.discover()
            await #expect(throws: VirtualMachineError.self) {
                try await machine.publish(Self.batch(1), to: "steps")
            }
        }
    }

    @Test func `a file of declarations that is damaged is said, and not written over`() async throws
    {
        let place = try Machine()
        try await place.using { machine in _ = try await machine.declare(Self.steps()) }
        let path = place.path + "/declared-sensors.json"
        try "{".write(toFile: path, atomically: true, encoding: .utf8)
        let error = await #expect(throws: VirtualMachineError.self) { try await place.start() }
        #expect(error?.code == .dataUnusable)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "{")
    }

    @Test func `a key stands for one batch, and what failed may come again`() async throws {
        let place = try Machine()
        try await place.using { machine in
            _ = try await machine.declare(Self.steps())
            let first = try await machine.publish(Self.batch(1), to: "steps", key: Self.key("k"))
            let again = try await machine.publish(Self.batch(1), to: "steps", key: Self.key("k"))
            #expect(first == again)
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

    @Test func `keys are kept for a day, and so many of each client`() {
        var table = BatchKeyTable()
        let done = Task {
            Result<BatchReceipt, VirtualMachineError>.success(.init(accepted: 1, last: 1))
        }
        let start = Timestamp(microseconds: 0)
        table.note(Self.key("old", by: "b"), of: "steps", done, at: start)
        for number in 0...BatchKeyTable.mostPerClient {
            table.note(
                Self.key("\(number)"), of: "steps", done,
                at: start.advanced(byMicroseconds: Int64(number)))
        }
        let soon = start.advanced(byMicroseconds: BatchKeyTable.lifetime - 1)
        #expect(table.find(Self.key("0"), of: "steps", at: soon) == nil)
        #expect(table.find(Self.key("1"), of: "steps", at: soon) != nil)
        #expect(table.find(Self.key("1"), of: "load", at: soon) == nil)
        #expect(table.find(Self.key("old", by: "b"), of: "steps", at: soon) != nil)
        let late = start.advanced(byMicroseconds: BatchKeyTable.lifetime)
        #expect(table.find(Self.key("old", by: "b"), of: "steps", at: late) == nil)
    }
}
