import Auth
import Foundation
import Samples
import Statistics
import TestSupport
import Testing

@testable import LAE

/// Virtual sensors compared with a direct computation from all samples of each window.
struct VirtualSensorTests {
    private typealias Row = (time: Int64, value: Double)
    private let fixture: EngineFixture

    init() async throws {
        fixture = try await EngineFixture()
    }

    /// Mean, maximum, median and slope of x and the count of y; `nil` where one is not defined.
    private static func naive(_ x: [Row], _ y: [Row]) -> [Double]? {
        guard let first = x.first, x.contains(where: { $0.time != first.time }) else { return nil }
        let values = x.map(\.value)
        let sorted = values.sorted()
        let count = Double(x.count)
        let mean = values.reduce(0, +) / count
        let seconds = x.map { Double($0.time - first.time) / 1_000_000 }
        let middle = seconds.reduce(0, +) / count
        let products = zip(seconds, values).map { ($0 - middle) * ($1 - mean) }.reduce(0, +)
        let squares = seconds.map { ($0 - middle) * ($0 - middle) }.reduce(0, +)
        let median = (sorted[(x.count - 1) / 2] + sorted[x.count / 2]) / 2
        return [mean, sorted[x.count - 1], median, products / squares, Double(y.count)]
    }

    private static func isClose(_ left: [Double], _ right: [Double]) -> Bool {
        left.count == right.count
            && zip(left, right).allSatisfy { abs($0 - $1) <= 1e-8 * max(1, abs($0), abs($1)) }
    }

    private static func numbers(_ sample: StoredSample) -> [Double] {
        sample.values.compactMap { if case .number(let number) = $0 { number } else { nil } }
    }

    @Test(arguments: [(1, 1), (3, 1), (7, 1), (10, 5), (40, 1)] as [(Int64, Int64)])
    func `random windows equal those computed sample by sample`(
        window: Int64, slide: Int64
    ) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        func rows(_ count: Int) -> [Row] {
            (0..<count).map { _ in
                // With negative times and a gap.
                let time = Int64.random(in: -40_000...40_000, using: &random)
                return (time > 0 ? time + 500_000 : time, Double.random(in: -9...9, using: &random))
            }.sorted { $0.time < $1.time }
        }
        let (x, y) = (rows(600), rows(150))
        try await fixture.add(Array(x.prefix(400)).map { ($0.time, $0.value) })
        try await fixture.add(Array(x.dropFirst(400)).map { ($0.time, $0.value) }, flush: false)
        try await fixture.addOther(y.map { ($0.time, $0.value) })
        try await fixture.define(
            window: "\(window)ms", slide: "\(slide)ms",
            [
                ("mean", by: "mean", of: ["probe.x"]), ("most", by: "max", of: ["probe.x"]),
                ("median", by: "median", of: ["probe.x"]),
                ("slope", by: "trend", of: ["probe.x"]), ("others", by: "count", of: ["other.y"]),
            ])
        let (width, step) = (window * 1000, slide * 1000)
        var expected: [(time: Int64, values: [Double])] = []
        var end = -45_000 / step * step
        while end < 700_000 {
            let span = TimeRange(end - width, end)
            func inside(_ row: Row) -> Bool { span.contains(Timestamp(microseconds: row.time)) }
            if let values = Self.naive(x.filter(inside), y.filter(inside)) {
                expected.append((end, values))
            }
            end += step
        }
        #expect(expected.count > 10)
        let grant = try await fixture.grant(to: EngineFixture.shake)
        for order in [SampleQuery.Order.ascending, .descending] {
            let limit = Int.random(in: 1...80, using: &random)
            let found = try await fixture.pages(SampleSelection(order: order, limit: limit), grant)
            let wanted = order == .ascending ? expected : expected.reversed()
            #expect(found.map(\.time.microseconds) == wanted.map(\.time), "seed \(seed)")
            #expect(
                zip(found, wanted).allSatisfy { Self.isClose(Self.numbers($0), $1.values) },
                "seed \(seed)")
        }
        let newest = try await fixture.engine.latest(for: grant).samples.first
        #expect(newest?.time.microseconds == expected.last?.time, "seed \(seed)")
        let table = try await fixture.engine.statistics(
            StatisticsQuery(fields: ["mean"], statistics: [.count, .maximum, .last]), for: grant)
        let means = expected.map { $0.values[0] }
        let reported = table.windows[0].values[0].compactMap(\.self)
        #expect(
            Self.isClose(reported, [Double(means.count), means.max() ?? 0, means.last ?? 0]),
            "seed \(seed)")
    }

    @Test func `a virtual sensor of two inputs correlates the means of their windows`() async throws
    {
        let x = (0..<100).map { (number: Int64) -> Row in (number * 1000, Double(number * number)) }
        try await fixture.add(x.map { ($0.time, $0.value) })
        try await fixture.addOther(x.map { ($0.time + 300, -2 * $0.value) })
        try await fixture.define(
            window: "50ms",
            [
                ("together", by: "correlation", of: ["probe.x", "other.y"]),
                ("bits", by: "entropy", of: ["probe.x"]),
            ], every: "10ms")
        let found = try await fixture.pages(
            SampleSelection(), try await fixture.grant(to: EngineFixture.shake))
        #expect(found.map(\.time.microseconds) == [50_000, 100_000])
        for sample in found {
            let numbers = Self.numbers(sample)
            #expect(abs(numbers[0] + 1) < 1e-9)
            #expect(numbers[1] > 0)
        }
    }

    @Test func `a window that has not ended has no sample`() async throws {
        let now = EngineFixture.now.microseconds
        try await fixture.add([(now - 2, 1), (now - 1, 2), (now, 4)])
        try await fixture.define(window: "1s", [("sum", by: "sum", of: ["probe.x"])])
        let grant = try await fixture.grant(to: EngineFixture.shake)
        let newest = try await fixture.engine.latest(for: grant).samples
        #expect(newest.map(\.time) == [EngineFixture.now])
        #expect(newest.first?.values == [.number(3)])
    }

    @Test func `a long gap is skipped, and a query over too many windows is rejected`()
        async throws
    {
        try await fixture.add([(0, 1), (9_000_000_000_000, 2)])
        try await fixture.define(window: "1us", [("sum", by: "sum", of: ["probe.x"])])
        let grant = try await fixture.grant(to: EngineFixture.shake)
        for order in [SampleQuery.Order.ascending, .descending] {
            let found = try await fixture.pages(SampleSelection(order: order), grant)
            #expect(Set(found.map(\.time.microseconds)) == [1, 9_000_000_000_001])
        }
        // Every window has a y, but only the first and last have an x.
        try await fixture.addOther((0...Int64(WindowBudget.windowLimit)).map { ($0 + 2, 1) })
        try await fixture.define(
            window: "1us",
            [("sum", by: "mean", of: ["probe.x"]), ("others", by: "count", of: ["other.y"])])
        let error = await #expect(throws: LAEError.self) {
            _ = try await fixture.engine.samples(SampleSelection(), for: grant)
        }
        #expect(error?.code == .tooManyWindows)
        #expect(error?.hint != nil)
    }
}
