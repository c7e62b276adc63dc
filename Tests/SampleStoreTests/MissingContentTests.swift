import GRDB
import Samples
import Statistics
import TestSupport
import Testing

@testable import SampleStore

/// Chunks whose content is missing.
struct MissingContentTests {
    private static let rules = ChunkRules(chunkSize: 10, unsealedRows: 4, groupSize: 100)
    private static let lost = TimeRange(
        from: Timestamp(microseconds: 20), to: Timestamp(microseconds: 30))
    private let folder: TemporaryStore

    init() throws {
        folder = try TemporaryStore()
    }

    /// Ten chunks of ten samples, the third without its content.
    private func open() async throws -> SampleStore {
        let store = try await folder.open(rules: Self.rules)
        for start in stride(from: 0, to: 100, by: 10) as StrideTo<Int64> {
            try await store.add((start..<start + 10).map { (time: $0, number: $0) })
            try await store.flush()
        }
        try await store.sealAll()
        try await store.file.pool.write { database in
            try database.execute(
                sql: "DELETE FROM content WHERE chunk = (SELECT id FROM chunk WHERE fromTime = 20)")
            #expect(database.changesCount == 1)
        }
        return store
    }

    @Test func `every way of reading reports a missing chunk`() async throws {
        let query = SummaryQuery(
            sensor: "probe", fields: TemporaryStore.fields,
            range: TimeRange(from: Timestamp(microseconds: 0), to: Timestamp(microseconds: 25)))
        let store = try await open()
        func check(_ way: String, _ count: Int, _ expected: Int) async {
            #expect(count == expected, "\(way)")
            #expect(await store.damage(of: "probe") == [Self.lost], "\(way)")
            await store.forgetDamage()
        }
        for order in [SampleQuery.Order.ascending, .descending] {
            await check("samples", try await store.all(order).count, 90)
        }
        let arrivals = try await store.arrivals(of: "probe", after: 0, limit: .max)
        await check("arrivals", arrivals.count, 90)
        let window = try await store.summaries(query)[0]
        #expect(window.isPartial)
        await check("summaries", window.count, 20)
        let numbers = try await store.reduce(
            TemporaryStore.fields[0], of: "probe", in: .all, into: 0
        ) { $0 += $1.count }
        await check("reduce", numbers, 90)
        try await store.close()
        let faults = try await SampleStore.faults(inFile: folder.path)
        #expect(faults.count == 1 && faults[0].hasSuffix("are damaged."), "\(faults)")
    }

    @Test func `late samples do not hide a missing chunk`() async throws {
        let store = try await open()
        try await store.add((0..<10).map { (time: 25, number: $0) })
        try await store.flush()
        try await store.sealAll()
        let marked = try await store.file.pool.read { database in
            try Int64.fetchAll(database, sql: "SELECT fromTime FROM chunk WHERE isDamaged")
        }
        #expect(marked == [20])
        #expect(try await store.all().count == 100)
        #expect(await store.damage(of: "probe") == [Self.lost])
    }
}

extension SampleStore {
    fileprivate func forgetDamage() { damageLog.removeAll() }

    /// Waits until nothing is unsealed; sealing of later samples starts when the one before ends.
    fileprivate func sealAll() async throws {
        try await until {
            await maintenance.queueEnd?.value
            return try await UnsealedTable.sizes(file.pool).isEmpty
        }
    }
}
