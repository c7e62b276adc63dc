import Foundation
import Samples
import TestSupport
import Testing

@testable import SampleStore

/// The store compared with a simple model in an array.
struct PropertyTests {
    @Test(arguments: 0..<12, [0, 100])
    func `reads between random operations agree with a model in an array`(
        round: Int, rowBytes: Int
    ) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let folder = try TemporaryStore()
        // So small that unsealed rows, chunks and groups are all used.
        var rules = ChunkRules(chunkSize: 7, unsealedRows: 5, groupSize: 3, rewrites: 2)
        rules.rowBytes = rowBytes
        rules.rowSpan = round.isMultiple(of: 2) ? 20 : .max
        var store = try await folder.open(rules: rules)
        var model: [StoredSample] = []
        for step in 0..<300 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<5:
                let samples = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    TemporaryStore.sample(
                        .random(in: -8...8, using: &random),
                        .random(in: .min ... .max, using: &random))
                }
                try await store.append(samples, to: "probe")
                for sample in samples {
                    let sequence = (model.last?.sequence ?? 0) + 1
                    model.append(StoredSample(sequence: sequence, sample: sample))
                }
            case 5:
                try await store.flush()
            case 6 where step % 10 == 0:
                try await store.close()
                store = try await folder.open(rules: rules)
            default:
                let query = Self.query(&random, model)
                let found = try await store.samples(query)
                #expect(found == Self.answer(query, model), "seed \(seed), step \(step): \(query)")
                let start = Int64.random(in: -1...Int64(model.count + 1), using: &random)
                let arrived = try await store.arrivals(
                    of: "probe", after: start, limit: query.limit)
                #expect(
                    arrived == Array(model.filter { $0.sequence > start }.prefix(query.limit)),
                    "seed \(seed), step \(step): after \(start), limit \(query.limit)")
            }
        }
        let newest = model.max { ($0.time, $0.sequence) < ($1.time, $1.sequence) }
        #expect(await store.newest(of: "probe") == newest, "seed \(seed)")
    }

    private static func query(
        _ random: inout SplitMix, _ model: [StoredSample]
    ) -> SampleQuery {
        let ends = (0..<2).map { _ in
            Timestamp(microseconds: Int64.random(in: -9...9, using: &random))
        }
        let isOpen = Bool.random(using: &random)
        var after = Bool.random(using: &random) ? model.randomElement(using: &random) : nil
        if let sample = after, Bool.random(using: &random) {
            after = StoredSample(
                sequence: .random(in: 0...99, using: &random), sample: sample.sample)
        }
        return TemporaryStore.query(
            isOpen ? .all : TimeRange(from: ends[0], to: ends[1]),
            Bool.random(using: &random) ? .ascending : .descending,
            after: after.map(SampleQuery.Position.init(of:)),
            limit: .random(in: 1...20, using: &random))
    }

    private static func answer(_ query: SampleQuery, _ model: [StoredSample]) -> [StoredSample] {
        let isBefore: (StoredSample, StoredSample) -> Bool = { left, right in
            let ascending = (left.time, left.sequence) < (right.time, right.sequence)
            let descending = (left.time, left.sequence) > (right.time, right.sequence)
            return query.order == .ascending ? ascending : descending
        }
        let found = model.filter { query.range.contains($0.time) }.filter { sample in
            guard let after = query.after else { return true }
            let place = Sample(time: after.time, values: [])
            return isBefore(StoredSample(sequence: after.sequence, sample: place), sample)
        }
        return Array(found.sorted(by: isBefore).prefix(query.limit))
    }
}
