import Auth
import Foundation
import Samples
import TestSupport
import Testing

@testable import LAE

/// The coverage in answers.
struct CoverageTests {
    private static let second: Int64 = 1_000_000
    private static let minute: Int64 = 60 * second

    private let fixture: EngineFixture

    init() async throws {
        fixture = try await EngineFixture()
    }

    private func add(_ seconds: [Int64]) async throws {
        try await fixture.add(seconds.map { (time: $0 * Self.second, x: Double($0)) })
    }

    private func shares(
        _ query: StatisticsQuery, _ terms: Terms = Terms(access: .raw)
    ) async throws -> [Double?] {
        let grant = try await fixture.grant(terms)
        return try await fixture.engine.statistics(query, for: grant).windows.map(\.coverage?.share)
    }

    @Test func `a pause reduces the coverage of the range and of its window`() async throws {
        try await add(Array(0..<60) + Array(120..<240))
        let range = TimeRange(0, 4 * Self.minute)
        #expect(try await shares(StatisticsQuery(range: range)) == [183.0 / 240])
        let windows = StatisticsQuery(range: range, every: .seconds(60))
        #expect(try await shares(windows) == [1, 3.0 / 60, 1, 1])
    }

    @Test func `future time is not counted`() async throws {
        let now = EngineFixture.now.microseconds / Self.second
        try await add(Array(now - 60..<now))
        let from = Timestamp(microseconds: (now - 60) * Self.second)
        for to in [Timestamp.distantFuture, from.advanced(byMicroseconds: 9 * Self.minute)] {
            let query = StatisticsQuery(range: TimeRange(from: from, to: to))
            #expect(try await shares(query) == [1])
        }
        let later = TimeRange((now + 60) * Self.second, (now + 120) * Self.second)
        #expect(try await shares(StatisticsQuery(range: later)) == [nil])
    }

    @Test func `an open range begins with the first sample and ends now`() async throws {
        let now = EngineFixture.now.microseconds / Self.second
        try await add(Array(now - 100..<now - 49))
        #expect(try await shares(StatisticsQuery()) == [0.54])
    }

    @Test func `coverage is zero without samples and unknown for few`() async throws {
        let query = StatisticsQuery(range: TimeRange(0, Self.minute))
        #expect(try await shares(query) == [0])
        try await add([10, 10, 11])
        #expect(try await shares(query) == [nil])
        try await add([12])
        #expect(try await shares(query) == [10.0 / 60])
    }

    @Test func `samples that a condition excludes count as coverage`() async throws {
        try await add(Array(0..<120))
        let query = StatisticsQuery(
            range: TimeRange(0, 4 * Self.minute), conditions: [try Condition(parsing: "x<30")])
        let grant = try await fixture.grant()
        let table = try await fixture.engine.statistics(query, for: grant)
        #expect(table.windows[0].count == 30)
        #expect(table.windows[0].coverage?.share == 123.0 / 240)
    }

    @Test func `coverage under a rate limit counts the visible samples`() async throws {
        try await add(Array(0..<120))
        let query = StatisticsQuery(range: TimeRange(0, 4 * Self.minute))
        let terms = Terms(access: .raw, maximumRate: 0.1)
        // Every 10 s from 0 to 110 s, and 40 s after the last sample.
        #expect(try await shares(query, terms) == [150.0 / 240])
    }

    @Test func `time before the granted history is not covered`() async throws {
        let now = EngineFixture.now.microseconds / Self.second
        try await add(Array(now - 240..<now))
        let range = TimeRange((now - 240) * Self.second, now * Self.second)
        let terms = Terms(access: .raw, history: .seconds(60))
        #expect(try await shares(StatisticsQuery(range: range), terms) == [64.0 / 240])
        let windows = StatisticsQuery(range: range, every: .seconds(90))
        #expect(try await shares(windows, terms) == [0, 4.0 / 90, 1])
    }

    @Test func `a statistics-only grant has coverage for whole cells`() async throws {
        // The first minute complete, the second with four samples, half of the third.
        try await add(Array(0..<60) + [60, 61, 62, 63] + Array(120..<150))
        let terms = Terms(access: .stats)
        let query = StatisticsQuery(range: TimeRange(0, 4 * Self.minute))
        #expect(try await shares(query, terms) == [93.0 / 240])
        var windows = query
        windows.every = .seconds(60)
        #expect(try await shares(windows, terms) == [1, 0, 33.0 / 60, 0])
        // A fifth sample makes the second minute visible: three seconds, and four after two
        // samples.
        try await add([90])
        #expect(try await shares(query, terms) == [104.0 / 240])
    }

    @Test(arguments: 0..<12)
    func `coverage of windows adds up to the whole, whatever the chunks`(round: Int) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        var clock: Int64 = 0
        for _ in 0..<20 {
            var times: [(time: Int64, x: Double)] = []
            for _ in 0..<Int.random(in: 1...900, using: &random) {
                let isPause = Int.random(in: 0..<200, using: &random) == 0
                clock += .random(in: 0...(isPause ? 90 : 2) * Self.second, using: &random)
                times.append((clock, 1))
            }
            try await fixture.add(times)
        }
        let from = Int64.random(in: -Self.minute...clock / 2, using: &random)
        let range = TimeRange(from, from + .random(in: 1...clock, using: &random))
        let grant = try await fixture.grant()
        let whole = try await fixture.engine.statistics(StatisticsQuery(range: range), for: grant)
        let every = Duration.microseconds((range.to.microseconds - from) / 37 + 1)
        let windows = try await fixture.engine.statistics(
            StatisticsQuery(range: range, every: every), for: grant)
        // A range before the first sample has no coverage.
        let covered = windows.windows.compactMap(\.coverage?.covered)
        let sum = covered.isEmpty ? nil : covered.reduce(0, +)
        #expect(whole.windows[0].coverage?.covered == sum, "seed \(seed)")
    }
}
