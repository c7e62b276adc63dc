import Foundation
import Samples
import Testing

@testable import SampleStore

struct ReadingTests {
    private let folder: TemporaryStore

    init() throws {
        folder = try TemporaryStore()
    }

    @Test func `a sample is read from the buffer and later from the file`() async throws {
        let store = try await folder.open()
        try await store.add([(10, 1)])
        let buffered = try await store.all()
        #expect(await store.status.buffered == 1)
        #expect(buffered == [StoredSample(sequence: 1, sample: TemporaryStore.sample(10, 1))])
        try await store.flush()
        #expect(await store.status.buffered == 0)
        #expect(try await store.all() == buffered)
    }

    @Test(arguments: [SampleQuery.Order.ascending, .descending])
    func `stored and buffered samples are merged by time and arrival`(
        order: SampleQuery.Order
    ) async throws {
        let store = try await folder.open()
        try await store.add([(10, 1), (30, 2), (20, 3)])
        try await store.flush()
        try await store.add([(20, 4), (5, 5), (30, 6)])
        let numbers = try await store.all(order).map(\.sequence)
        let ascending: [Int64] = [5, 1, 3, 4, 2, 6]
        #expect(numbers == (order == .ascending ? ascending : ascending.reversed()))
        let two = try await store.samples(TemporaryStore.query(.all, order, limit: 2))
        #expect(two.map(\.sequence) == Array(numbers.prefix(2)))
    }

    @Test(
        arguments: [1, 6, 7, 8, 14, 20], [SampleQuery.Order.ascending, .descending])
    func `pages contain every sample of equal times once`(
        size: Int, order: SampleQuery.Order
    ) async throws {
        let store = try await folder.open()
        try await store.add([(1, 1), (1, 2), (1, 3), (1, 4)])
        try await store.flush()
        try await store.add([(1, 5), (1, 6), (2, 7)])
        var seen: [Int64] = []
        var after: SampleQuery.Position?
        while true {
            let page = try await store.samples(
                TemporaryStore.query(.all, order, after: after, limit: size))
            guard let last = page.last else { break }
            #expect(page.count <= size)
            seen += page.map(\.sequence)
            after = .init(of: last)
        }
        #expect(seen == (order == .ascending ? Array(1...7) : (1...7).reversed()))
    }

    @Test(
        arguments: [
            (10, 20, [10, 19]), (9, 10, []), (10, 10, []), (20, 10, []), (11, 21, [19, 20]),
            (.min, .max, [.min, 10, 19, 20]), (.max - 1, .max, []),
        ] as [(Int64, Int64, [Int64])])
    func `a range includes its start and excludes its end`(
        from: Int64, to: Int64, times: [Int64]
    ) async throws {
        let store = try await folder.open()
        let range = TimeRange(
            from: Timestamp(microseconds: from), to: Timestamp(microseconds: to))
        try await store.add([(10, 1), (19, 2)])
        try await store.flush()
        try await store.add([(20, 3), (.min, 4), (.max, 5)])
        for _ in 0..<2 {
            let found = try await store.samples(TemporaryStore.query(range))
            #expect(found.map(\.time.microseconds) == times)
            try await store.flush()
        }
    }

    @Test func `arrivals come in the order of arrival from file and buffer`() async throws {
        let store = try await folder.open()
        try await store.add([(30, 1), (10, 2)])
        try await store.flush()
        try await store.add([(20, 3), (5, 4)])
        for limit in [-1, 0, 1, 2, 3, 4, 5] {
            var seen: [Int64] = []
            while true {
                let page = try await store.arrivals(
                    of: "probe", after: seen.last ?? 0, limit: limit)
                #expect(page.count <= max(1, limit))
                guard !page.isEmpty else { break }
                seen += page.map(\.sequence)
            }
            #expect(seen == [1, 2, 3, 4], "limit \(limit)")
        }
    }

    @Test func `of samples with the latest time the last accepted is the newest`() async throws {
        let store = try await folder.open()
        #expect(await store.newest(of: "probe") == nil)
        try await store.add([(20, 1), (10, 2)])
        #expect(await store.newest(of: "probe")?.sequence == 1)
        try await store.add([(20, 3)])
        #expect(await store.newest(of: "probe")?.sequence == 3)
        try await store.close()
        let again = try await folder.open()
        #expect(await again.newest(of: "probe")?.sequence == 3)
    }

    @Test func `sensors are independent`() async throws {
        let store = try await folder.open()
        try await store.register("other", fields: TemporaryStore.fields)
        try await store.add([(1, 1)])
        try await store.append([TemporaryStore.sample(1, 2)], to: "other")
        #expect(try await store.all().map(\.sequence) == [1])
        let other = try await store.arrivals(of: "other", after: 0, limit: 9)
        #expect(other.map(\.sequence) == [2])
        #expect(try await store.samples(SampleQuery(sensor: "nobody", limit: 1)).isEmpty)
    }

    @Test func `a signal follows every accepted sample`() async throws {
        let store = try await folder.open()
        var signals = await store.arrivalSignals(of: "probe").makeAsyncIterator()
        for number in 1...3 {
            try await store.add([(Int64(number), 0)])
            #expect(await signals.next() != nil)
        }
        try await store.close()
        #expect(await signals.next() == nil)
    }
}
