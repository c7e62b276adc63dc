import Foundation
import Samples
import Statistics
import TestSupport
import Testing

@testable import SampleStore

/// Statistics of the store compared with those of an array, after random operations.
struct SummaryPropertyTests {
    private static let layouts = [
        [Field("n", unit: "1", kind: .integer), Field("x", unit: "Cel")],
        [Field("x", unit: "Cel"), Field("n", unit: "1", kind: .integer), Field("s", kind: .state)],
    ]
    private static let rules = [
        ChunkRules(chunkSize: 7, unsealedRows: 3, groupSize: 3, rewrites: 2),
        ChunkRules(chunkSize: 4, unsealedRows: 2, groupSize: 2, rewrites: 50),
        ChunkRules(chunkSize: 300, unsealedRows: 6, groupSize: 2, rewrites: 1),
    ]

    @Test(arguments: 0..<9)
    func `summaries and numbers equal those of the samples`(round: Int) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let folder = try TemporaryStore()
        let rules = Self.rules[round % 3]
        var layout = 0
        var store = try await folder.open(Self.layouts[layout], rules: rules)
        var model: [StoredSample] = []
        var clock: Int64 = 0
        for step in 0..<160 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                var samples: [Sample] = []
                for _ in 0..<Int.random(in: 1...9, using: &random) {
                    clock += .random(in: 0...3, using: &random)
                    let isLate = Int.random(in: 0..<12, using: &random) == 0
                    let time = isLate ? Int64.random(in: -5...clock + 5, using: &random) : clock
                    samples.append(Self.sample(time, layout, &random))
                }
                let last = try #require(await store.append(samples, to: "probe"))
                for (place, sample) in samples.enumerated() {
                    let sequence = last - Int64(samples.count - 1 - place)
                    model.append(
                        StoredSample(sequence: sequence, sample: Self.plain(sample, layout)))
                }
                try await store.flush()
            case 5 where step % 4 == 0:
                layout = 1 - layout
                try await store.register("probe", fields: Self.layouts[layout])
            case 6 where step % 3 == 0:
                try await store.close()
                store = try await folder.open(Self.layouts[layout], rules: rules)
            default:
                try await Self.compare(store, model, clock, &random, "seed \(seed), step \(step)")
            }
        }
        #expect(await store.knownDamage.isEmpty, "seed \(seed)")
        try await store.close()
        #expect(try await SampleStore.faults(inFile: folder.path).isEmpty, "seed \(seed)")
    }

    // MARK: - Private

    private static func compare(
        _ store: SampleStore, _ model: [StoredSample], _ clock: Int64, _ random: inout SplitMix,
        _ moment: String
    ) async throws {
        let ends = (0..<2).map { _ in Int64.random(in: -9...clock + 9, using: &random) }.sorted()
        let range =
            Bool.random(using: &random)
            ? .all
            : TimeRange(
                from: Timestamp(microseconds: ends[0]), to: Timestamp(microseconds: ends[1]))
        let hasStep = range != .all && Bool.random(using: &random)
        let fields = [layouts[0], [layouts[0][1]], layouts[0].reversed()][
            Int.random(in: 0..<3, using: &random)]
        let query = SummaryQuery(
            sensor: "probe", fields: fields, range: range,
            step: hasStep ? .random(in: 1...40, using: &random) : nil,
            hasSketch: Bool.random(using: &random))
        let windows = try await store.summaries(query)
        try #require(windows.count == query.windowCount)
        let ordered = model.sorted { ($0.time, $0.sequence) < ($1.time, $1.sequence) }
        for (number, window) in windows.enumerated() {
            let inside = ordered.filter { query.span(of: number).contains($0.time) }
            try #require(window.count == inside.count, "\(moment), window \(number) of \(query)")
            try #require(!window.hasUnknownTimes, "\(moment), window \(number)")
            let spacing = PlainSpacing(inside.map(\.time.microseconds))
            try #require(
                window.spacing.map(PlainSpacing.init) == spacing,
                "\(moment), window \(number) of \(query)")
            for (field, summary) in zip(fields, window.fields) {
                try check(summary, of: field, inside, query, "\(moment), window \(number)")
            }
        }
        for field in layouts[0] {
            let numbers = try await store.reduce(field, of: "probe", in: range, into: [Double]()) {
                $0 += $1
            }
            let expected = ordered.filter { range.contains($0.time) }.map { number($0, field) }
            try #require(numbers.sorted() == expected.sorted(), "\(moment), \(range)")
        }
    }

    private static func check(
        _ summary: FieldSummary, of field: Field, _ samples: [StoredSample], _ query: SummaryQuery,
        _ moment: String
    ) throws {
        let numbers = samples.map { number($0, field) }
        try #require(summary.count == numbers.count, "\(moment)")
        #expect((summary.sketch != nil) == query.hasSketch, "\(moment)")
        if let sketch = summary.sketch {
            try #require(sketch == QuantileSketch(numbers), "\(moment)")
        }
        guard let first = samples.first, let last = samples.last else { return }
        let moments = summary.moments
        try #require(moments.minimum == numbers.min() && moments.maximum == numbers.max())
        try #require(summary.first == end(first, field) && summary.last == end(last, field))
        let mean = numbers.reduce(0, +) / Double(numbers.count)
        let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        try #require(abs((moments.mean ?? .nan) - mean) <= 1e-12 * max(1, abs(mean)), "\(moment)")
        let found = (moments.populationVariance ?? .nan) * Double(numbers.count)
        try #require(abs(found - squares) <= 1e-12 * max(1, squares), "\(moment)")
    }

    private static func end(_ sample: StoredSample, _ field: Field) -> FieldSummary.End {
        FieldSummary.End(position: .init(of: sample), value: number(sample, field))
    }

    /// A value of a sample with the first layout.
    private static func number(_ sample: StoredSample, _ field: Field) -> Double {
        sample.values[field.name == "n" ? 0 : 1].double ?? .nan
    }

    private static func sample(_ time: Int64, _ layout: Int, _ random: inout SplitMix) -> Sample {
        let count = Value.integer(.random(in: -50...50, using: &random))
        let number = Value.number(Double(Int.random(in: -8000...8000, using: &random)) / 8)
        return Sample(
            time: Timestamp(microseconds: time),
            values: layout == 0 ? [count, number] : [number, count, .text("on")])
    }

    /// The same sample with the fields of the first layout.
    private static func plain(_ sample: Sample, _ layout: Int) -> Sample {
        layout == 0
            ? sample : Sample(time: sample.time, values: [sample.values[1], sample.values[0]])
    }
}
