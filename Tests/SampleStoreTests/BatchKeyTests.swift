import GRDB
import Samples
import TestSupport
import Testing

@testable import SampleStore

struct BatchKeyTests {
    private static func key(_ name: String) -> BatchKey {
        BatchKey(client: "a", name: name, digest: [7])
    }

    private static let batch = SampleBatch(
        times: [Timestamp(microseconds: 1)], columns: [.integers([5])])

    @Test func `a key is known for a day from when it is accepted`() async throws {
        let folder = try TemporaryStore()
        let store = try await folder.open()
        let start = Timestamp(microseconds: 1_000_000)
        try await store.append(Self.batch, to: "probe", named: (Self.key("k"), start))
        for isFlushed in [false, true] {
            if isFlushed { try await store.flush() }
            let known = try await store.receipt(of: Self.key("k"), to: "probe", at: start)
            #expect(known?.digest == [7])
            #expect(known?.receipt == BatchReceipt(accepted: 1, last: 1))
            #expect(try await store.receipt(of: Self.key("l"), to: "probe", at: start) == nil)
        }
        let lifetime = BatchKeyTable.lifetime
        for (age, isKnown) in [(lifetime - 1, true), (lifetime, false)] {
            let known = try await store.receipt(
                of: Self.key("k"), to: "probe", at: start.advanced(byMicroseconds: age))
            #expect((known != nil) == isKnown)
        }
    }

    @Test(arguments: [false, true])
    func `a batch that is forgotten before it is written keeps its key`(isWhole: Bool) async throws
    {
        let folder = try TemporaryStore()
        let store = try await folder.open()
        let start = Timestamp(microseconds: 1_000_000)
        let batch = SampleBatch(
            times: [1, 2, 3].map(Timestamp.init(microseconds:)), columns: [.integers([5, 6, 7])])
        try await store.append(batch, to: "probe", named: (Self.key("k"), start))
        let range = TimeRange(
            from: Timestamp(microseconds: 2), to: Timestamp(microseconds: 9))
        let receipt = try await store.forget("probe", isWhole ? .all : range, at: start)
        #expect(receipt.samples == (isWhole ? 3 : 2))
        #expect(await store.status.buffered == (isWhole ? 0 : 1))
        for isFlushed in [false, true] {
            if isFlushed { try await store.flush() }
            let known = try await store.receipt(of: Self.key("k"), to: "probe", at: start)
            #expect(known?.receipt == BatchReceipt(accepted: 3, last: 3))
        }
        #expect(try await store.all().map(\.sequence) == (isWhole ? [] : [1]))
    }

    @Test(arguments: [false, true])
    func `forgetting the last sample of a batch removes the owner's key, and no other`(
        isFlushed: Bool
    ) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        for _ in 0..<20 {
            let folder = try TemporaryStore()
            let store = try await folder.open()
            let now = Timestamp(microseconds: 1_000_000)
            var batches: [(key: BatchKey, sequences: ClosedRange<Int64>)] = []
            for number in 0..<30 {
                let count = Int.random(in: 1...6, using: &random)
                let times = (0..<count).map { _ in
                    Timestamp(microseconds: Int64.random(in: 0..<100, using: &random))
                }
                let key = BatchKey(
                    client: Bool.random(using: &random) ? "owner" : "app", name: "\(number)",
                    digest: [7])
                let batch = SampleBatch(
                    times: times, columns: [.integers(times.map(\.microseconds))])
                let last = try #require(
                    try await store.append(batch, to: "probe", named: (key, now)))
                batches.append((key, (last - Int64(count) + 1)...last))
                if isFlushed, Int.random(in: 0..<4, using: &random) == 0 { try await store.flush() }
            }
            if isFlushed { try await store.flush() }
            for _ in 0..<3 {
                let from = Int64.random(in: 0..<100, using: &random)
                let range = TimeRange(
                    from: Timestamp(microseconds: from),
                    to: Timestamp(microseconds: from + Int64.random(in: 1...60, using: &random)))
                _ = try await store.forget("probe", range, at: now, releasingKeysOf: "owner")
                let held = Set(try await store.all().map(\.sequence))
                for (key, sequences) in batches {
                    let isLeft = sequences.contains(where: held.contains)
                    let known = try await store.receipt(of: key, to: "probe", at: now)
                    #expect(
                        (known != nil) == (isLeft || key.client == "app"),
                        "\(key.client) \(key.name), seed \(seed)")
                }
            }
        }
    }

    @Test func `old keys are removed`() async throws {
        let folder = try TemporaryStore()
        let store = try await folder.open()
        let day = BatchKeyTable.lifetime
        for number in 0..<100 as Range<Int64> {
            let time = Timestamp(microseconds: number * day / 10)
            try await store.append(Self.batch, to: "probe", named: (Self.key("\(number)"), time))
            try await store.flush()
        }
        let count = try await store.file.pool.read { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM batchKey")
        }
        #expect(count == 10)
    }
}
