import Foundation
import GRDB
import Samples
import Testing

@testable import SampleStore

/// Samples that are committed to the journal before they are written as rows.
struct JournalTests {
    private static let other: SensorID = "other"
    private let folder: TemporaryStore

    init() throws {
        folder = try TemporaryStore()
    }

    private static func rows(_ store: SampleStore) async throws -> [Int] {
        try await store.file.pool.read { database in
            try Int.fetchAll(database, sql: "SELECT count FROM fresh ORDER BY first")
        }
    }

    /// The number of samples in the journal.
    private static func journaled(_ store: SampleStore) async throws -> Int {
        try await store.file.pool.read { database in
            let content = try SampleJournal.rows(database)
            #expect(!content.isDamaged)
            return content.rows.reduce(0) { $0 + $1.size.samples }
        }
    }

    /// The bytes of the file with its log.
    private func bytes() throws -> Data {
        try ["", "-wal"].map { suffix in
            try Data(contentsOf: URL(filePath: folder.path + suffix))
        }.reduce(Data(), +)
    }

    @Test func `samples in the journal are read, and survive the death of the process`()
        async throws
    {
        let store = try await folder.open()
        try await store.register(Self.other, fields: TemporaryStore.fields)
        for number in 1...5 as ClosedRange<Int64> {
            try await store.add([(2 * number - 1, number)])
            try await store.append([TemporaryStore.sample(2 * number, number)], to: Self.other)
            try await store.flushToJournal()
            #expect(await store.status.acknowledged == 2 * number)
            #expect(await store.status.buffered == 0)
            #expect(await store.status.unwritten == Int(2 * number))
        }
        try await store.add([(99, 99)])
        #expect(await store.status.buffered == 1)
        #expect(try await Self.rows(store).isEmpty)
        #expect(try await Self.journaled(store) == 10)
        #expect(try await store.all().map(\.sequence) == [1, 3, 5, 7, 9, 11])
        #expect(try await store.all(.descending).map(\.sequence) == [11, 9, 7, 5, 3, 1])
        let arrivals = try await store.arrivals(of: Self.other, after: 4, limit: 2)
        #expect(arrivals.map(\.sequence) == [6, 8])
        // The first store is not closed, as after a crash.
        let next = try await folder.open()
        try await next.register(Self.other, fields: TemporaryStore.fields)
        #expect(try await next.all().map(\.sequence) == [1, 3, 5, 7, 9])
        #expect(try await Self.rows(next).reduce(0, +) == 10)
        #expect(try await Self.journaled(next) == 0)
        #expect(await next.newest(of: Self.other)?.sequence == 10)
        #expect(await next.knownDamage.isEmpty)
        #expect(await next.lastSequence > 11)
        try await next.close()
        #expect(try await SampleStore.faults(inFile: folder.path).isEmpty)
    }

    @Test func `a full journal is written as rows, and the next one begins`() async throws {
        let store = try await folder.open([Field("x")])
        var written: [Int] = []
        for number in 0..<300 as Range<Int64> {
            let samples = (0..<100 as Range<Int64>).map { row in
                let value = Double((number * 100 + row) * 7919 % 10_007) / 7
                return Sample(
                    time: Timestamp(microseconds: number * 100 + row), values: [.number(value)])
            }
            try await store.append(samples, to: "probe")
            try await store.flushToJournal()
            let (rows, pending) = (try await Self.rows(store), try await Self.journaled(store))
            #expect(rows.reduce(0, +) + pending == (number + 1) * 100)
            if pending == 0 { written.append(rows.count) }
        }
        #expect((1...30).contains(written.count), "\(written)")
        #expect(try await Self.journaled(store) > 0)
        let all = Array(1...30_000 as ClosedRange<Int64>)
        #expect(try await store.all().map(\.sequence) == all)
        let next = try await folder.open([Field("x")])
        #expect(try await next.all().map(\.sequence) == all)
        try await next.close()
        #expect(try await SampleStore.faults(inFile: folder.path).isEmpty)
    }

    @Test func `pages of an earlier journal are not read again`() async throws {
        let store = try await folder.open([Field("note", kind: .text)])
        /// Appends texts that take more than two pages.
        func fill(_ start: Int64, _ number: Int) async throws {
            let samples = (0..<number).map { row in
                Sample(
                    time: Timestamp(microseconds: start + Int64(row)),
                    values: [.text(UUID().uuidString + UUID().uuidString)])
            }
            try await store.append(samples, to: "probe")
            try await store.flushToJournal()
        }
        try await fill(1, 200)
        try await store.flush()
        #expect(try await Self.journaled(store) == 0)
        try await fill(1000, 1)
        #expect(try await Self.journaled(store) == 1)
        let next = try await folder.open([Field("note", kind: .text)])
        #expect(try await next.all().count == 201)
        #expect(try await Self.rows(next).reduce(0, +) == 201)
    }

    @Test func `flushing and closing write what is in the journal once`() async throws {
        var store = try await folder.open()
        try await store.add([(1, 1)])
        try await store.flushToJournal()
        try await store.flushToJournal()
        #expect(await store.status.writes == 1)
        try await store.flush()
        #expect(try await Self.rows(store) == [1])
        #expect(try await Self.journaled(store) == 0)
        try await store.add([(2, 2)])
        try await store.flushToJournal()
        try await store.flush(.synced)
        try await store.add([(3, 3)])
        try await store.flushToJournal()
        try await store.close()
        store = try await folder.open()
        #expect(try await Self.rows(store) == [3])
        #expect(try await store.all().map(\.sequence) == [1, 2, 3])
        #expect(await store.lastSequence == 3)
    }

    @Test func `samples with an idempotency key are written as rows`() async throws {
        let store = try await folder.open()
        try await store.add([(1, 1)])
        try await store.flushToJournal()
        let key = BatchKey(client: "phone", name: "one", digest: [1, 2])
        let batch = SampleBatch(times: [Timestamp(microseconds: 2)], columns: [.integers([2])])
        try await store.append(batch, to: "probe", named: (key, .now()))
        try await store.flushToJournal()
        #expect(try await Self.rows(store) == [2])
        #expect(try await Self.journaled(store) == 0)
        #expect(try await store.receipt(of: key, to: "probe", at: .now())?.receipt.accepted == 1)
    }

    @Test(arguments: [false, true])
    func `forgetting erases the journal, and keeps the samples of other sensors`(
        isWritten: Bool
    ) async throws {
        let fields = [Field("note", kind: .text)]
        let store = try await folder.open(fields)
        try await store.register(Self.other, fields: fields)
        let secret = "a secret of the owner"
        for number in 1...3 as ClosedRange<Int64> {
            try await store.append(
                [Sample(time: Timestamp(microseconds: number), values: [.text(secret)])],
                to: "probe")
            try await store.append(
                [Sample(time: Timestamp(microseconds: number), values: [.text("kept")])],
                to: Self.other)
            try await store.flushToJournal()
        }
        #expect(try bytes().range(of: Data(secret.utf8)) != nil)
        // Pages of the journal keep samples after they are in rows, too.
        if isWritten { try await store.flush() }
        let receipt = try await store.forget("probe", .all, at: .now())
        #expect(receipt.samples == 3)
        #expect(receipt.isErased)
        #expect(try bytes().range(of: Data(secret.utf8)) == nil)
        #expect(try await store.all().isEmpty)
        #expect(try await Self.journaled(store) == (isWritten ? 0 : 3))
        let next = try await folder.open(fields)
        try await next.register(Self.other, fields: fields)
        #expect(try await next.all().isEmpty)
        let kept = try await next.samples(SampleQuery(sensor: Self.other, limit: .max))
        #expect(kept.map(\.sequence) == [2, 4, 6])
    }

    @Test func `closing leaves no samples in the journal`() async throws {
        let fields = [Field("note", kind: .text)]
        let store = try await folder.open(fields)
        try await store.append(
            [Sample(time: Timestamp(microseconds: 1), values: [.text("noted once")])], to: "probe")
        try await store.flushToJournal()
        try await store.close()
        let pages = try await DatabaseQueue(path: folder.path).read { database in
            try Data.fetchAll(database, sql: "SELECT data FROM journal")
        }
        #expect(!pages.isEmpty)
        #expect(pages.allSatisfy { $0.dropFirst(8).allSatisfy { $0 == 0 } })
    }

    @Test(
        arguments: [
            "x'0102'", "x'0000000000000000ff00" + String(repeating: "00", count: 300) + "'",
            "zeroblob(3)",
        ])
    func `a damaged journal is reported, and samples are still accepted`(
        page: String
    ) async throws {
        let store = try await folder.open()
        try await store.add([(1, 1)])
        try await store.flush()
        try await store.add([(2, 2)])
        try await store.flushToJournal()
        try await store.file.pool.write { database in
            try database.execute(sql: "UPDATE journal SET data = \(page)")
        }
        #expect(try await SampleStore.faults(inFile: folder.path) == ["The journal is damaged."])
        let next = try await folder.open()
        #expect(try await next.all().map(\.sequence) == [1])
        #expect(await next.damage(of: "probe") == [.all])
        try await next.maintenance.run(at: .now())
        #expect(await next.damage(of: "probe") == [.all])
        try await next.add([(3, 3)])
        try await next.flushToJournal()
        let last = try await folder.open()
        #expect(try await last.all().map(\.time.microseconds) == [1, 3])
        try await last.close()
        #expect(try await SampleStore.faults(inFile: folder.path).isEmpty)
    }

    @Test func `writing to the journal while samples are forgotten loses nothing else`()
        async throws
    {
        let store = try await folder.open()
        try await store.register(Self.other, fields: TemporaryStore.fields)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1...300 as ClosedRange<Int64> {
                    try await store.append(
                        [TemporaryStore.sample(number, number)], to: Self.other)
                    try await store.append([TemporaryStore.sample(number, number)], to: "probe")
                    try await store.flushToJournal()
                }
            }
            group.addTask {
                while await store.lastSequence < 600 {
                    _ = try await store.forget("probe", .all, at: .now())
                }
            }
            try await group.waitForAll()
        }
        _ = try await store.forget("probe", .all, at: .now())
        let next = try await folder.open()
        try await next.register(Self.other, fields: TemporaryStore.fields)
        #expect(try await next.all().isEmpty)
        let kept = try await next.samples(SampleQuery(sensor: Self.other, limit: .max))
        #expect(kept.map(\.time.microseconds) == Array(1...300))
        try await next.close()
        #expect(try await SampleStore.faults(inFile: folder.path).isEmpty)
    }
}
