import Foundation
import GRDB
import Samples
import TestSupport
import Testing
import Text

@testable import Auth

/// The chain of the access log, and the detection of changes.
@Suite(.blocking)
struct AccessLogChainTests {
    private let fixture: AuthorityFixture

    init() throws {
        fixture = try AuthorityFixture()
    }

    /// A log of 20 lines that use every column.
    private func fill() async throws -> AccessLog {
        let authority = try await fixture.open()
        let log = authority.log
        _ = try await authority.createClient("curl", isOwner: false, expires: nil)
        for number in 1...8 {
            let grant = Grant(
                to: Client(name: "app", kind: .app, run: nil), sensor: "cpu",
                terms: Terms(access: .raw))
            try await log.record("op-\(number)", .raw, for: grant, range: .all, count: number)
            try await authority.decide(
                .allowAlways, on: PrivilegeID.sensor("cpu", .raw), by: "curl")
            fixture.clock.advance(by: .seconds(1))
        }
        for _ in 1...3 { await log.note(.installed("grüezi", version: "1.0.0")) }
        #expect(try await log.head().id == 20)
        return log
    }

    private func verify(expecting hash: String? = nil) async throws -> AccessLogReport {
        try await AccessLogVerification(path: fixture.path, expecting: hash).run()
    }

    /// Changes the file directly, without the triggers.
    private func tamper(_ sql: String) async throws {
        let database = try AuthDatabase(path: fixture.path)
        try await database.queue.write { database in
            for trigger in ["is_appended", "is_not_changed", "is_not_cut"] {
                try database.execute(sql: "DROP TRIGGER IF EXISTS ledger_\(trigger)")
            }
            try database.execute(sql: sql)
        }
    }

    @Test func `a log verifies itself while it is written`() async throws {
        let log = try await fill()
        let head = try await log.head().hash
        await log.note(.installed("other", version: "2.0.0"))
        let report = try await log.verify(expecting: head)
        #expect(report.isIntact && report.containsExpected == true)
        #expect(report.entryCount == 21)
        try await tamper("UPDATE ledger SET count = count + 1 WHERE id = 7")
        #expect(try await log.verify().fault?.entry == 7)
    }

    @Test func `an entry is hashed as documented`() {
        var chain = AccessLogChain()
        chain.add([
            .integer(1), .integer(1_800_000_000_000_000), .text("access"), .text("hello-sensors"),
            .null, .text("cpu"), .text("raw"), .text("latest"), .null, .null, .integer(1),
            .integer(1), .null,
        ])
        let hash = "37144c83edc7626c83fc6a5983fa555cbc3847eed302d71a5c2700265660aa48"
        #expect(chain.head.hexadecimal == hash)
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/access-log.md")
        #expect((try? String(contentsOf: page, encoding: .utf8))?.contains(hash) == true)
    }

    @Test func `an unchanged log is valid and contains every earlier head`() async throws {
        let log = try await fixture.open().log
        #expect(try await verify().entryCount == 0)
        var heads: [String] = []
        for number in 1...5 {
            await log.note(.installed("app", version: "1.0.\(number)"))
            heads.append(try await log.head().hash)
        }
        for head in heads {
            let report = try await verify(expecting: head.uppercased())
            #expect(report.isIntact)
            #expect(report.entryCount == 5)
            #expect(report.head == heads.last)
            #expect(report.first == fixture.clock.now())
        }
        let foreign = try await verify(expecting: String(repeating: "0", count: 64))
        #expect(foreign.fault == nil)
        #expect(foreign.containsExpected == false)
        #expect(!foreign.isIntact)
    }

    /// A change of a log of 20 entries, and the first invalid entry afterwards.
    struct Attack: CustomTestStringConvertible {
        let sql: String
        let entry: Int64

        var testDescription: String { sql }

        init(_ sql: String, _ entry: Int64) {
            self.sql = sql
            self.entry = entry
        }
    }

    private static let changes: [Attack] = [
        "time = time + 1", "kind = 'refusal'", "client = NULL", "client = ''",
        "client = client || char(0) || 'x'", "privilege = 'sensor:cpu'", "sensor = 'load'",
        "access = 'stats'", "operation = 'latest'", #""from" = 0"#, #""to" = 0"#, "calls = 2",
        "count = count - 1", "detail = 'x'", "hash = zeroblob(32)",
        "hash = (SELECT hash FROM ledger WHERE id = 6)", "sensor = access, access = sensor",
        "clientKind = 'command'", "clientKind = NULL",
    ].map { Attack("UPDATE ledger SET \($0) WHERE id = 8", 8) }

    private static let moves = [
        Attack("DELETE FROM ledger WHERE id = 7", 7),
        Attack("DELETE FROM ledger WHERE id IN (7, 8, 9)", 7),
        Attack("DELETE FROM ledger WHERE id < 7", 1),
        Attack("DELETE FROM ledger WHERE id = 7; UPDATE ledger SET id = id - 1 WHERE id > 7", 7),
        Attack(
            """
            UPDATE ledger SET id = 100 WHERE id = 7;
            UPDATE ledger SET id = 7 WHERE id = 8;
            UPDATE ledger SET id = 8 WHERE id = 100
            """, 7),
        Attack(
            """
            INSERT INTO ledger SELECT 21, time, kind, client, privilege, sensor, access, operation,
                "from", "to", calls, count, detail, hash, clientKind, seal FROM ledger WHERE id = 20
            """, 21),
        Attack(
            """
            INSERT INTO ledger (id, time, kind, calls, count, hash)
                VALUES (0, 1, 'access', 1, 1, zeroblob(32))
            """, 1),
    ]

    @Test(arguments: changes + moves)
    func `changed, removed, moved and added entries are detected`(attack: Attack) async throws {
        let log = try await fill()
        #expect(try await verify().isIntact)
        try await tamper(attack.sql)
        let report = try await verify()
        #expect(report.fault?.entry == attack.entry)
        #expect(!report.isIntact)
        #expect(try await log.head().id >= 0)
    }

    @Test func `entries missing at the end are detected with an earlier head`()
        async throws
    {
        let log = try await fill()
        let head = try await log.head().hash
        try await tamper("DELETE FROM ledger WHERE id > 18")
        #expect(try await verify().isIntact)
        #expect(try await verify(expecting: head).containsExpected == false)
    }

    @Test func `a recomputed chain is detected with an earlier head`() async throws {
        let log = try await fill()
        let head = try await log.head().hash
        let database = try AuthDatabase(path: fixture.path)
        try await tamper("DELETE FROM ledger WHERE id > 1")
        try await database.queue.write { database in
            let grant = AccessLogEntry(
                id: 0, time: .now(), kind: .access, client: "app", privilege: nil, sensor: "cpu",
                access: .raw, operation: "latest", range: nil, calls: 1, count: 1, detail: nil)
            _ = try AccessLogStore.append(
                Array(repeating: grant, count: 30), to: database, sealedFrom: nil)
        }
        #expect(try await verify().isIntact)
        #expect(try await verify(expecting: head).containsExpected == false)
    }

    @Test(arguments: [
        "DELETE FROM ledger WHERE id = 20", "DELETE FROM ledger", "UPDATE ledger SET count = 0",
        "INSERT OR REPLACE INTO ledger SELECT * FROM ledger WHERE id = 5",
        "INSERT INTO ledger (id, time, kind, calls, count, hash)"
            + " VALUES (22, 1, 'access', 1, 1, zeroblob(32))",
    ])
    func `the table accepts only appended entries`(sql: String) async throws {
        _ = try await fill()
        let database = try AuthDatabase(path: fixture.path)
        await #expect(throws: DatabaseError.self) {
            try await database.queue.write { try $0.execute(sql: sql) }
        }
        #expect(try await verify().entryCount == 20)
    }

    @Test func `a pruned log is valid and records how many entries were pruned`() async throws {
        let log = try await fill()
        let start = fixture.clock.now().advanced(byMicroseconds: -8_000_000)
        let moment = start.advanced(byMicroseconds: 4_000_000)
        #expect(try await log.prune(before: start) == 0)
        let cut = try await log.prune(before: moment)
        #expect(cut == 9)
        let report = try await verify()
        #expect(report.isIntact)
        #expect(report.prunedCount == 9)
        #expect(report.entryCount == 12)
        #expect(try await log.entries(AccessLogQuery(limit: 100)).count == 12)
        // Again, with the entry about the first pruning among the pruned ones.
        fixture.clock.advance(by: .seconds(100))
        await log.note(.hostStopped)
        #expect(try await log.prune(before: fixture.clock.now()) == 12)
        let again = try await verify()
        #expect(again.isIntact)
        #expect(again.prunedCount == 21)
        #expect(again.entryCount == 2)
        try await tamper("DELETE FROM ledger WHERE kind = 'host-stopped'")
        #expect(try await verify().fault?.entry == 1)
    }

    @Test func `the documented Python script verifies the same chain`() async throws {
        let log = try await fill()
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/verify-log.py").path()
        func read(_ words: String...) throws -> (code: Int32, output: String) {
            let program = try Program(
                "/usr/bin/env", ["python3", script, fixture.path] + words, output: .pipe,
                errors: .pipe)
            let text = try program.readToEnd()
            return (try program.wait(), String(decoding: text, as: UTF8.self))
        }
        let head = try await log.head().hash
        #expect(try read() == (0, "20 \(head)\n"))
        #expect(try read(head) == (0, "20 \(head)\n"))
        #expect(try read(String(repeating: "0", count: 64)).code == 1)
        _ = try await log.prune(before: fixture.clock.now().advanced(byMicroseconds: -4_000_000))
        #expect(try read() == (0, "12 \(try await log.head().hash)\n"))
        try await tamper("UPDATE ledger SET count = 9 WHERE id = 15")
        let broken = try read()
        #expect(broken.code == 1)
        #expect(broken.output.contains("entry 15 "))
    }

    @Test func `the entries of an older file are copied into the chain`() async throws {
        do {
            let database = try AuthDatabase(path: fixture.path)
            try await database.queue.write { database in
                try database.execute(
                    sql: """
                        DROP TABLE ledger;
                        DELETE FROM grdb_migrations WHERE identifier = 'ledger';
                        CREATE TABLE access_log (
                            id INTEGER PRIMARY KEY, time INTEGER NOT NULL, client TEXT, sensor TEXT,
                            access TEXT, operation TEXT NOT NULL, "from" INTEGER, "to" INTEGER,
                            count INTEGER NOT NULL, outcome TEXT NOT NULL, reason TEXT
                        ) STRICT;
                        INSERT INTO access_log VALUES
                            (3, 10, 'app', 'cpu', 'raw', 'latest', 1, 2, 5, 'allowed', NULL),
                            (9, 20, NULL, NULL, NULL, 'me', NULL, NULL, 0, 'refused', 'no token');
                        """)
            }
        }
        let lines = try await fixture.open().log.entries(AccessLogQuery())
        #expect(lines.map(\.id) == [2, 1])
        #expect(lines.map(\.kind) == [.refusal, .access])
        #expect(lines.map(\.reason) == ["no token", nil])
        #expect(lines.map(\.count) == [0, 5])
        #expect(try await verify().entryCount == 2)
        #expect(try await verify().isIntact)
    }

    @Test func `a missing log cannot be verified`() async throws {
        #expect(await refusal { _ = try await verify() } == .notFound)
        try Data(repeating: 0x41, count: 8192).write(to: URL(filePath: fixture.path))
        #expect(await refusal { _ = try await verify() } == .storeFailed)
    }
}
