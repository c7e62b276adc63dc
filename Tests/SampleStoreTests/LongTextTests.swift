import GRDB
import Samples
import Testing

@testable import SampleStore

struct LongTextTests {
    private static let fields = [Field("text", kind: .text)]
    private let folder: TemporaryStore

    init() throws {
        folder = try TemporaryStore()
    }

    /// Compressible texts, so that their rows are small.
    private static func batch(_ count: Int64, at time: Int64) -> SampleBatch {
        let filler = String(repeating: "a", count: 10_000)
        return SampleBatch(
            times: (time..<time + count).map { Timestamp(microseconds: $0) },
            columns: [.texts((time..<time + count).map { "\(filler)\($0)" })])
    }

    private static func rules(unsealedDecoded: Int) -> ChunkRules {
        var rules = ChunkRules()
        rules.unsealedDecoded = unsealedDecoded
        return rules
    }

    private static func freshRows(_ store: SampleStore) async throws -> Int {
        try await store.file.pool.read { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM fresh") ?? 0
        }
    }

    @Test func `long texts are sealed before there are enough samples for a chunk`()
        async throws
    {
        let store = try await folder.open(Self.fields, rules: Self.rules(unsealedDecoded: 200_000))
        for number in 0..<45 as Range<Int64> {
            try await store.append(Self.batch(1, at: number), to: "probe")
            try await store.flush()
        }
        // Sealing of later samples begins when the previous one ends.
        for _ in 0..<5 { await store.maintenance.queueEnd?.value }
        #expect(try await Self.freshRows(store) < 20)
        #expect(try await store.all().count == 45)
    }

    @Test func `rows of an earlier opening are sealed in several steps`() async throws {
        let store = try await folder.open(Self.fields)
        for number in 0..<40 as Range<Int64> {
            try await store.append(Self.batch(2, at: 2 * number), to: "probe")
            try await store.flush()
        }
        #expect(try await Self.freshRows(store) == 40)
        try await store.close()
        let rules = Self.rules(unsealedDecoded: 100_000)
        let next = try await folder.open(Self.fields, rules: rules)
        let layout = try #require(await next.layout(of: "probe"))
        let plan = try await next.file.pool.read { try SealingPlan(layout, rules, $0) }
        let sealed = try #require(plan?.sealed)
        #expect(sealed.rows == 10 && sealed.samples == 20)
        while try await next.maintenance.seal(layout) {}
        #expect(try await Self.freshRows(next) == 0)
        #expect(try await next.all().count == 80)
    }

    @Test func `the text of a row and of a chunk is limited`() async throws {
        let store = try await folder.open(Self.fields)
        try await store.append(Self.batch(1000, at: 0), to: "probe")
        try await store.flush()
        let layout = try #require(await store.layout(of: "probe"))
        #expect(try await Self.freshRows(store) == 3)
        while try await store.maintenance.seal(layout) {}
        let counts = try await store.file.pool.read { database in
            try Int.fetchAll(database, sql: "SELECT count FROM chunk ORDER BY fromTime")
        }
        #expect(counts.reduce(0, +) == 1000)
        #expect(counts.allSatisfy { $0 * 10_000 <= 4 << 20 }, "\(counts)")
    }

    @Test(arguments: [SampleQuery.Order.ascending, .descending], [false, true])
    func `a page ends after some bytes of text, and the next one continues`(
        order: SampleQuery.Order, isSealed: Bool
    ) async throws {
        let store = try await folder.open(Self.fields)
        // Samples in chunks, in unsealed rows and in memory, with interleaved times.
        for start in 0..<40 as Range<Int64> {
            let times = (0..<10 as Range<Int64>).map { Timestamp(microseconds: $0 * 40 + start) }
            let batch = SampleBatch(
                times: times, columns: [Self.batch(10, at: start * 10).columns[0]])
            try await store.append(batch, to: "probe")
            guard start < 30 else { continue }
            try await store.flush()
            guard isSealed, start == 15 else { continue }
            let layout = try #require(await store.layout(of: "probe"))
            while try await store.maintenance.seal(layout) {}
        }
        var query = TemporaryStore.query(.all, order)
        query.textBytes = 100_000
        var found: [Int64] = []
        while true {
            let page = try await store.samples(query)
            guard let last = page.last else { break }
            found += page.map(\.time.microseconds)
            // Only the last page has less text.
            #expect(page.count >= 10 || found.count == 400, "\(page.count)")
            #expect(page.count < 200, "\(page.count)")
            query.after = SampleQuery.Position(of: last)
            guard found.count < 400 else { break }
        }
        let inOrder = Array(0..<400 as Range<Int64>)
        #expect(found == (order == .ascending ? inOrder : inOrder.reversed()))
        #expect(try await store.samples(query).isEmpty)
    }

    @Test(arguments: [SampleQuery.Order.ascending, .descending])
    func `a page of unsealed samples is correct`(order: SampleQuery.Order) async throws {
        let store = try await folder.open(rules: ChunkRules())
        let times = (0..<60 as Range<Int64>).map { $0 * 37 % 60 }
        for (number, time) in times.enumerated() {
            try await store.add([(time: time, number: Int64(number))])
            try await store.flush()
        }
        #expect(try await Self.freshRows(store) == 60)
        var pages: [Int64] = []
        var after: SampleQuery.Position?
        for _ in 0..<20 {
            let page = try await store.samples(
                TemporaryStore.query(.all, order, after: after, limit: 3))
            #expect(page.count == 3)
            pages += page.map(\.time.microseconds)
            after = page.last.map(SampleQuery.Position.init(of:))
        }
        let inOrder = Array(0..<60 as Range<Int64>)
        #expect(pages == (order == .ascending ? inOrder : inOrder.reversed()))
        #expect(
            try await store.arrivals(of: "probe", after: 4, limit: 3).map(\.sequence) == [5, 6, 7])
    }
}
