import Foundation
import Logging
import Samples
import Testing

@testable import VM

/// Capturing samples in the buffer of a device.
@Suite(.timeLimit(.minutes(10)))
struct CaptureTests {
    /// Collects from a tree's accelerometer until `body` has ended.
    private func collecting(
        _ buffer: BufferTree, level: CollectionLevel,
        _ body: (VirtualMachine, AsyncStream<Void>) async throws -> Void
    ) async throws {
        let folder = try FixtureTree(["data/x": ""])
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        let machine = try await VirtualMachine.start(
            in: folder.path("data"), drivers: [IIODriver(roots: buffer.tree.roots)], logger: quiet)
        try await machine.setLevel(level, of: "accelerometer")
        let arrivals = await machine.samples.arrivalSignals(of: "accelerometer")
        let collection = Task { await machine.collect() }
        try await body(machine, arrivals)
        collection.cancel()
        await collection.value
        await machine.close()
    }

    @Test func `a device captures samples at the highest level and is released afterwards`()
        async throws
    {
        let buffer = try BufferTree()
        let before = try buffer.state()
        let now = Timestamp.now()
        buffer.send(
            (0..<3).flatMap { step in
                BufferTree.scan(
                    100, 0, 0, nanoseconds: (now.microseconds + Int64(step) * 10_000) * 1000)
            })
        try await collecting(buffer, level: .high) { machine, arrivals async throws in
            for await _ in arrivals { break }
            let samples = try await machine.samples.rows(
                SampleQuery(sensor: "accelerometer", limit: 9))
            #expect(samples.map(\.time) == [0, 10_000, 20_000].map(now.advanced))
            #expect(samples.allSatisfy { $0.values.first == .number(51) })
            let status = await machine.status(of: "accelerometer")
            #expect(status?.note == nil && status?.failure == nil)
            #expect(try buffer.state()["buffer/enable"] == "1")
        }
        #expect(try buffer.state() == before)
    }

    @Test func `a device that cannot capture is polled, and the reason is reported`()
        async throws
    {
        let buffer = try BufferTree(hasNode: false)
        let before = try buffer.state()
        try await collecting(buffer, level: .every(.milliseconds(5))) {
            machine, arrivals async throws in
            for await _ in arrivals { break }
            let status = try #require(await machine.status(of: "accelerometer"))
            #expect(status.note?.hasPrefix("its samples are read one by one, ") == true)
            #expect(status.note?.contains("/dev/iio:device3") == true)
            #expect(status.state == .available)
            #expect(status.newest?.values == [.number(9), .number(-15), .number(501)])
        }
        #expect(try buffer.state() == before)
    }

    @Test func `a device does not capture at lower levels`() async throws {
        let buffer = try BufferTree()
        let before = try buffer.state()
        try await collecting(buffer, level: .every(.milliseconds(20))) {
            machine, arrivals async throws in
            for await _ in arrivals { break }
            #expect(await machine.status(of: "accelerometer")?.note == nil)
            #expect(try buffer.state() == before)
        }
    }

    @Test func `a device is released before it is read in another way`() async throws {
        let buffer = try BufferTree()
        let before = try buffer.state()
        try await collecting(buffer, level: .high) { machine, arrivals async throws in
            buffer.send(BufferTree.scan(100, 0, 0, nanoseconds: 0))
            var arrivals = arrivals.makeAsyncIterator()
            await arrivals.next()
            try await machine.setLevel(.medium, of: "accelerometer")
            await arrivals.next()
            #expect(try buffer.state() == before)
            #expect(await machine.samples.newest(of: "accelerometer")?.values.first == .number(9))
        }
    }
}
