import GRDB
import Samples
import Testing

@testable import SampleStore

/// Unsealed rows that several transactions write.
struct ExtendedRowTests {
    private let folder: TemporaryStore

    init() throws {
        folder = try TemporaryStore()
    }

    private static func rows(_ store: SampleStore) async throws -> [Int] {
        try await store.file.pool.read { database in
            try Int.fetchAll(database, sql: "SELECT count FROM fresh ORDER BY first")
        }
    }

    @Test func `transactions extend a row until it is large, and every read sees each sample once`()
        async throws
    {
        let store = try await folder.open([Field("x")])
        for number in 1...600 as ClosedRange<Int64> {
            // Irregular numbers, so that rows grow.
            let value = Double(number * 7919 % 10_007) / 7
            try await store.append(
                [Sample(time: Timestamp(microseconds: number), values: [.number(value)])],
                to: "probe")
            try await store.flush()
            let arrivals = try await store.arrivals(of: "probe", after: number - 2, limit: 9)
            #expect(arrivals.map(\.sequence) == Array(max(1, number - 1)...number))
        }
        let rows = try await Self.rows(store)
        #expect(rows.reduce(0, +) == 600)
        #expect((3...20).contains(rows.count), "\(rows)")
        let all = Array(1...600 as ClosedRange<Int64>)
        #expect(try await store.all().map(\.sequence) == all)
        #expect(try await store.all(.descending).map(\.sequence) == all.reversed())
        try await store.close()
        #expect(try await SampleStore.faults(inFile: folder.path).isEmpty)
        #expect(try await folder.open([Field("x")]).all().map(\.sequence) == all)
    }

    @Test func `a row is not extended beyond its span of sequence numbers`() async throws {
        var rules = ChunkRules.standard
        rules.rowSpan = 10
        let store = try await folder.open(rules: rules)
        for number in 1...25 as ClosedRange<Int64> {
            try await store.add([(number, number)])
            try await store.flush()
        }
        #expect(try await Self.rows(store) == [10, 10, 5])
        #expect(try await store.all().map(\.sequence) == Array(1...25))
    }

    @Test func `a row that was extended is not removed by a plan from before`() async throws {
        let store = try await folder.open()
        try await store.add([(1, 1), (2, 2)])
        try await store.flush()
        let layout = try #require(await store.layout(of: "probe"))
        let plan = try #require(
            try await store.file.pool.read { try SealingPlan(layout, .standard, $0) })
        try await store.add([(3, 3)])
        try await store.flush()
        #expect(try await Self.rows(store) == [3])
        await #expect(throws: SealingPlan.Outdated.self) {
            try await store.file.pool.write { try plan.apply($0) }
        }
        #expect(try await Self.rows(store) == [3])
        while try await store.maintenance.seal(layout) {}
        try await store.add([(4, 4)])
        try await store.flush()
        #expect(try await Self.rows(store) == [1])
        #expect(try await store.all().map(\.sequence) == [1, 2, 3, 4])
    }

    @Test func `sealing while a row is extended loses nothing`() async throws {
        let store = try await folder.open()
        let layout = try #require(await store.layout(of: "probe"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1...400 as ClosedRange<Int64> {
                    try await store.add([(number, number)])
                    try await store.flush()
                }
            }
            group.addTask {
                while await store.lastSequence < 400 { try await store.maintenance.sealAll(layout) }
            }
            try await group.waitForAll()
        }
        #expect(try await store.all().map(\.sequence) == Array(1...400))
        try await store.close()
        #expect(try await SampleStore.faults(inFile: folder.path).isEmpty)
    }

    @Test func `what was forgotten is not in a row that is extended later`() async throws {
        let store = try await folder.open()
        try await store.add([(1, 1), (2, 2), (3, 3)])
        try await store.flush()
        let range = TimeRange(from: Timestamp(microseconds: 2), to: Timestamp(microseconds: 3))
        #expect(try await store.forget("probe", range, at: .now()).samples == 1)
        try await store.add([(4, 4)])
        try await store.flush()
        #expect(try await store.all().map(\.sequence) == [1, 3, 4])
        #expect(try await Self.rows(store) == [3])
        #expect(try await store.forget("probe", .all, at: .now()).samples == 3)
        try await store.add([(5, 5)])
        try await store.flush()
        #expect(try await store.all().map(\.sequence) == [5])
    }

    @Test func `a damaged row is not extended`() async throws {
        let store = try await folder.open()
        try await store.add([(1, 1)])
        try await store.flush()
        try await store.file.pool.write { database in
            try database.execute(sql: "UPDATE fresh SET data = x'0102'")
        }
        try await store.add([(2, 2)])
        try await store.flush()
        #expect(try await Self.rows(store) == [1, 1])
        #expect(try await store.all().map(\.sequence) == [2])
        #expect(await store.damage(of: "probe") == [.all])
    }

    @Test func `rows of each publisher of a sensor are extended separately`() async throws {
        let store = try await folder.open()
        for number in 1...6 as ClosedRange<Int64> {
            let batch = SampleBatch(
                times: [Timestamp(microseconds: number)], columns: [.integers([number])])
            _ = try await store.publish(
                batch, to: "probe", by: number.isMultiple(of: 2) ? "even" : "odd")
            try await store.flush(.synced)
        }
        #expect(try await Self.rows(store) == [3, 3])
        #expect(try await store.all().map(\.sequence) == Array(1...6))
    }

    @Test func `a file whose index has the last sequence numbers is converted`() async throws {
        let store = try await folder.open()
        try await store.add([(1, 1)])
        try await store.close()
        // As the version before wrote it.
        let queue = try DatabaseQueue(path: folder.path)
        try await queue.write { database in
            try database.execute(
                sql: """
                    DELETE FROM grdb_migrations WHERE identifier = 'extended-rows';
                    DROP INDEX fresh_by_layout;
                    CREATE INDEX fresh_by_layout ON fresh (layout, last);
                    """)
        }
        try queue.close()
        let next = try await folder.open()
        #expect(try await next.all().map(\.sequence) == [1])
        let columns = try await next.file.pool.read { database in
            try String.fetchAll(
                database, sql: "SELECT name FROM pragma_index_info('fresh_by_layout')")
        }
        #expect(columns == ["layout"])
    }
}
