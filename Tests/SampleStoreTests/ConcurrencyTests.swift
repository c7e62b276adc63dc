import Foundation
import GRDB
import Samples
import Testing

@testable import SampleStore

struct ConcurrencyTests {
    private let folder: TemporaryStore

    init() throws {
        folder = try TemporaryStore()
    }

    @Test func `no sample is accepted once a sensor is no longer admitted`() async throws {
        let store = try await folder.open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 as Range<Int64> {
                group.addTask {
                    for number in 0..<200 as Range<Int64> {
                        try await store.add([(number, worker)])
                        await Task.yield()
                    }
                }
            }
            group.addTask {
                for _ in 0..<20 {
                    await store.admit(false, "probe")
                    let last = await store.lastSequence
                    let count = try await store.all().count
                    for _ in 0..<20 { await Task.yield() }
                    #expect(await store.lastSequence == last)
                    #expect(try await store.all().count == count)
                    await store.admit(true, "probe")
                    for _ in 0..<20 { await Task.yield() }
                }
                await store.admit(false, "probe")
            }
            try await group.waitForAll()
        }
        #expect(try await store.append([TemporaryStore.sample(1, 1)], to: "probe") == nil)
        try await store.flush()
        #expect(try await store.all().count == Int(await store.lastSequence))
    }

    @Test func `concurrent flushes share a few transactions`() async throws {
        let store = try await folder.open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<500 as Range<Int64> {
                group.addTask {
                    let last = try await store.append(
                        [TemporaryStore.sample(number, number)], to: "probe")
                    try await store.flush()
                    #expect(await store.status.acknowledged >= last ?? .max)
                }
            }
            try await group.waitForAll()
        }
        let writes = await store.status.writes
        #expect((1..<250).contains(writes), "\(writes) transactions")
        #expect(try await store.all().count == 500)
        try await store.flush()
        #expect(await store.status.writes == writes)
    }

    @Test func `writes wait for sealing when a source is too fast`() async throws {
        let rules = ChunkRules(chunkSize: 16, unsealedRows: 4, groupSize: 3, backlog: 4)
        let store = try await folder.open(rules: rules)
        var most = 0
        for group in 0..<150 as Range<Int64> {
            try await store.add((0..<40).map { (group * 40 + $0, $0) })
            try await store.flush()
            let fresh = try await store.file.pool.read { database in
                try Int.fetchOne(database, sql: "SELECT coalesce(sum(count), 0) FROM fresh")
            }
            most = max(most, fresh ?? 0)
        }
        // The limit, a group, and one more write before sealing began.
        #expect(most <= 4 * 16 + 3 * 40, "\(most) samples were fresh")
        #expect(try await store.all().count == 6000)
    }

    @Test func `concurrent reads see every sample once and in order`() async throws {
        let store = try await folder.open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1...400 as ClosedRange<Int64> {
                    try await store.add([(number / 3, number)])
                    if number % 7 == 0 { try await store.flush() }
                }
            }
            for order in [SampleQuery.Order.ascending, .descending] {
                group.addTask {
                    var count: Int64 = 0
                    while count < 400 {
                        let before = await store.lastSequence
                        let found = try await store.all(order).map(\.sequence)
                        let ordered = order == .ascending ? found : found.reversed()
                        count = Int64(found.count)
                        #expect(ordered == Array(1..<(count + 1)))
                        #expect(count >= before)
                    }
                }
            }
            group.addTask {
                var last: Int64 = 0
                while last < 400 {
                    for sample in try await store.arrivals(of: "probe", after: last, limit: 11) {
                        #expect(sample.sequence == last + 1)
                        last = sample.sequence
                    }
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `a full buffer drops and counts samples, and accepts them again after a flush`()
        async throws
    {
        let store = try await folder.open()
        let one = TemporaryStore.sample(1, 1)
        let many = Array(repeating: one, count: SampleStore.bufferLimit)
        #expect(try await store.append(many, to: "probe") == Int64(SampleStore.bufferLimit))
        #expect(try await store.append([one, one], to: "probe") == nil)
        #expect(await store.status.dropped == 2)
        #expect(await store.lastSequence == Int64(SampleStore.bufferLimit))
        try await store.flush()
        #expect(try await store.append([one], to: "probe") == Int64(SampleStore.bufferLimit) + 1)
        #expect(await store.status.dropped == 2)
        #expect(await store.status.buffered == 1)
    }

    @Test func `a failed write is reported and retried with its samples`() async throws {
        let store = try await folder.open()
        let file = try SampleFile(path: folder.path)
        try await file.pool.write { database in
            try database.execute(
                sql: """
                    CREATE TRIGGER refuse BEFORE INSERT ON fresh
                    BEGIN SELECT RAISE(FAIL, 'no'); END
                    """)
        }
        try await store.add([(1, 1), (2, 2)])
        for _ in 0..<3 {
            await #expect(throws: SampleStoreError.self) { try await store.flush() }
        }
        #expect(await store.status.failure != nil)
        #expect(await store.status.acknowledged == 0)
        #expect(try await store.all().count == 2)
        try await file.pool.write { try $0.execute(sql: "DROP TRIGGER refuse") }
        try await store.flush()
        #expect(await store.status.failure == nil)
        #expect(await store.status.acknowledged == 2)
        #expect(try await store.all().count == 2)
    }
}
