import Samples
import Statistics
import TestSupport
import Testing

@testable import Alerts

struct SlidingWindowAggregateTests {
    private static let fields = [Field("level", unit: nil)]

    private static func cell(_ values: [Double], at index: Int) -> WindowSummary {
        let start = Timestamp.noon.after(seconds: Double(index) * 60)
        let query = SummaryQuery(
            sensor: "meter", fields: fields,
            range: TimeRange(from: start, to: start.after(seconds: 60)), step: 60_000_000,
            hasSketch: true)
        var summaries = WindowSummaries(query)
        summaries.add(
            StoredBatch(
                sequences: values.indices.map { Int64($0) },
                samples: SampleBatch(
                    times: values.indices.map { start.after(seconds: Double($0)) },
                    columns: [.numbers(values)])))
        return summaries.windows[0]
    }

    @Test(arguments: UInt64(1)...10)
    func `the total is that of the cells, merged in order`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var fold = SlidingWindowAggregate()
        var cells: [WindowSummary] = []
        for index in 0..<400 {
            let count = Int.random(in: 0...5, using: &random)
            let values = (0..<count).map { _ in Double(Int.random(in: 0..<100, using: &random)) }
            let cell = Self.cell(values, at: index)
            fold.append(cell)
            cells.append(cell)
            if cells.count > Int.random(in: 1...40, using: &random) {
                fold.removeFirst()
                cells.removeFirst()
            }
            let tail = [Self.cell([1, 2], at: index + 1)]
            var expected = cells[0]
            for cell in cells.dropFirst() + tail { expected.merge(cell) }
            let total = try #require(fold.total(with: tail))
            #expect(fold.count == cells.count)
            #expect(fold.occupied == cells.count { $0.count > 0 })
            #expect(total.count == expected.count)
            #expect(total.spacing == expected.spacing)
            let (found, wanted) = (total.fields[0], expected.fields[0])
            #expect(found.first?.value == wanted.first?.value)
            #expect(found.last?.value == wanted.last?.value)
            for statistic: Statistic in [.minimum, .maximum, .approximatePercentile(90)] {
                #expect(found.value(of: statistic) == wanted.value(of: statistic))
            }
            for statistic: Statistic in [.mean, .populationStandardDeviation] {
                let difference =
                    try #require(found.value(of: statistic)) - #require(
                        wanted.value(of: statistic))
                #expect(abs(difference) < 1e-9)
            }
        }
    }
}
