import GRDB
import Samples
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
        let lifetime = SampleFile.keyLifetime
        for (age, isKnown) in [(lifetime - 1, true), (lifetime, false)] {
            let known = try await store.receipt(
                of: Self.key("k"), to: "probe", at: start.advanced(byMicroseconds: age))
            #expect((known != nil) == isKnown)
        }
    }

    @Test func `keys do not pile up`() async throws {
        let folder = try TemporaryStore()
        let store = try await folder.open()
        let day = SampleFile.keyLifetime
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
