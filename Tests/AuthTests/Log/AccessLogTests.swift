import GRDB
import Samples
import Testing

@testable import Auth

struct AccessLogTests {
    private let registry: Registry

    init() throws {
        registry = try Registry()
    }

    private static let grant = Grant(client: "app", sensor: "cpu", terms: Terms(access: .raw))

    private static func note(_ log: AccessLog, _ count: Int) async {
        await log.record("samples", .raw, for: grant, range: .all, count: count)
    }

    @Test func `a line is readable as soon as it is written`() async throws {
        let log = try await registry.open().log
        for number in 1...20 {
            await Self.note(log, number)
            let newest = try await log.entries(AccessLogQuery(limit: 1)).first
            #expect(newest?.count == number)
            #expect(newest?.id == Int64(number))
        }
    }

    @Test func `a line says who read what and which range`() async throws {
        let log = try await registry.open().log
        let range = TimeRange(
            from: Timestamp(microseconds: -5), to: Timestamp(microseconds: .max - 1))
        await log.record("stats", .stats, for: Self.grant, range: range, count: 7)
        let line = try #require(try await log.entries(AccessLogQuery()).first)
        #expect(line.client == "app")
        #expect(line.sensor == "cpu")
        #expect(line.access == .stats)
        #expect(line.operation == "stats")
        #expect(line.range == range)
        #expect(line.count == 7)
        #expect(line.outcome == .allowed)
        #expect(line.reason == nil)
    }

    @Test func `everything is read, also what is being written by somebody else`() async throws {
        let log = try await registry.open().log
        try await withThrowingTaskGroup { group in
            for _ in 1...8 {
                group.addTask {
                    for _ in 1...25 {
                        await Self.note(log, 1)
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
    }

    @Test(arguments: [0, 1, 9, 10, 11, 20, 21])
    func `pages neither lose nor repeat lines`(count: Int) async throws {
        let log = try await registry.open().log
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

    @Test func `lines are chosen by client and by refusal`() async throws {
        let authority = try await registry.open()
        try await authority.admit(app: "app")
        let token = try await authority.beginRun(of: "app").token
        await Self.note(authority.log, 1)
        _ = await refusal { _ = try await authority.identify(token: nil, name: nil) }
        _ = await refusal {
            try await authority.checkOwner(token: token.text, name: nil, operation: "apps")
        }
        let log = authority.log
        #expect(try await log.entries(AccessLogQuery()).map(\.id) == [3, 2, 1])
        #expect(try await log.entries(AccessLogQuery(client: "app")).map(\.id) == [3, 1])
        #expect(try await log.entries(AccessLogQuery(onlyRefused: true)).map(\.id) == [3, 2])
        #expect(
            try await log.entries(AccessLogQuery(client: "app", onlyRefused: true)).map(\.id)
                == [3])
        #expect(try await log.entries(AccessLogQuery(client: "a%")).isEmpty)
    }

    @Test func `the log goes on where it was when the host opens it again`() async throws {
        var log = try await registry.open().log
        for number in 1...3 { await Self.note(log, number) }
        await log.flush()
        log = try await registry.open().log
        await Self.note(log, 4)
        let lines = try await log.entries(AccessLogQuery())
        #expect(lines.map(\.id) == [4, 3, 2, 1])
        #expect(lines.map(\.count) == [4, 3, 2, 1])
    }

    @Test func `a group is written in one transaction, at 512 lines or when asked`() async throws {
        let log = try await registry.open().log
        let database = try AuthDatabase(path: registry.path)
        func written() async throws -> Int? {
            try await database.queue.read {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM access_log")
            }
        }
        for number in 1...511 { await Self.note(log, number) }
        #expect(try await written() == 0)
        await Self.note(log, 512)
        #expect(try await written() == 512)
        await Self.note(log, 513)
        #expect(try await written() == 512)
        await log.flush()
        #expect(try await written() == 513)
    }

    @Test func `what could not be written is written later, in order`() async throws {
        let log = try await registry.open().log
        let database = try AuthDatabase(path: registry.path)
        try await database.queue.write { try $0.execute(sql: "ALTER TABLE access_log RENAME TO x") }
        for number in 1...3 { await Self.note(log, number) }
        await log.flush()
        try await database.queue.write { try $0.execute(sql: "ALTER TABLE x RENAME TO access_log") }
        await Self.note(log, 4)
        let lines = try await log.entries(AccessLogQuery())
        #expect(lines.map(\.count) == [4, 3, 2, 1])
    }
}
