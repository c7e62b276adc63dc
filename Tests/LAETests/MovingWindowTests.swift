import Auth
import Samples
import Statistics
import TestSupport
import Testing

@testable import LAE

/// Windows that overlap, compared with a query for each of them.
struct MovingWindowTests {
    private static let statistics: [Statistic] = [
        .count, .sum, .mean, .populationStandardDeviation, .minimum, .maximum,
        .approximatePercentile(90),
    ]

    /// Samples over three hours, many of them in the last, and a pause.
    private static func samples(_ random: inout SplitMix) -> [(time: Int64, x: Double)] {
        let start = EngineFixture.now.microseconds - 3 * 3_600_000_000
        var time = start
        return (0..<4000).map { number in
            time +=
                number == 2000
                ? 1_800_000_000 : Int64.random(in: 1...4_000_000, using: &random)
            return (time, Double.random(in: -100...100, using: &random))
        }
    }

    private static func areClose(_ one: Double?, _ other: Double?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return abs(one - other) <= 1e-9 * max(1, abs(one))
    }

    @Test(arguments: [
        Terms(access: .raw), Terms(access: .stats), Terms(access: .raw, maximumRate: 0.2),
        Terms(access: .raw, precision: 5, history: .seconds(4000)),
        Terms(access: .stats, history: .seconds(5000)),
    ])
    func `each window is that of a query of its own`(terms: Terms) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let fixture = try await EngineFixture()
        try await fixture.add(Self.samples(&random))
        let grant = try await fixture.grant(terms)
        for _ in 0..<6 {
            let step = Int64.random(in: 1_000_000...600_000_000, using: &random)
            let width =
                Bool.random(using: &random)
                ? step * Int64.random(in: 1...5, using: &random)
                : Int64.random(in: 1_000_000...900_000_000, using: &random)
            let first = EngineFixture.now.advanced(
                byMicroseconds: -Int64.random(in: 0...11_000_000_000, using: &random))
            let windows = MovingWindows(from: first, every: step, count: 12, width: width)
            let table = try await fixture.engine.statistics(
                StatisticsQuery(moving: windows, fields: ["x"], statistics: Self.statistics),
                for: grant)
            #expect(table.windows.count == 12)
            for (index, window) in table.windows.enumerated() {
                let range =
                    terms.access == .stats
                    ? windows.cellRange(of: index) : windows.range(of: index)
                let single = try await fixture.engine.statistics(
                    StatisticsQuery(
                        range: range, fields: ["x"], statistics: Self.statistics), for: grant
                ).windows[0]
                #expect(window.range == single.range, "seed \(seed): \(range)")
                #expect(window.count == single.count, "seed \(seed): \(range)")
                for (one, other) in zip(window.values[0], single.values[0]) {
                    #expect(
                        Self.areClose(one, other), "seed \(seed): \(range) \(window) \(single)")
                }
            }
        }
    }

    @Test func `a window contains its end and not its start`() async throws {
        let fixture = try await EngineFixture()
        try await fixture.add([(100, 1), (200, 2), (300, 4)])
        let windows = MovingWindows(
            from: Timestamp(microseconds: 200), every: 50, count: 3, width: 100)
        let table = try await fixture.engine.statistics(
            StatisticsQuery(moving: windows, fields: ["x"], statistics: [.sum, .last]),
            for: try await fixture.grant())
        #expect(table.windows.map(\.values) == [[[2, 2]], [[2, 2]], [[4, 4]]])
    }

    @Test func `the number of windows is limited`() async throws {
        let fixture = try await EngineFixture()
        try await fixture.add([(100, 1)])
        let windows = MovingWindows(from: .now(), every: 1, count: 10_001, width: 1)
        let error = await #expect(throws: LAEError.self) {
            try await fixture.engine.statistics(
                StatisticsQuery(moving: windows, statistics: [.sum]),
                for: try await fixture.grant())
        }
        #expect(error?.code == .tooManyWindows)
    }
}
