import Auth
import Foundation
import SampleStore
import Samples
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
        try await lab.machine.store.keep(RetentionRule(raw: .zero), for: Lab.sensor)
        try await lab.machine.store.maintain(at: Timestamp(microseconds: 6 * Self.hour))
    }

    private func hours(
        _ terms: Terms, _ range: TimeRange = .all
    ) async throws -> [StatisticsTable.Window] {
        let grant = try await lab.grant(terms)
        let query = StatisticsQuery(
            range: range, fields: ["x"], statistics: [.count], every: .seconds(3600))
        return try await lab.engine.statistics(query, for: grant).windows
    }

    @Test func `open windows begin with the summaries and not with the samples`() async throws {
        let windows = try await hours(Terms(access: .raw))
        #expect(windows.first?.range.from.microseconds == 0)
        #expect(windows.count == 10 && windows.allSatisfy { $0.count == 60 })
        #expect(windows.allSatisfy { $0.coverage?.share == 1 })
    }

    @Test func `who may see statistics only sees that hours are left out of minutes`() async throws
    {
        let windows = try await hours(Terms(access: .stats))
        #expect(windows.first?.range.from.microseconds == 0)
        #expect(windows.map(\.isPartial) == (0..<10).map { $0 < 6 })
        #expect(windows.prefix(6).allSatisfy { $0.count == nil && $0.coverage?.share == 0 })
    }

    @Test func `they do so when every sample is gone`() async throws {
        _ = try await lab.machine.forget(
            Lab.sensor, TimeRange(6 * Self.hour, 10 * Self.hour))
        let windows = try await hours(Terms(access: .raw))
        #expect(windows.map(\.count) == Array(repeating: 60, count: 6))
    }

    @Test func `they do not reach farther back than a grant`() async throws {
        let history = Lab.now.microseconds - 4 * Self.hour
        let terms = Terms(access: .raw, history: .microseconds(history))
        let windows = try await hours(terms)
        #expect(windows.first?.range.from.microseconds == 4 * Self.hour)
        #expect(windows.map(\.count) == Array(repeating: 60, count: 6))
    }
}
