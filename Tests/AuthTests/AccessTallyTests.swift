import GRDB
import Samples
import TestSupport
import Testing

@testable import Auth

/// Equal calls share entries.
struct AccessTallyTests {
    private let fixture: AuthorityFixture

    init() throws {
        fixture = try AuthorityFixture()
    }

    private static func grant(_ sensor: SensorID = "cpu", client: String = "app") -> Grant {
        Grant(
            to: Client(name: client, kind: .app, run: nil), sensor: sensor,
            terms: Terms(access: .raw))
    }

    private func written() async throws -> [[Int]] {
        let database = try AuthDatabase(path: fixture.path)
        return try await database.queue.read {
            try Row.fetchAll($0, sql: "SELECT calls, count FROM ledger ORDER BY id")
                .map { [$0["calls"], $0["count"]] }
        }
    }

    @Test func `the first call of a minute is written immediately, the others at its end`()
        async throws
    {
        let log = try await fixture.open().log
        for count in 1...1000 {
            try await log.record("latest", .raw, for: Self.grant(), range: nil, count: count)
            if count == 1 { #expect(try await written() == [[1, 1]]) }
        }
        #expect(try await written() == [[1, 1]])
        let shown = try await log.entries(AccessLogQuery())
        #expect(shown.map(\.calls) == [1000])
        #expect(shown.map(\.count) == [500_500])
        fixture.clock.advance(by: .seconds(60))
        let after = try await log.entries(AccessLogQuery())
        #expect(after.map(\.calls) == [999, 1])
        #expect(after.map(\.count) == [500_499, 1])
        #expect(try await written() == [[1, 1], [999, 500_499]])
    }

    @Test func `no count is lost or doubled across minutes and concurrent reads`() async throws {
        let log = try await fixture.open().log
        let clock = fixture.clock
        try await withThrowingTaskGroup { group in
            for part in 0..<4 {
                group.addTask {
                    let sensor: SensorID = part.isMultiple(of: 2) ? "cpu" : "load"
                    for _ in 1...100 {
                        clock.advance(by: .seconds(1))
                        try await log.record(
                            "stream", .raw, for: Self.grant(sensor), range: nil, count: 3)
                    }
                }
            }
            group.addTask {
                var last = 0
                for _ in 1...40 {
                    let lines = try await log.entries(AccessLogQuery(limit: 10_000))
                    let sum = lines.map(\.count).reduce(0, +)
                    #expect(sum >= last)
                    last = sum
                }
            }
            try await group.waitForAll()
        }
        let lines = try await log.entries(AccessLogQuery(limit: 10_000))
        #expect(lines.map(\.calls).reduce(0, +) == 400)
        #expect(lines.map(\.count).reduce(0, +) == 1200)
        // 400 seconds span at most 8 minutes, with two sensors and two entries each.
        #expect(lines.count <= 32)
    }

    @Test func `different calls have separate entries, and a range covers all calls of its entry`()
        async throws
    {
        let log = try await fixture.open().log
        func range(_ from: Int64, _ to: Int64) -> TimeRange {
            TimeRange(from: Timestamp(microseconds: from), to: Timestamp(microseconds: to))
        }
        for (from, to) in [(50, 60), (10, 20), (55, 90)] as [(Int64, Int64)] {
            try await log.record(
                "samples", .raw, for: Self.grant(), range: range(from, to), count: 1)
        }
        try await log.record("stats", .stats, for: Self.grant(), range: nil, count: 1)
        try await log.record("samples", .raw, for: Self.grant("load"), range: nil, count: 1)
        try await log.record("samples", .raw, for: Self.grant(client: "b"), range: nil, count: 1)
        let lines = try await log.entries(AccessLogQuery())
        #expect(lines.map(\.calls) == [1, 1, 1, 3])
        #expect(lines.last?.range == range(10, 90))
    }

    @Test func `repeated refused calls of an app get two entries a minute`() async throws {
        let authority = try await fixture.open()
        try await authority.admit(app: "app")
        let token = try await authority.beginRun(of: "app").token
        for _ in 1...500 {
            _ = await refusal {
                _ = try await authority.checkApp(
                    token: token.text, name: "app",
                    requested: AccessRequest("latest", of: "cpu", .raw))
            }
        }
        let line = try #require(try await authority.log.entries(AccessLogQuery()).first)
        #expect(line.calls == 500)
        #expect(line.kind == .refusal)
        fixture.clock.advance(by: .seconds(60))
        #expect(try await authority.log.entries(AccessLogQuery()).map(\.calls) == [499, 1])
    }

    @Test func `excess different calls are counted in one entry`() async throws {
        let authority = try await fixture.open()
        try await authority.admit(app: "app")
        let token = try await authority.beginRun(of: "app").token
        for number in 1...400 {
            let sensor = try #require(SensorID("s-\(number)"))
            _ = await refusal {
                _ = try await authority.checkApp(
                    token: token.text, name: "app",
                    requested: AccessRequest("latest", of: sensor, .raw))
            }
        }
        // The limit of the first client does not apply to another.
        try await authority.log.record(
            "latest", .raw, for: Self.grant(client: "b"), range: nil, count: 1)
        let lines = try await authority.log.entries(AccessLogQuery(limit: 1000))
        #expect(lines.count == AccessLog.refusalKindsPerClient + 2)
        let more = try #require(lines.first { $0.operation == "more" })
        #expect(more.calls == 400 - AccessLog.refusalKindsPerClient)
        #expect(more.client == "app")
        #expect(more.outcome == .refused)
        #expect(lines.first?.client == "b")
    }

    /// An app invents names in order to hide what it reads.
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `every allowed kind of call has its own entry, whatever else the client tries`(
        seed: UInt64
    ) async throws {
        var random = SplitMix(state: seed)
        let authority = try await fixture.open(timeLimit: .zero)
        let log = authority.log
        try await authority.admit(app: "app")
        let token = try await authority.beginRun(of: "app").token
        let sensors = (1...40).compactMap { SensorID("given.s\($0)") }
        try await authority.decide(
            .allowAlways, on: PrivilegeID.sensor("given", .raw), by: "app")
        var read: [String: Int] = [:]
        for step in 1...1500 {
            let isAllowed = Int.random(in: 0..<4, using: &random) == 0
            let invented = SensorID("s\(step)")
            guard let name = isAllowed ? sensors.randomElement(using: &random) : invented else {
                continue
            }
            let operation = ["latest", "samples", "stream"].randomElement(using: &random) ?? ""
            let request = AccessRequest(operation, of: name, .raw)
            guard isAllowed else {
                let code = await refusal {
                    _ = try await authority.checkApp(
                        token: token.text, name: "app", requested: request)
                }
                #expect(code == .undecided)
                continue
            }
            let grant = try await authority.checkApp(
                token: token.text, name: "app", requested: request)
            let count = Int.random(in: 1...9, using: &random)
            try await log.record(operation, .raw, for: grant, range: nil, count: count)
            read["\(name) \(operation)", default: 0] += count
        }
        let lines = try await log.entries(AccessLogQuery(kind: .access, limit: 100_000))
        let sums = Dictionary(
            lines.map { ("\($0.sensor?.description ?? "") \($0.operation ?? "")", $0.count) },
            uniquingKeysWith: +)
        #expect(sums == read, "seed \(seed)")
        let refused = try await log.entries(AccessLogQuery(onlyRefused: true, limit: 100_000))
        #expect(refused.count == AccessLog.refusalKindsPerClient + 1)
    }

    @Test func `counted calls are written when the host stops`() async throws {
        let authority = try await fixture.open()
        for _ in 1...3 {
            try await authority.log.record("latest", .raw, for: Self.grant(), range: nil, count: 2)
        }
        let host = Task { await authority.run() }
        host.cancel()
        await host.value
        #expect(try await written() == [[1, 2], [2, 4]])
    }
}
