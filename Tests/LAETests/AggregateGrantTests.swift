import Auth
import Foundation
import Samples
import Statistics
import TestSupport
import Testing

@testable import LAE
@testable import VM

/// Queries under statistics-only grants.
struct AggregateGrantTests {
    private let fixture: EngineFixture

    init() async throws {
        fixture = try await EngineFixture()
    }

    @Test func `single samples are rejected on every path`() async throws {
        try await fixture.add((0..<20).map { (time: $0, x: Double($0)) })
        let grant = try await fixture.grant(Terms(access: .stats))
        let attempts: [() async throws -> Void] = [
            { _ = try await fixture.engine.latest(for: grant) },
            { _ = try await fixture.engine.samples(SampleSelection(), for: grant) },
            { _ = try await fixture.engine.arrivals(after: 0, limit: 1, for: grant) },
            {
                _ = try await fixture.engine.statistics(
                    StatisticsQuery(statistics: [.first]), for: grant)
            },
            {
                _ = try await fixture.engine.statistics(
                    StatisticsQuery(statistics: [.mean, .last]), for: grant)
            },
        ]
        for attempt in attempts {
            let error = await #expect(throws: LAEError.self) { try await attempt() }
            #expect(error?.code == .notGranted)
        }
        let entries = try await fixture.authority.log.entries(
            AccessLogQuery(client: "reader", kind: .access))
        #expect(entries.isEmpty)
    }

    @Test(arguments: 0...7 as ClosedRange<Int64>)
    func `fewer than five samples are suppressed, including their count`(
        count: Int64
    ) async throws {
        try await fixture.add((0..<count).map { (time: $0, x: 20) })
        let grant = try await fixture.grant(Terms(access: .stats))
        let query = StatisticsQuery(
            range: TimeRange(0, 10), fields: ["x"], statistics: [.count, .mean, .sum])
        let window = try #require(
            try await fixture.engine.statistics(query, for: grant).windows.first)
        if count < 5 {
            #expect(window.count == nil)
            #expect(window.values == [[nil, nil, nil]])
        } else {
            #expect(window.count == Int(count))
            #expect(window.values == [[Double(count), 20, Double(count) * 20]])
        }
        let entries = try await fixture.authority.log.entries(
            AccessLogQuery(client: "reader", kind: .access))
        #expect(entries.map(\.count) == [count < 5 ? 0 : Int(count)])
    }

    @Test func `conditions are rejected because they select single samples`() async throws {
        try await fixture.add((0..<20).map { (time: $0, x: Double($0)) })
        let grant = try await fixture.grant(Terms(access: .stats))
        let query = StatisticsQuery(conditions: [try Condition(parsing: "x<15")])
        let error = await #expect(throws: LAEError.self) {
            try await fixture.engine.statistics(query, for: grant)
        }
        #expect(error?.code == .notGranted)
    }

    @Test func `ranges and windows are widened to whole minutes`() async throws {
        try await fixture.add((0..<600).map { (time: $0 * 1_000_000, x: Double($0)) })
        let grant = try await fixture.grant(Terms(access: .stats))
        let second: Int64 = 1_000_000
        let query = StatisticsQuery(
            range: TimeRange(65 * second, 241 * second), fields: ["x"], statistics: [.sum],
            every: .seconds(61))
        let table = try await fixture.engine.statistics(query, for: grant)
        #expect(
            table.windows.map(\.range) == [
                TimeRange(60 * second, 180 * second), TimeRange(180 * second, 300 * second),
            ])
        let sums = [(60..<180).reduce(0, +), (180..<300).reduce(0, +)]
        #expect(table.windows.map(\.values) == sums.map { [[Double($0)]] })
    }

    @Test func `minutes with few samples are excluded from every answer`() async throws {
        let second: Int64 = 1_000_000
        try await fixture.add((0..<60).map { (time: $0 * second, x: 1) })
        try await fixture.add((60..<64).map { (time: $0 * second, x: 1000) })
        try await fixture.add((120..<180).map { (time: $0 * second, x: 1) })
        let grant = try await fixture.grant(Terms(access: .stats))
        for end in [60, 119, 120, 180, 600] as [Int64] {
            let query = StatisticsQuery(
                range: TimeRange(0, end * second), fields: ["x"], statistics: [.count, .maximum])
            let window = try await fixture.engine.statistics(query, for: grant).windows.first
            #expect(window?.values == [[end > 120 ? 120 : 60, 1]], "until \(end) s")
        }
    }

    @Test func `samples of a minute are visible only after it has ended`() async throws {
        let now = EngineFixture.now.microseconds
        let minute: Int64 = 60_000_000
        let start = now - now % minute
        try await fixture.add((1...60).map { (time: start - $0 * 1_000_000, x: 1) })
        let grant = try await fixture.grant(Terms(access: .stats))
        let query = StatisticsQuery(fields: ["x"], statistics: [.count, .sum])
        let before = try await fixture.engine.statistics(query, for: grant)
        for step in 0..<8 as Range<Int64> {
            try await fixture.add([(time: start + step, x: 5)])
            let after = try await fixture.engine.statistics(query, for: grant)
            #expect(after.windows.map(\.values) == before.windows.map(\.values))
        }
    }

    @Test(arguments: [nil, 0.5])
    func `the visible history shrinks by whole minutes`(precision: Double?) async throws {
        let second: Int64 = 1_000_000
        let now = EngineFixture.now.microseconds
        try await fixture.add((0..<3900).map { (time: now - (3900 - $0) * second, x: Double($0)) })
        let grant = try await fixture.grant(
            Terms(access: .stats, precision: precision, history: .seconds(3600)))
        let range = TimeRange(now - 3700 * second, now - 3000 * second)
        let query = StatisticsQuery(range: range, fields: ["x"], statistics: [.count, .sum])
        let request = AnalysisRequest(
            try Analysis("histogram", ["bins": .number(1)]),
            of: [try FieldReference(parsing: "probe.x")], range: range)
        var counts: [Int] = []
        for step in 0...60 as ClosedRange<Int64> {
            let engine = AnalyticsEngine(
                fixture.machine, log: fixture.authority.log,
                time: ManualTime(at: EngineFixture.now.advanced(byMicroseconds: step * second)))
            let window = try await engine.statistics(query, for: grant).windows.first
            let count = try #require(window?.count)
            #expect(try await engine.analyze(request, grants: [grant]).count == count)
            counts.append(count)
        }
        // The current time is 40 s after the start of a minute.
        #expect(counts == (0...60).map { $0 <= 20 ? 600 : 540 })
    }

    @Test(.timeLimit(.minutes(10)), arguments: [nil, 1] as [Double?])
    func `distant samples are found quickly`(precision: Double?) async throws {
        let age: Int64 = 1_000_000_000_000_000_000
        let second: Int64 = 1_000_000
        for start in [-age, -age / 7, 0, age] {
            try await fixture.add((0..<6).map { (time: start + $0 * second, x: 2) })
        }
        let engine = AnalyticsEngine(
            fixture.machine, log: fixture.authority.log,
            time: ManualTime(at: Timestamp(microseconds: age + 1000 * second)))
        let grant = try await fixture.grant(Terms(access: .stats, precision: precision))
        for every in [nil, .microseconds(age / 1000)] as [Duration?] {
            let table = try await engine.statistics(
                StatisticsQuery(fields: ["x"], statistics: [.sum], every: every), for: grant)
            #expect(table.windows.compactMap(\.count).reduce(0, +) == 24)
        }
    }

    @Test func `a query over too many cells is rejected`() async throws {
        let minute: Int64 = 60_000_000
        try await fixture.add((0..<1200).map { (time: $0 * minute / 5, x: 1) })
        let terms = GrantTerms(
            try await fixture.grant(Terms(access: .stats)), now: EngineFixture.now,
            cadence: .standard)
        let sensor = ReadableSensor(
            id: EngineFixture.sensor, fields: EngineFixture.fields,
            origin: .stored(fixture.machine.samples))
        let reader = StatisticsReader(
            of: sensor, columns: [0], samples: fixture.machine.samples, terms: terms,
            until: .distantFuture)
        let range = TimeRange(0, 240 * minute)
        let query = SummaryQuery(
            sensor: EngineFixture.sensor, fields: [EngineFixture.fields[0]], range: range)
        let cells = try #require(terms.cells)
        let (windows, _) = try await cells.summaries(query, range, reader, limit: 240)
        #expect(windows.map(\.count) == [1200])
        let error = await #expect(throws: LAEError.self) {
            _ = try await cells.summaries(query, range, reader, limit: 239)
        }
        #expect(error?.code == .tooManyWindows)
    }

    @Test func `percentiles are approximate and not the value of a sample`() async throws {
        try await fixture.add((0..<1000).map { (time: $0 * 1000, x: 1 + Double($0)) })
        let grant = try await fixture.grant(Terms(access: .stats))
        let query = StatisticsQuery(fields: ["x"], statistics: [.percentile(50)])
        let table = try await fixture.engine.statistics(query, for: grant)
        #expect(table.statistics == [.approximatePercentile(50)])
        let median = try #require(table.windows.first?.values.first?.first ?? nil)
        #expect(abs(median - 500.5) < 500.5 * 0.011)
    }

    @Test func `open windows do not reveal the time of the last sample`() async throws {
        try await fixture.add((0..<10).map { (time: $0 * 1_000_000, x: 1) })
        let grant = try await fixture.grant(Terms(access: .stats))
        let table = try await fixture.engine.statistics(
            StatisticsQuery(every: .seconds(60)), for: grant)
        #expect(table.windows.map(\.range) == [TimeRange(0, 60_000_000)])
    }
}
