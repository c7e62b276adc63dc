import Foundation
import Samples
import Statistics
import Synchronization
import Testing

@testable import SampleStore

/// Many writers and readers on one store during sealing.
struct ConcurrentLoadTests {
    private static let isLong = ProcessInfo.processInfo.environment["NERVOUS_LONG_TESTS"] == "1"
    private static let writers = 10
    private static let readers = 50

    /// The last accepted sample of each sensor, and the durations of reads.
    private final class LoadRecord: Sendable {
        let accepted = Mutex([Int64](repeating: 0, count: ConcurrentLoadTests.writers))
        let waits = Mutex([Duration]())
        let isOver = Mutex(false)
    }

    @Test(arguments: [0, 1024])
    func `every reader sees accepted samples under concurrent writes`(
        rowBytes: Int
    ) async throws {
        let folder = try TemporaryStore()
        var rules = ChunkRules(chunkSize: 256, unsealedRows: 8, groupSize: 4)
        rules.rowBytes = rowBytes
        let store = try await SampleStore(path: folder.path, rules: rules)
        for writer in 0..<Self.writers {
            try await store.register(Self.sensor(writer), fields: TemporaryStore.fields)
        }
        let notes = LoadRecord()
        let clock = ContinuousClock()
        let end = clock.now + (Self.isLong ? .seconds(60) : .seconds(2))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<Self.writers {
                group.addTask {
                    var time: Int64 = 0
                    while clock.now < end {
                        let samples = (0..<8).map { _ -> Sample in
                            time += 1
                            return TemporaryStore.sample(time, time)
                        }
                        let last = try await store.append(samples, to: Self.sensor(writer))
                        guard let last else { continue }
                        notes.accepted.withLock { $0[writer] = last }
                        if time % 40 == 0 { try await store.flush() }
                    }
                    notes.isOver.withLock { $0 = true }
                }
            }
            for reader in 0..<Self.readers {
                group.addTask {
                    while !notes.isOver.withLock({ $0 }) {
                        try await Self.read(store, reader, notes, clock)
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
        let waits = notes.waits.withLock { $0.sorted() }
        let worst = try #require(waits.dropLast(waits.count / 100).last)
        print("newest of \(waits.count) answers, 99 of 100 within \(worst)")
        var total = 0
        for writer in 0..<Self.writers {
            let found = try await store.samples(
                SampleQuery(sensor: Self.sensor(writer), limit: .max))
            #expect(found.map(\.time.microseconds) == Array(1..<Int64(found.count) + 1))
            total += found.count
        }
        #expect(total == Int(await store.lastSequence))
        #expect(await store.status.failure == nil)
        try await store.close()
        #expect(try await SampleStore.faults(inFile: folder.path).isEmpty)
    }

    // MARK: - Private

    private static func sensor(_ writer: Int) -> SensorID {
        SensorID("load.w\(writer)") ?? TemporaryStore.sensor
    }

    private static func read(
        _ store: SampleStore, _ reader: Int, _ notes: LoadRecord, _ clock: ContinuousClock
    ) async throws {
        let writer = reader % writers
        let before = notes.accepted.withLock { $0[writer] }
        let start = clock.now
        let newest = await store.newest(of: sensor(writer))
        notes.waits.withLock { $0.append(clock.now - start) }
        #expect(newest?.sequence ?? 0 >= before)
        guard before > 0 else { return }
        switch reader / writers {
        case 0:
            let query = SampleQuery(sensor: sensor(writer), order: .descending, limit: 30)
            let found = try await store.samples(query)
            #expect(found.first?.sequence ?? 0 >= before)
            let times = found.map(\.time.microseconds)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 == $1 + 1 })
        case 1:
            let found = try await store.arrivals(of: sensor(writer), after: before - 1, limit: 1)
            #expect(found.first?.sequence == before)
        case 2:
            let query = SummaryQuery(
                sensor: sensor(writer), fields: TemporaryStore.fields, range: .all)
            let known = try await store.summaries(query)[0].fields[0]
            #expect(known.last?.position.sequence ?? 0 >= before)
            // 1, 2, 3 … without a gap.
            let count = Double(known.count)
            #expect(known.moments.sum == count * (count + 1) / 2)
        default: break
        }
    }
}
