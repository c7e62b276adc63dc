import Auth
import Foundation
import Samples
import Statistics
import Testing

@testable import LAE

struct StatisticsTests {
    private let fixture: EngineFixture

    init() async throws {
        fixture = try await EngineFixture()
    }

    private func statistics(_ query: StatisticsQuery) async throws -> StatisticsTable {
        try await fixture.engine.statistics(query, for: try await fixture.grant())
    }

    @Test func `windows begin with the range and the last may be shorter`() async throws {
        try await fixture.add([(99, 1), (100, 2), (109, 4), (110, 8), (124, 16), (125, 32)])
        let table = try await statistics(
            StatisticsQuery(
                range: TimeRange(100, 125), fields: ["x"], statistics: [.sum, .count],
                every: .microseconds(10)))
        let windows = table.windows
        #expect(windows.map(\.range) == [.init(100, 110), .init(110, 120), .init(120, 125)])
        #expect(windows.map(\.count) == [2, 1, 1])
        #expect(windows.map(\.values) == [[[6, 2]], [[8, 1]], [[16, 1]]])
    }

    @Test func `days of the calendar have their own lengths, with and without conditions`()
        async throws
    {
        // Clocks in New York changed on 1970-04-26.
        let hour: Int64 = 3_600_000_000
        let start = try #require(Timestamp(rfc3339: "1970-04-24T05:00:00Z")).microseconds
        let range = TimeRange(start, start + 96 * hour)
        let calendar = try #require(CalendarWindows("1d", zone: "America/New_York"))
        let windows = try #require(calendar.divide(range, atMost: 10))
        try await fixture.add((0..<96 as Range<Int64>).map { (time: start + $0 * hour, x: 1) })
        let positive = try Condition(parsing: "x>0")
        for conditions in [[], [positive]] {
            let table = try await statistics(
                StatisticsQuery(
                    range: range, fields: ["x"], statistics: [.count], calendar: calendar,
                    conditions: conditions))
            #expect(table.windows.map(\.range) == windows)
            #expect(table.windows.map(\.count) == [24, 24, 23, 24, 1])
        }
        let grant = try await fixture.grant(Terms(access: .stats))
        let aggregates = try await fixture.engine.statistics(
            StatisticsQuery(
                range: range, fields: ["x"], statistics: [.count], calendar: calendar), for: grant)
        #expect(aggregates.windows.prefix(2).map(\.range) == Array(windows.prefix(2)))
    }

    @Test func `days of the calendar are limited like other windows`() async throws {
        try await fixture.add([(0, 1)])
        let calendar = try #require(CalendarWindows("1d", zone: "UTC"))
        let query = StatisticsQuery(
            range: TimeRange(0, 10_001 * 86_400_000_000), calendar: calendar)
        let error = await #expect(throws: LAEError.self) { try await statistics(query) }
        #expect(error?.code == .tooManyWindows)
    }

    @Test func `open ranges are extended to whole windows`() async throws {
        try await fixture.add([(-7, 1), (13, 2), (20, 4)])
        let table = try await statistics(
            StatisticsQuery(fields: ["x"], statistics: [.sum], every: .microseconds(10)))
        #expect(
            table.windows.map(\.range)
                == [.init(-10, 0), .init(0, 10), .init(10, 20), .init(20, 30)])
        #expect(table.windows.map(\.count) == [1, 0, 1, 1])
        let late = try await statistics(
            StatisticsQuery(
                range: TimeRange(from: .init(microseconds: 21), to: .distantFuture),
                every: .microseconds(10)))
        #expect(late.windows.isEmpty)
    }

    @Test func `an open range without samples has an empty window`() async throws {
        let one = try await statistics(StatisticsQuery(statistics: [.count, .mean, .maximum]))
        #expect(one.windows.map(\.values) == [[[0, nil, nil], [0, nil, nil]]])
        let many = try await statistics(StatisticsQuery(every: .seconds(1)))
        #expect(many.windows.allSatisfy { $0.count == 0 })
    }

    @Test(
        arguments: [
            (TimeRange(0, 10_000), 1, 10_000), (TimeRange(0, 10_001), 1, nil),
            (TimeRange(.min + 1, .max - 1), 1, nil), (TimeRange(.min + 1, .max - 1), .max, nil),
            (TimeRange(5, 5), 1, 0), (TimeRange(0, 7), .max, 1),
        ] as [(TimeRange, Int64, Int?)])
    func `too many windows are rejected`(
        range: TimeRange, step: Int64, count: Int?
    ) async throws {
        let query = StatisticsQuery(range: range, every: .microseconds(step))
        guard let count else {
            let error = await #expect(throws: LAEError.self) { try await statistics(query) }
            #expect(error?.code == .tooManyWindows)
            return
        }
        #expect(try await statistics(query).windows.count == count)
    }

    @Test func `samples at the edges of many pages are counted once`() async throws {
        for count in [4095, 4096, 4097] as [Int64] {
            let fixture = try await EngineFixture()
            try await fixture.add((0..<count).map { (time: $0 / 2, x: 1) })
            let grant = try await fixture.grant()
            let table = try await fixture.engine.statistics(
                StatisticsQuery(fields: ["x"], statistics: [.sum]), for: grant)
            #expect(table.windows.map(\.values) == [[[Double(count)]]])
        }
    }

    @Test func `only numeric fields have statistics`() async throws {
        try await fixture.add([(1, 10)])
        let table = try await statistics(StatisticsQuery(statistics: [.mean]))
        #expect(table.fields.map(\.name) == ["x", "n"])
        #expect(table.windows.map(\.values) == [[[10], [1]]])
        let chosen = try await statistics(StatisticsQuery(fields: ["n"], statistics: [.mean]))
        #expect(chosen.windows.map(\.values) == [[[1]]])
        let error = await #expect(throws: LAEError.self) {
            try await statistics(StatisticsQuery(fields: ["state"]))
        }
        #expect(error?.code == .notNumeric)
    }

    @Test func `conditions decide which samples count`() async throws {
        try await fixture.add([(1, -10), (2, 20), (3, 30)])
        let warm = try Condition(parsing: "state=warm")
        let table = try await statistics(
            StatisticsQuery(fields: ["x"], statistics: [.mean], conditions: [warm]))
        #expect(table.windows.map(\.values) == [[[25]]])
        #expect(table.windows.map(\.count) == [2])
        let either = try Condition(parsing: "state=cold or (x>20 and not n=2)")
        let joined = try await statistics(
            StatisticsQuery(fields: ["x"], statistics: [.mean], conditions: [either]))
        #expect(joined.windows.map(\.values) == [[[10]]])
    }
}
