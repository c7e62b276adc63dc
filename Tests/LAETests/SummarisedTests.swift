import Auth
import Foundation
import SampleStore
import Samples
import Statistics
import Testing

@testable import LAE
@testable import VM

/// Windows over hours whose samples are gone.
struct SummarisedTests {
    private static let hour: Int64 = 3_600_000_000

    private let lab: Lab

    init() async throws {
        lab = try await Lab()
        // A sample a minute for ten hours, of which the first six go.
        try await lab.add((0..<600).map { (time: $0 * Self.hour / 60, x: Double($0)) })
        try await lab.machine.samples.store.maintenance.keep(
            RetentionRule(raw: .zero), for: Lab.sensor)
        try await lab.machine.samples.store.maintenance.run(
            at: Timestamp(microseconds: 6 * Self.hour))
    }

    private func hours(
        _ terms: Terms, _ range: TimeRange = .all, where conditions: [String] = []
    ) async throws -> [StatisticsTable.Window] {
        let grant = try await lab.grant(terms)
        let query = StatisticsQuery(
            range: range, fields: ["x"], statistics: [.count], every: .seconds(3600),
            conditions: try conditions.map { try Condition(parsing: $0) })
        return try await lab.engine.statistics(query, for: grant).windows
    }

    @Test func `open windows begin with the summaries and not with the samples`() async throws {
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
        // The time before the first sample is seen as far as four usual intervals.
        let shares = Array(repeating: 0, count: 5) + [4.0 / 60, 1, 1, 1, 1]
        #expect(windows.map { $0.coverage?.share } == shares)
        let late = TimeRange(6 * Self.hour, 10 * Self.hour)
        #expect(try await hours(terms, late, where: conditions).allSatisfy { !$0.isPartial })
    }

    @Test(arguments: [Access.raw, .stats])
    func `analyses report missing hours`(access: Access) async throws {
        for (from, isPartial) in [(0, true), (5, true), (6, false)] as [(Int64, Bool)] {
            let answer = try await lab.analyze(
                "trend", of: ["probe.x"], range: TimeRange(from * Self.hour, 10 * Self.hour),
                terms: Terms(access: access))
            #expect(answer.isPartial == isPartial)
        }
    }

    @Test func `the minutes of the few samples of an hour are not revealed`() async throws {
        let lab = try await Lab()
        let minute = Self.hour / 60
        try await lab.add([30 * minute, 31 * minute, 9 * Self.hour].map { (time: $0, x: 1) })
        try await lab.machine.samples.store.maintenance.keep(
            RetentionRule(raw: .zero), for: Lab.sensor)
        try await lab.machine.samples.store.maintenance.run(
            at: Timestamp(microseconds: 6 * Self.hour))
        let grant = try await lab.grant(Terms(access: .stats))
        func partial(_ range: TimeRange) async throws -> [Bool] {
            let query = StatisticsQuery(
                range: range, fields: ["x"], statistics: [.count], every: .seconds(60))
            return try await lab.engine.statistics(query, for: grant).windows.map(\.isPartial)
        }
        let hour = try await partial(TimeRange(0, 2 * Self.hour))
        #expect(hour == (0..<120).map { $0 < 60 })
        for place in [10, 30, 50] as [Int64] {
            #expect(try await partial(TimeRange(place * minute, (place + 1) * minute)) == [true])
        }
    }

    @Test func `analyses report missing hours when every sample is pruned`() async throws {
        _ = try await lab.machine.retention.forget(
            Lab.sensor, TimeRange(6 * Self.hour, 10 * Self.hour))
        let windows = try await hours(Terms(access: .raw))
        #expect(windows.map(\.count) == Array(repeating: 60, count: 6))
    }

    @Test func `summaries before the granted history are not used`() async throws {
        let history = Lab.now.microseconds - 4 * Self.hour
        let terms = Terms(access: .raw, history: .microseconds(history))
        let windows = try await hours(terms)
        #expect(windows.first?.range.from.microseconds == 4 * Self.hour)
        #expect(windows.map(\.count) == Array(repeating: 60, count: 6))
    }
}
