import Auth
import Foundation
import SampleStore
import Samples
import Statistics
import Testing

@testable import LAE
@testable import VM

/// Windows that contain pruned samples.
struct PrunedSamplesTests {
    private static let hour: Int64 = 3_600_000_000

    private let fixture: EngineFixture

    init() async throws {
        fixture = try await EngineFixture()
        // One sample per minute for ten hours, of which the first six are pruned.
        try await fixture.add((0..<600).map { (time: $0 * Self.hour / 60, x: Double($0)) })
        try await fixture.machine.samples.store.maintenance.setRule(
            RetentionRule(raw: .zero), for: EngineFixture.sensor)
        try await fixture.machine.samples.store.maintenance.run(
            at: Timestamp(microseconds: 6 * Self.hour))
    }

    private func hours(
        _ terms: Terms, _ range: TimeRange = .all, where conditions: [String] = []
    ) async throws -> [StatisticsTable.Window] {
        let grant = try await fixture.grant(terms)
        let query = StatisticsQuery(
            range: range, fields: ["x"], statistics: [.count], every: .seconds(3600),
            conditions: try conditions.map { try Condition(parsing: $0) })
        return try await fixture.engine.statistics(query, for: grant).windows
    }

    @Test func `windows of an open range begin with the first summary, not the first sample`()
        async throws
    {
        let windows = try await hours(Terms(access: .raw))
        #expect(windows.first?.range.from.microseconds == 0)
        #expect(windows.count == 10 && windows.allSatisfy { $0.count == 60 })
        #expect(windows.allSatisfy { $0.coverage?.share == 1 })
    }

    @Test func `a statistics-only grant reports that pruned hours are missing in minutes`()
        async throws
    {
        let windows = try await hours(Terms(access: .stats))
        #expect(windows.first?.range.from.microseconds == 0)
        #expect(windows.map(\.isPartial) == (0..<10).map { $0 < 6 })
        #expect(windows.prefix(6).allSatisfy { $0.count == nil && $0.coverage?.share == 0 })
    }

    @Test(
        arguments: [
            (Terms(access: .raw), ["x>=0"]), (Terms(access: .raw, precision: 1), []),
            (Terms(access: .raw, maximumRate: 1), []),
            (Terms(access: .raw, precision: 1), ["x>=0"]),
        ] as [(Terms, [String])])
    func `pruned hours are reported as missing where samples are needed`(
        terms: Terms, conditions: [String]
    ) async throws {
        let windows = try await hours(terms, where: conditions)
        #expect(windows.map(\.count) == (0..<10).map { $0 < 6 ? 0 : 60 })
        #expect(windows.map(\.isPartial) == (0..<10).map { $0 < 6 })
        // Up to four usual intervals before the first sample count as covered.
        let shares = Array(repeating: 0, count: 5) + [4.0 / 60, 1, 1, 1, 1]
        #expect(windows.map { $0.coverage?.share } == shares)
        let late = TimeRange(6 * Self.hour, 10 * Self.hour)
        #expect(try await hours(terms, late, where: conditions).allSatisfy { !$0.isPartial })
    }

    @Test(arguments: [Access.raw, .stats])
    func `analyses report missing hours`(access: Access) async throws {
        for (from, isPartial) in [(0, true), (5, true), (6, false)] as [(Int64, Bool)] {
            let answer = try await fixture.analyze(
                "trend", of: ["probe.x"], range: TimeRange(from * Self.hour, 10 * Self.hour),
                terms: Terms(access: access))
            #expect(answer.isPartial == isPartial)
        }
    }

    @Test
    func `a statistics-only grant does not reveal which minutes of a pruned hour had samples`()
        async throws
    {
        let fixture = try await EngineFixture()
        let minute = Self.hour / 60
        try await fixture.add([30 * minute, 31 * minute, 9 * Self.hour].map { (time: $0, x: 1) })
        try await fixture.machine.samples.store.maintenance.setRule(
            RetentionRule(raw: .zero), for: EngineFixture.sensor)
        try await fixture.machine.samples.store.maintenance.run(
            at: Timestamp(microseconds: 6 * Self.hour))
        let grant = try await fixture.grant(Terms(access: .stats))
        func partial(_ range: TimeRange) async throws -> [Bool] {
            let query = StatisticsQuery(
                range: range, fields: ["x"], statistics: [.count], every: .seconds(60))
            return try await fixture.engine.statistics(query, for: grant).windows.map(\.isPartial)
        }
        let hour = try await partial(TimeRange(0, 2 * Self.hour))
        #expect(hour == (0..<120).map { $0 < 60 })
        for number in [10, 30, 50] as [Int64] {
            #expect(try await partial(TimeRange(number * minute, (number + 1) * minute)) == [true])
        }
    }

    @Test func `statistics use the summaries when no samples are left`() async throws {
        _ = try await fixture.machine.retention.forget(
            EngineFixture.sensor, TimeRange(6 * Self.hour, 10 * Self.hour))
        let windows = try await hours(Terms(access: .raw))
        #expect(windows.map(\.count) == Array(repeating: 60, count: 6))
    }

    @Test func `summaries before the granted history are not used`() async throws {
        let history = EngineFixture.now.microseconds - 4 * Self.hour
        let terms = Terms(access: .raw, history: .microseconds(history))
        let windows = try await hours(terms)
        #expect(windows.first?.range.from.microseconds == 4 * Self.hour)
        #expect(windows.map(\.count) == Array(repeating: 60, count: 6))
    }
}
