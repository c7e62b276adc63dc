import GRDB
import Samples
import Testing
import Text

@testable import Auth

struct AccessLogTests {
    private let fixture: AuthorityFixture

    init() throws {
        fixture = try AuthorityFixture()
    }

    private static let grant = Grant(
        to: Client(name: "app", kind: .app, run: nil), sensor: "cpu", terms: Terms(access: .raw))

    /// Records a call with a number in its operation, so that calls of different numbers are not combined.
    private static func note(_ log: AccessLog, _ count: Int) async {
        try? await log.record("samples-\(count)", .raw, for: grant, range: .all, count: count)
    }

    @Test func `an entry can be read as soon as it is written`() async throws {
        let log = try await fixture.open().log
        for number in 1...20 {
            await Self.note(log, number)
            let newest = try await log.entries(AccessLogQuery(limit: 1)).first
            #expect(newest?.count == number)
            #expect(newest?.id == Int64(number))
        }
    }

    @Test func `an entry contains client, sensor and range`() async throws {
        let log = try await fixture.open().log
        let range = TimeRange(
            from: Timestamp(microseconds: -5), to: Timestamp(microseconds: .max - 1))
        try await log.record("stats", .stats, for: Self.grant, range: range, count: 7)
        let line = try #require(try await log.entries(AccessLogQuery()).first)
        #expect(line.kind == .access)
        #expect(line.client == "app")
        #expect(line.sensor == "cpu")
        #expect(line.access == .stats)
        #expect(line.operation == "stats")
        #expect(line.range == range)
        #expect(line.calls == 1)
        #expect(line.count == 7)
        #expect(line.outcome == .allowed)
        #expect(line.reason == nil)
    }

    @Test func `reading includes entries that are being written concurrently`() async throws {
        let log = try await fixture.open().log
        try await withThrowingTaskGroup { group in
            for part in 0..<8 {
                group.addTask {
                    for number in 1...25 {
                        await Self.note(log, part * 25 + number)
                        let newest = try await log.entries(AccessLogQuery(limit: 1)).first
                        let more = try await log.entries(AccessLogQuery(limit: 1)).first
                        #expect(try #require(newest).id <= (try #require(more)).id)
                    }
                }
            }
            try await group.waitForAll()
        }
        let all = try await log.entries(AccessLogQuery(limit: 1000))
        #expect(all.map(\.id) == (1...200).reversed())
        #expect(Set(all.map(\.count)) == Set(1...200))
    }

    @Test(arguments: [0, 1, 9, 10, 11, 20, 21])
    func `pages neither lose nor repeat entries`(count: Int) async throws {
        let log = try await fixture.open().log
        for number in 0..<count { await Self.note(log, number) }
        var found: [Int] = []
        var before: Int64?
        while true {
            let page = try await log.entries(AccessLogQuery(before: before, limit: 10))
            found += page.map(\.count)
            guard let last = page.last else { break }
            before = last.id
        }
        #expect(found == (0..<count).reversed())
    }

    @Test func `entries are selected by client, kind and refusal`() async throws {
        let authority = try await fixture.open()
        try await authority.admit(app: "app")
        let token = try await authority.beginRun(of: "app").token
        await Self.note(authority.log, 1)
        _ = await refusal { _ = try await authority.identify(token: nil, name: nil) }
        _ = await refusal {
            try await authority.checkOwner(token: token.text, name: nil, operation: "apps")
        }
        let log = authority.log
        func ids(_ query: AccessLogQuery) async throws -> [Int64] {
            try await log.entries(query).map(\.id)
        }
        #expect(try await ids(AccessLogQuery()) == [3, 2, 1])
        #expect(try await ids(AccessLogQuery(client: "app")) == [3, 1])
        #expect(try await ids(AccessLogQuery(onlyRefused: true)) == [3, 2])
        #expect(try await ids(AccessLogQuery(client: "app", onlyRefused: true)) == [3])
        #expect(try await ids(AccessLogQuery(kind: .access)) == [1])
        #expect(try await ids(AccessLogQuery(kind: .notice)) == [2])
        #expect(try await ids(AccessLogQuery(kind: .refusal)) == [3])
        #expect(try await ids(AccessLogQuery(client: "a%")).isEmpty)
    }

    @Test func `the log continues when the host opens it again`() async throws {
        var log = try await fixture.open().log
        for number in 1...3 { await Self.note(log, number) }
        log = try await fixture.open().log
        await Self.note(log, 4)
        let lines = try await log.entries(AccessLogQuery())
        #expect(lines.map(\.id) == [4, 3, 2, 1])
        #expect(lines.map(\.count) == [4, 3, 2, 1])
    }

    @Test func `entries that could not be written are written later, in order`() async throws {
        let log = try await fixture.open().log
        let database = try AuthDatabase(path: fixture.path)
        try await database.queue.write { try $0.execute(sql: "ALTER TABLE ledger RENAME TO x") }
        for number in 1...3 { await Self.note(log, number) }
        try await database.queue.write { try $0.execute(sql: "ALTER TABLE x RENAME TO ledger") }
        await Self.note(log, 4)
        let lines = try await log.entries(AccessLogQuery())
        #expect(lines.map(\.count) == [4, 3, 2, 1])
    }

    @Test func `events are recorded in order, and hostile texts are bounded`() async throws {
        let authority = try await fixture.open()
        try await authority.admit(app: "app")
        let run = try await authority.beginRun(of: "app").run
        await authority.log.note(.installed("app", version: "1.0.0"))
        await authority.log.note(.installed("app", version: "1.1.0", replacing: "1.0.0"))
        await authority.log.note(.runBegan(of: "app", run: run))
        try await authority.decide(.allowOnce, on: Self.privilege, by: "app", run: run)
        try await authority.decide(
            .allow(Terms(access: .raw, maximumRate: 2)), on: Self.privilege, by: "app")
        try await authority.decide(.deny, on: Self.privilege, by: "app")
        try await authority.reset(nil, of: "app")
        let flood = "\u{1B}[2J" + String(repeating: "x\n", count: 100_000)
        await authority.log.note(.violation(of: "app", run: run, what: flood))
        await authority.log.note(.runEnded(of: "app", run: run, outcome: "sandbox-violation"))
        _ = try await authority.createClient("desk", isOwner: true, expires: nil)
        try await authority.revokeClient("desk")
        await authority.log.note(.uninstalled("app"))
        await authority.log.note(.hostStarted(version: "1"))
        await authority.log.note(.hostStopped)
        let lines = try await authority.log.entries(AccessLogQuery()).reversed()
        #expect(
            lines.map(\.kind) == [
                .installed, .updated, .runBegan, .granted, .granted, .denied, .reset, .violation,
                .runEnded, .tokenCreated, .tokenRevoked, .uninstalled, .hostStarted, .hostStopped,
            ])
        #expect(
            lines.map(\.detail).prefix(6) == [
                "1.0.0", "1.0.0 to 1.1.0", run, "raw, for run \(run)", "raw, rate 2.0", nil,
            ])
        #expect(lines.filter { $0.privilege == "sensor:cpu" }.count == 4)
        #expect(lines.allSatisfy { $0.outcome == nil })
        let violation = try #require(lines.first { $0.kind == .violation }?.detail)
        #expect(violation.count <= 400)
        #expect(violation.unicodeScalars.allSatisfy { !$0.isUnsafeToDisplay })
    }

    private static let privilege = PrivilegeID.sensor("cpu", .raw)
}
