import Auth
import Foundation
import Samples
import Testing

@testable import LAE

/// What those see who may see statistics only.
struct AggregateGrantTests {
    private let lab: Lab

    init() async throws {
        lab = try await Lab()
    }

    @Test func `single samples are refused on every path`() async throws {
        try await lab.add((0..<20).map { (time: $0, x: Double($0)) })
        let grant = try await lab.grant(Terms(access: .stats))
        let attempts: [() async throws -> Void] = [
            { _ = try await lab.engine.latest(for: grant) },
            { _ = try await lab.engine.samples(SampleSelection(), for: grant) },
            { _ = try await lab.engine.arrivals(after: 0, limit: 1, for: grant) },
            {
                _ = try await lab.engine.statistics(
                    StatisticsQuery(statistics: [.first]), for: grant)
            },
            {
                _ = try await lab.engine.statistics(
                    StatisticsQuery(statistics: [.mean, .last]), for: grant)
            },
        ]
        for attempt in attempts {
            let error = await #expect(throws: LAEError.self) { try await attempt() }
            #expect(error?.code == .notGranted)
        }
        let entries = try await lab.authority.log.entries(
            AccessLogQuery(client: "reader", kind: .access))
        #expect(entries.isEmpty)
    }

    @Test(arguments: 0...7 as ClosedRange<Int64>)
    func `fewer than five samples tell nothing, not even how many they are`(
        count: Int64
    ) async throws {
        try await lab.add((0..<count).map { (time: $0, x: 20) })
        let grant = try await lab.grant(Terms(access: .stats))
        let query = StatisticsQuery(
            range: TimeRange(0, 10), fields: ["x"], statistics: [.count, .mean, .sum])
        let window = try #require(try await lab.engine.statistics(query, for: grant).windows.first)
        if count < 5 {
            #expect(window.count == nil)
            #expect(window.values == [[nil, nil, nil]])
        } else {
            #expect(window.count == Int(count))
            #expect(window.values == [[Double(count), 20, Double(count) * 20]])
        }
        let entries = try await lab.authority.log.entries(
            AccessLogQuery(client: "reader", kind: .access))
        #expect(entries.map(\.count) == [Int(count)])
    }

    @Test func `conditions that leave few samples tell nothing`() async throws {
        try await lab.add((0..<20).map { (time: $0, x: Double($0)) })
        let grant = try await lab.grant(Terms(access: .stats))
        for (text, isTold) in [("x<4", false), ("x<5", true), ("x=3", false)] {
            let query = StatisticsQuery(conditions: [try Condition(parsing: text)])
            let table = try await lab.engine.statistics(query, for: grant)
            #expect((table.windows.first?.count != nil) == isTold, "\(text)")
        }
    }

    @Test func `open windows do not tell when the last sample came`() async throws {
        try await lab.add((0..<10).map { (time: $0 * 1_000_000, x: 1) })
        let grant = try await lab.grant(Terms(access: .stats))
        let table = try await lab.engine.statistics(
            StatisticsQuery(every: .seconds(60)), for: grant)
        #expect(table.windows.map(\.range) == [TimeRange(0, 60_000_000)])
    }
}
