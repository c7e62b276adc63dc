import Foundation
import Samples
import Statistics
import TestSupport
import Testing

@testable import SampleStore

/// Statistics of whole hours before and after pruning.
struct RollupPropertyTests {
    private static let hour: Int64 = 3_600_000_000
    private static let fields = [
        Field("x"), Field("n", kind: .integer), Field("note", kind: .text),
    ]

    @Test(arguments: 0..<8)
    func `statistics of whole hours are unchanged after pruning`(round: Int) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let folder = try TemporaryStore()
        let rules = ChunkRules(chunkSize: 40, unsealedRows: 9, groupSize: 3, rewrites: 2)
        let store = try await SampleStore(
            path: folder.path, rules: rules, space: SpaceRules(hoursPerStep: 3))
        try await store.register("probe", fields: Self.fields)
        var model: [(time: Int64, x: Double, n: Int64)] = []
        for _ in 0..<30 {
            let samples = (0..<Int.random(in: 1...30, using: &random)).map { _ in
                (
                    time: Int64.random(in: -12 * Self.hour..<12 * Self.hour, using: &random),
                    x: 1e6 + Double.random(in: -1...1, using: &random),
                    n: Int64.random(in: -1000...1000, using: &random)
                )
            }
            model += samples
            try await store.append(
                samples.map { sample in
                    Sample(
                        time: Timestamp(microseconds: sample.time),
                        values: [.number(sample.x), .integer(sample.n), .text("\(sample.n)")])
                }, to: "probe")
            try await store.flush()
            guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
            // Late samples in hours that already have a summary.
            let now = Int64.random(in: -13 * Self.hour...13 * Self.hour, using: &random)
            let isByAge = Bool.random(using: &random)
            try await store.maintenance.setRule(
                isByAge ? RetentionRule(raw: .zero) : RetentionRule(bytes: .random(in: 0...9000)),
                for: "probe")
            try await store.maintenance.run(at: Timestamp(microseconds: now))
        }
        // Whatever was pruned so far, the first hours only have summaries now.
        try await store.maintenance.setRule(RetentionRule(raw: .zero), for: "probe")
        try await store.maintenance.run(at: Timestamp(microseconds: 0))
        for _ in 0..<20 {
            let ends = (0..<2).map { _ in Int64.random(in: -13...13, using: &random) }.sorted()
            try await check(store, model, ends[0]..<ends[1], seed: seed)
        }
        #expect(
            try await store.maintenance.report(at: .distantFuture).sensors[0].summaries > 0,
            "\(seed)")
    }

    private func check(
        _ store: SampleStore, _ model: [(time: Int64, x: Double, n: Int64)], _ hours: Range<Int64>,
        seed: UInt64
    ) async throws {
        let range = TimeRange(
            from: Timestamp(microseconds: hours.lowerBound * Self.hour),
            to: Timestamp(microseconds: hours.upperBound * Self.hour))
        let query = SummaryQuery(
            sensor: "probe", fields: Array(Self.fields.prefix(2)), range: range, hasSketch: true)
        let summary = try await store.summaries(query)[0]
        let inside = model.filter { range.contains(Timestamp(microseconds: $0.time)) }
        #expect(!summary.isPartial, "seed \(seed), hours \(hours)")
        #expect(summary.count == inside.count, "seed \(seed), hours \(hours)")
        for (field, numbers) in zip(summary.fields, [inside.map(\.x), inside.map { Double($0.n) }])
        {
            #expect(field.count == numbers.count, "seed \(seed), hours \(hours)")
            guard numbers.count > 1 else { continue }
            let sorted = numbers.sorted()
            let mean = numbers.reduce(0, +) / Double(numbers.count)
            let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
            let deviation = (squares / Double(numbers.count - 1)).squareRoot()
            let found = try #require(field.moments.sampleVariance).squareRoot()
            let foundMean = try #require(field.moments.mean)
            #expect(field.moments.minimum == sorted.first, "seed \(seed), hours \(hours)")
            #expect(field.moments.maximum == sorted.last, "seed \(seed), hours \(hours)")
            let scale = numbers.map(abs).max() ?? 1
            #expect(abs(foundMean - mean) <= 1e-12 * scale, "seed \(seed), hours \(hours)")
            #expect(abs(found - deviation) <= 1e-12 * scale, "seed \(seed), hours \(hours)")
            let sketch = try #require(field.sketch)
            for share in [0.0, 0.1, 0.5, 0.9, 1.0] {
                let quantile = try #require(sketch.quantile(share))
                let rank = share * Double(sorted.count - 1)
                let neighbours = [sorted[Int(rank)], sorted[Int(rank.rounded(.up))]]
                #expect(
                    neighbours.contains { abs(quantile - $0) <= 0.0101 * abs($0) + 1e-9 }
                        || (neighbours[0]...neighbours[1]).contains(quantile),
                    "seed \(seed), hours \(hours), share \(share)")
            }
        }
    }
}
