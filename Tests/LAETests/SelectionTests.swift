import Auth
import Foundation
import SampleStore
import Samples
import Statistics
import Testing

@testable import LAE
@testable import VM

struct SelectionTests {
    private let fixture: EngineFixture

    init() async throws {
        fixture = try await EngineFixture()
    }

    @Test(
        arguments: [1, 10, 11, 12, 24, Int.max], [SampleQuery.Order.ascending, .descending])
    func `pages contain every sample once`(limit: Int, order: SampleQuery.Order) async throws {
        try await fixture.add((0..<8).map { (time: $0 / 4, x: Double($0)) })
        try await fixture.add((8..<12).map { (time: $0 / 6, x: Double($0)) }, flush: false)
        let grant = try await fixture.grant()
        let found = try await fixture.pages(SampleSelection(order: order, limit: limit), grant)
        let all = try await fixture.pages(SampleSelection(limit: 100), grant)
        #expect(all.count == 12)
        #expect(Set(all.map(\.sequence)).count == 12)
        #expect(found == (order == .ascending ? all : all.reversed()))
    }

    @Test(arguments: [SampleQuery.Order.ascending, .descending])
    func `a page of long texts ends early, and the next continues`(
        order: SampleQuery.Order
    ) async throws {
        let filler = String(repeating: "a", count: 1 << 20)
        let times = Array(0..<20 as Range<Int64>)
        for time in times {
            let sample = Sample(
                time: Timestamp(microseconds: time),
                values: [.number(0), .integer(time), .text("\(filler)\(time)")])
            try await fixture.machine.samples.store.append([sample], to: EngineFixture.sensor)
        }
        try await fixture.machine.samples.store.flush()
        let grant = try await fixture.grant()
        var selection = SampleSelection(order: order, limit: 1000)
        var found: [Int64] = []
        repeat {
            let page = try await fixture.engine.samples(selection, for: grant)
            #expect(page.samples.count <= 12)
            found += page.samples.map(\.time.microseconds)
            selection.after = page.next
        } while selection.after != nil && found.count <= times.count
        #expect(found == (order == .ascending ? times : times.reversed()))
        #expect(try await fixture.analyze("entropy", of: ["probe.state"]).count == 20)
    }

    @Test func `fields are returned in the requested order`() async throws {
        try await fixture.add([(1, 20)])
        let grant = try await fixture.grant()
        let page = try await fixture.engine.samples(
            SampleSelection(fields: ["state", "x", "x"]), for: grant)
        #expect(page.fields.map(\.name) == ["state", "x", "x"])
        #expect(page.samples.map(\.values) == [[.text("warm"), .number(20), .number(20)]])
    }

    @Test func `latest returns only the newest sample`() async throws {
        let grant = try await fixture.grant()
        #expect(try await fixture.engine.latest(for: grant).samples.isEmpty)
        try await fixture.add([(5, 1), (9, 2), (7, 3)])
        #expect(try await fixture.engine.latest(for: grant).samples.map(\.sequence) == [2])
    }

    @Test
    func `a sample five minutes or more in the future is read by range and is not the latest`()
        async throws
    {
        let now = EngineFixture.now.microseconds
        let times: [Int64] = [now - 2_000_000, now + 299_999_999, now + 300_000_000, .max - 1]
        try await fixture.add(times.map { ($0, 1) })
        for terms in [Terms(access: .raw), Terms(access: .raw, maximumRate: 10)] {
            let grant = try await fixture.grant(terms)
            let latest = try await fixture.engine.latest(for: grant)
            #expect(latest.samples.map(\.time.microseconds) == [times[1]])
            #expect(latest.freshness?.age == .zero)
            #expect(try await fixture.pages(SampleSelection(), grant).count == 4)
            // The default range of statistics ends with the newest sample.
            let table = try await fixture.engine.statistics(
                StatisticsQuery(statistics: [.count]), for: grant)
            #expect(table.windows.first?.count == 2)
            let open = try await fixture.engine.statistics(
                StatisticsQuery(range: TimeRange(now, .max), statistics: [.count]), for: grant)
            #expect(open.windows.first?.count == 1)
            let ended = try await fixture.engine.statistics(
                StatisticsQuery(range: TimeRange(now, .max - 5), statistics: [.count]), for: grant)
            #expect(ended.windows.first?.count == 2)
        }
    }

    @Test(arguments: [(nil, true), (0.1, true), (0.02, false)] as [(Double?, Bool)])
    func `samples withheld by a rate limit do not make the newest one stale`(
        rate: Double?, isStale: Bool
    ) async throws {
        // The sensor is read every second.
        try await fixture.add([(EngineFixture.now.microseconds - 40_000_000, 1)])
        let grant = try await fixture.grant(Terms(access: .raw, maximumRate: rate))
        let latest = try await fixture.engine.latest(for: grant)
        let interval = Duration.microseconds(rate.map { Int64(1_000_000 / $0) } ?? 1_000_000)
        #expect(
            latest.freshness
                == Freshness(of: latest.samples[0].time, at: EngineFixture.now, every: interval))
        #expect(latest.freshness?.isStale == isStale)
    }

    @Test
    func `an unknown or missing sensor, unknown field or unsuitable condition has an error code`()
        async throws
    {
        let cases: [(SensorID, SampleSelection, LAEError.Code)] = [
            ("nobody", SampleSelection(), .unknownSensor),
            ("missing", SampleSelection(), .unavailable),
            ("probe", SampleSelection(fields: ["y"]), .unknownField),
            (
                "probe", SampleSelection(conditions: [try Condition(parsing: "y>1")]),
                .unknownField
            ),
            (
                "probe", SampleSelection(conditions: [try Condition(parsing: "state>1")]),
                .invalidCondition
            ),
        ]
        for (sensor, selection, code) in cases {
            let grant = try await fixture.grant(to: sensor)
            let error = await #expect(throws: LAEError.self) {
                try await fixture.engine.samples(selection, for: grant)
            }
            #expect(error?.code == code)
            #expect(error?.message.isEmpty == false)
        }
    }

    @Test(
        arguments: [
            ("x>20", [30]), ("x>=20", [20, 30]), ("x<20", [-10]), ("x<=20", [-10, 20]),
            ("x=20", [20]), ("x=2e1", [20]), ("x!=20", [-10, 30]), ("n=-1", [-10]),
            ("state=cold", [-10]), ("state!=cold", [20, 30]), ("state=cold ", [-10]),
            ("state='cold '", []), ("x>-10 and x<30", [20]), ("x<0 or x>20", [-10, 30]),
            ("x<0 or x>0 and n=2", [-10, 20]), ("(x<0 or x>0) and n=2", [20]),
            ("not x=20", [-10, 30]), ("NOT (x=20 Or state = \"cold\")", [30]),
            ("not not x=20", [20]),
        ] as [(String, [Double])])
    func `conditions select matching samples`(text: String, expected: [Double]) async throws {
        try await fixture.add([(1, -10), (2, 20), (3, 30)])
        let grant = try await fixture.grant()
        let page = try await fixture.engine.samples(
            SampleSelection(conditions: [try Condition(parsing: text)]), for: grant)
        #expect(page.samples.map { $0.values[0] } == expected.map(Value.number))
    }

    @Test func `every read is recorded in the access log with its count`() async throws {
        try await fixture.add((0..<7).map { (time: $0, x: Double($0)) })
        let grant = try await fixture.grant()
        _ = try await fixture.engine.latest(for: grant)
        let range = TimeRange(1, 6)
        _ = try await fixture.engine.samples(SampleSelection(range: range, limit: 3), for: grant)
        _ = try await fixture.engine.statistics(StatisticsQuery(range: range), for: grant)
        _ = try await fixture.engine.arrivals(after: 2, limit: 4, for: grant)
        let lines = try await fixture.authority.log.entries(
            AccessLogQuery(client: "reader", kind: .access))
        #expect(lines.map(\.operation) == ["stream", "stats", "samples", "latest"])
        #expect(lines.map(\.count) == [4, 5, 3, 1])
        #expect(lines.map(\.access) == [.raw, .stats, .raw, .raw])
        #expect(lines.map(\.range) == [nil, range, range, .all])
        #expect(lines.allSatisfy { $0.outcome == .allowed && $0.sensor == EngineFixture.sensor })
    }
}
