import Auth
import Foundation
import Samples
import Statistics
import TestSupport
import Testing

@testable import LAE
@testable import VM

/// A rate limit selects the same samples in every kind of query.
struct RateTests {
    private let fixture: EngineFixture
    /// At a rate of three per second, slots are 333 334 µs wide.
    private static let slot: Int64 = 333_334

    init() async throws {
        fixture = try await EngineFixture()
    }

    /// Appends random samples, dense and sparse, some with equal times, and returns the visible
    /// ones.
    private func fill(_ random: inout SplitMix) async throws -> [Int64] {
        var times: [Int64] = []
        var time: Int64 = -5_000_000
        for _ in 0..<300 {
            time += [0, 1, 20_000, 333_333, 333_334, 1_000_000].randomElement(using: &random) ?? 0
            times.append(time)
        }
        try await fixture.add(times.prefix(150).map { (time: $0, x: 1) })
        try await fixture.add(times.dropFirst(150).map { (time: $0, x: 1) }, flush: false)
        var slots: Set<Int64> = []
        return zip((1 as Int64)..., times).filter { _, time in
            let slot = time >= 0 ? time / Self.slot : (time - Self.slot + 1) / Self.slot
            return slots.insert(slot).inserted
        }.map(\.0)
    }

    @Test(arguments: 0..<4)
    func `every path shows the same sample of each slot`(round: Int) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let expected = try await fill(&random)
        let grant = try await fixture.grant(Terms(access: .raw, maximumRate: 3))
        for limit in [1, 2, expected.count - 1, expected.count, expected.count + 1, 7] {
            let up = try await fixture.pages(SampleSelection(limit: limit), grant)
            #expect(up.map(\.sequence) == expected, "seed \(seed), limit \(limit)")
            let down = try await fixture.pages(
                SampleSelection(order: .descending, limit: limit), grant)
            #expect(down.map(\.sequence) == expected.reversed(), "seed \(seed), limit \(limit)")
            let stream = try await fixture.stream(grant, groupSize: limit)
            #expect(stream.map(\.sequence) == expected, "seed \(seed), limit \(limit)")
        }
        let latest = try await fixture.engine.latest(for: grant).samples
        #expect(latest.map(\.sequence) == [try #require(expected.last)], "seed \(seed)")
        for every in [nil, Duration.milliseconds(47), .seconds(2)] {
            let table = try await fixture.engine.statistics(
                StatisticsQuery(
                    range: TimeRange(-6_000_000, 300_000_000), fields: ["x"],
                    statistics: [.sum], every: every), for: grant)
            let count = table.windows.compactMap(\.count).reduce(0, +)
            #expect(count == expected.count, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<4)
    func `splitting the range reveals no other sample`(round: Int) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let expected = try await fill(&random)
        let all = try await fixture.pages(SampleSelection(limit: 1000), try await fixture.grant())
        let grant = try await fixture.grant(Terms(access: .raw, maximumRate: 3))
        for _ in 0..<60 {
            let ends = try (0..<2).map { _ in
                let time = try #require(all.randomElement(using: &random)).time.microseconds
                return time + Int64.random(in: -1...1, using: &random)
            }
            let range = TimeRange(ends[0], ends[1])
            let wanted = all.filter {
                expected.contains($0.sequence) && range.contains($0.time)
            }.map(\.sequence)
            let limit = Int.random(in: 1...9, using: &random)
            let up = try await fixture.pages(SampleSelection(range: range, limit: limit), grant)
            #expect(up.map(\.sequence) == wanted, "seed \(seed): \(range), limit \(limit)")
            let down = try await fixture.pages(
                SampleSelection(range: range, order: .descending, limit: limit), grant)
            #expect(
                down.map(\.sequence) == wanted.reversed(), "seed \(seed): \(range), limit \(limit)")
            let table = try await fixture.engine.statistics(
                StatisticsQuery(range: range), for: grant)
            #expect(table.windows.first?.count == wanted.count, "seed \(seed): \(range)")
        }
    }

    /// A position as a caller may make it up: of a sample, near one, or far from all.
    private static func position(
        near samples: [StoredSample], _ random: inout SplitMix
    ) throws -> SampleQuery.Position {
        let sample = try #require(samples.randomElement(using: &random))
        let microseconds = sample.time.microseconds
        let times = [
            .min, -1 << 61, 0, microseconds, microseconds, microseconds,
            microseconds + .random(in: -1_000_000...1_000_000, using: &random), 1 << 61, .max,
        ]
        let sequences = [.min, -1, 0, sample.sequence, sample.sequence - 1, sample.sequence, .max]
        return SampleQuery.Position(
            time: Timestamp(microseconds: times.randomElement(using: &random) ?? 0),
            sequence: sequences.randomElement(using: &random) ?? 0)
    }

    @Test(arguments: [EngineFixture.sensor, EngineFixture.shake], 0..<3)
    func `a forged page position returns no additional sample`(
        sensor: SensorID, round: Int
    ) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        _ = try await fill(&random)
        try await fixture.define(window: "100ms", [("mean", by: "mean", of: ["probe.x"])])
        let open = try await fixture.grant(to: sensor)
        let all = try await fixture.pages(SampleSelection(limit: 1000), open)
        let grant = try await fixture.grant(Terms(access: .raw, maximumRate: 3), to: sensor)
        let plain = try await fixture.pages(SampleSelection(limit: 1000), grant)
        #expect(plain.count < all.count)
        for number in 0..<150 {
            let ends = try (0..<2).map { _ in try Self.position(near: all, &random).time }
            let order = Bool.random(using: &random) ? SampleQuery.Order.ascending : .descending
            let after = number % 8 == 0 ? nil : try Self.position(near: all, &random)
            let selection = SampleSelection(
                range: number % 4 == 0 ? .all : TimeRange(from: ends[0], to: ends[1]),
                order: order, after: after, limit: Int.random(in: 1...9, using: &random))
            let found = try await fixture.engine.samples(selection, for: grant).samples
            let inOrder = order == .ascending ? plain : plain.reversed()
            let wanted = inOrder.filter { sample in
                let position = SampleQuery.Position(of: sample)
                let isAfter = after.map { order == .ascending ? $0 < position : position < $0 }
                return selection.range.contains(sample.time) && isAfter ?? true
            }
            #expect(found == Array(wanted.prefix(selection.limit)), "seed \(seed): \(selection)")
            guard sensor == EngineFixture.sensor else { continue }
            let sequence = try Self.position(near: all, &random).sequence
            let arrived = try await fixture.engine.arrivals(
                after: sequence, limit: selection.limit, for: grant)
            #expect(
                Set(arrived.page.samples).isSubset(of: plain), "seed \(seed): after \(sequence)")
        }
    }

    @Test func `conditions and rounding are applied after thinning`() async throws {
        try await fixture.add([(0, 10), (1, 90), (2_000_000, 90), (2_000_001, 10)])
        let grant = try await fixture.grant(Terms(access: .raw, maximumRate: 1))
        let condition = try Condition(parsing: "x>50")
        for order in [SampleQuery.Order.ascending, .descending] {
            let found = try await fixture.pages(
                SampleSelection(order: order, conditions: [condition], limit: 1), grant)
            #expect(found.map(\.sequence) == [3])
        }
    }

    @Test(
        arguments: [
            (1e-30, 1), (1e-3, 2), (0.5, 3), (1, 4), (1_000_000, 6), (1e9, 6), (.infinity, 6),
        ] as [(Double, Int)])
    func `every rate above zero is respected`(rate: Double, count: Int) async throws {
        try await fixture.add(
            [0, 1, 1, 1_000_000, 2_000_000, 1_500_000_000, 1_500_000_001].map { ($0, 1) })
        let grant = try await fixture.grant(Terms(access: .raw, maximumRate: rate))
        let up = try await fixture.pages(SampleSelection(limit: 2), grant)
        #expect(up.count == count)
        let down = try await fixture.pages(SampleSelection(order: .descending, limit: 2), grant)
        #expect(down == up.reversed())
        #expect(try await fixture.stream(grant, groupSize: 2) == up)
    }

    @Test func `no slot is shorter than its rate allows`() async throws {
        for rate in [0.3, 0.7, 3, 7, 60, 333, 1e5] {
            let grant = try await fixture.grant(Terms(access: .raw, maximumRate: rate))
            let terms = GrantTerms(grant, now: EngineFixture.now, cadence: .standard)
            let slot = try #require(terms.slot(of: EngineFixture.now))
            let width = slot.to.microseconds - slot.from.microseconds
            #expect(Double(width) * rate >= 1_000_000)
            #expect(Double(width - 1) * rate < 1_000_000)
            #expect(slot.contains(EngineFixture.now))
        }
    }
}
