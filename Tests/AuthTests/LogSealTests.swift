import Crypto
import Foundation
import GRDB
import Samples
import TestSupport
import Testing
import Text

@testable import Auth

/// The seals of the access log, its checkpoints, and attacks with the key of a later time.
@Suite(.blocking)
struct LogSealTests {
    private let fixture: AuthorityFixture

    init() throws {
        fixture = try AuthorityFixture()
    }

    private var sealPath: String { LogSealFile.path(beside: fixture.path) }

    /// A log of 4 entries, then the one of the seal and 15 more; the key in the file is that of entry 21.
    private func fill() async throws -> (AccessLog, AccessLogKey) {
        let log = try await fixture.open().log
        for number in 1...4 { await log.note(.installed("app", version: "0.\(number)")) }
        let key = try await log.seal()
        for number in 1...15 {
            await log.note(.installed("app", version: "1.\(number)"))
            fixture.clock.advance(by: .seconds(1))
        }
        await log.storeKey()
        return (log, key)
    }

    private func verify(
        _ key: AccessLogKey?, checkpoint: LogCheckpoint? = nil
    ) async throws -> AccessLogReport {
        try await AccessLogVerification(path: fixture.path, key: key, checkpoint: checkpoint).run()
    }

    private func state() throws -> LogSealState {
        guard case .state(let state) = LogSealFile.read(sealPath) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return state
    }

    // MARK: - Format

    @Test func `keys and seals have the documented bytes`() throws {
        var key = LogSealKey(entry: 1, bytes: 0..<32)
        let hash = "37144c83edc7626c83fc6a5983fa555cbc3847eed302d71a5c2700265660aa48"
        let tag = key.tag(of: try #require(Data(hexadecimal: hash))).hexadecimal
        key.move()
        let second = Data(key.bytes).hexadecimal
        key.move(to: 1000)
        let text = AccessLogKey(
            first: LogSealKey(entry: 1, bytes: 0..<32), publicKey: Array(32..<64)
        ).text
        let page = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../docs/access-log.md"), encoding: .utf8)
        for value in [tag, second, Data(key.bytes).hexadecimal, text] {
            #expect(page.contains(value), "\(value)")
        }
    }

    @Test func `a verification key is parsed only without errors`() throws {
        let key = AccessLogKey(
            first: LogSealKey(randomFor: 7), publicKey: Array(repeating: 9, count: 32))
        let parsed = try #require(AccessLogKey(key.text))
        #expect(parsed.firstEntry == 7 && parsed.text == key.text)
        var wrong = Array(key.text)
        for place in wrong.indices {
            let right = wrong[place]
            wrong[place] = right == "A" ? "B" : "A"
            #expect(AccessLogKey(String(wrong)) == nil)
            wrong[place] = right
        }
        #expect(AccessLogKey(key.text.dropLast()) == nil)
        #expect(AccessLogKey("") == nil)
    }

    /// The example of the specification, and that of Go's package golang.org/x/mod/sumdb/note.
    @Test(arguments: [
        (
            "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
            """
            This is an example message.

            \u{2014} example.com/foo \
            Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=

            """
        ),
        (
            "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
            """
            If you think cryptography is the answer to your problem,
            then you don't know what your problem is.

            \u{2014} PeterNeumann \
            x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=

            """
        ),
    ])
    func `a note of another program is verified`(verifier: String, note: String) throws {
        let parts = verifier.split(separator: "+", maxSplits: 2)
        let publicKey = try #require(Data(base64Encoded: String(parts[2])))
        let signer = NoteSigner(publicKey: Array(publicKey.dropFirst()), name: String(parts[0]))
        #expect(signer.text == verifier)
        #expect(signer.verifies(note))
        // With the line of a witness, which has another key.
        let witness = NoteSigner(publicKey: Array(repeating: 1, count: 32))
        #expect(signer.verifies(note + witness.line(Data(repeating: 2, count: 64)) + "\n"))
        #expect(!witness.verifies(note))
        for changed in [
            "x" + note, note + "\n", String(note.dropLast()), note.replacing("\n\n", with: "\n"),
            note.replacing("=\n", with: "\n"),
        ] {
            #expect(!signer.verifies(changed))
        }
    }

    @Test func `a crash while the key is stored leaves a valid one`() throws {
        let old = LogSealState(key: LogSealKey(randomFor: 5), since: fixture.clock.now())
        var new = old
        new.key.move(to: 9)
        try LogSealFile.create(sealPath, old)
        /// Overwrites the beginning of a place, as a write that was interrupted.
        func write(_ bytes: [UInt8], at place: UInt64) throws {
            let file = try FileHandle(forUpdating: URL(filePath: sealPath))
            try file.seek(toOffset: place)
            try file.write(contentsOf: bytes)
            try file.close()
        }
        for count in 0...new.encoded.count {
            try write(Array(new.encoded.prefix(count)), at: 0)
            let found = try state().key
            #expect(found.equals(count == new.encoded.count ? new.key : old.key))
        }
        for count in 0...new.encoded.count {
            try write(Array(new.encoded.prefix(count)), at: 4096)
            #expect(try state().key.equals(new.key))
        }
        try write([0xFF], at: 0)
        try write([0xFF], at: 4096)
        #expect(throws: CocoaError.self) { try state() }
    }

    // MARK: - Sealing

    @Test func `a sealed log is verified with its key`() async throws {
        let (log, key) = try await fill()
        #expect(key.firstEntry == 5)
        let parsed = try #require(AccessLogKey(key.text))
        let report = try await verify(parsed)
        #expect(report.isIntact && report.entryCount == 20 && report.sealedCount == 16)
        #expect(try await verify(nil).isIntact)
        #expect(try await log.sealStatus()?.first == 5)
        let other = AccessLogKey(
            first: LogSealKey(randomFor: 5), publicKey: key.publicKey)
        #expect(try await verify(other).fault?.entry == 5)
        await #expect(throws: AuthError.self) { try await log.seal() }
    }

    @Test func `the next host continues, also if the key was not stored`() async throws {
        let (log, key) = try await fill()
        for _ in 1...3 { await log.note(.hostStopped) }
        #expect(try state().key.entry == 21)
        let next = try await fixture.open().log
        await next.note(.hostStarted(version: "1"))
        await next.storeKey()
        let report = try await verify(key)
        #expect(report.isIntact && report.entryCount == 24 && report.sealedCount == 20)
        #expect(try state().key.entry == 25)
    }

    @Test func `no earlier key stays in a file`() async throws {
        let (log, key) = try await fill()
        let (first, now) = (Data(key.first.bytes), Data(try state().key.bytes))
        await log.note(.hostStopped)
        await log.storeKey()
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path()) {
            let bytes = try Data(contentsOf: fixture.folder.appending(path: name))
            #expect(bytes.range(of: first) == nil && bytes.range(of: now) == nil, "\(name)")
        }
    }

    @Test func `a pruned log is verified with its key`() async throws {
        let (log, key) = try await fill()
        #expect(
            try await log.prune(before: fixture.clock.now().advanced(byMicroseconds: -5_000_000))
                > 9)
        await log.storeKey()
        let report = try await verify(key)
        #expect(report.isIntact && report.prunedCount > 9)
        #expect(report.sealedCount == report.entryCount)
    }

    @Test func `a new key begins a new sequence, which the earlier key reveals`() async throws {
        let (log, key) = try await fill()
        let stolen = try Data(contentsOf: URL(filePath: sealPath))
        let new = try await log.seal(replacing: true)
        await log.note(.hostStopped)
        await log.storeKey()
        #expect(try await verify(new).isIntact)
        let report = try await verify(key)
        #expect(report.fault?.entry == 21 && report.entryCount == 20)
        // The state of the earlier sequence does not belong to the new one.
        try stolen.write(to: URL(filePath: sealPath))
        #expect(try await verify(new).fault?.entry == 23)
    }

    @Test(arguments: [true, false])
    func `a lost state is recorded, and the key reveals it`(isDamaged: Bool) async throws {
        let (_, key) = try await fill()
        if isDamaged {
            try Data(repeating: 7, count: 4240).write(to: URL(filePath: sealPath))
        } else {
            try FileManager.default.removeItem(atPath: sealPath)
        }
        #expect(try await verify(key).fault?.entry == 21)
        #expect(try await verify(nil).fault?.entry == 21)
        let log = try await fixture.open().log
        #expect(try await log.entries(AccessLogQuery(kind: .sealBroken)).map(\.id) == [21])
        #expect(try await verify(key).fault?.entry == 21)
        #expect(try await log.seal().firstEntry == 22)
    }

    // MARK: - Attacks

    /// What an attacker does who has the machine, the file and the key after entry 20.
    enum Attack: CaseIterable {
        case change, remove, swap, insert, truncate, unseal
    }

    @Test(arguments: Attack.allCases)
    func `an attack with the state of a later time is named`(attack: Attack) async throws {
        for place in Int64(6)...19 {
            let fixture = try LogSealTests()
            let (_, key) = try await fixture.fill()
            try await fixture.rewrite(attack, at: place)
            let report = try await fixture.verify(key)
            #expect(report.fault?.entry == place, "\(attack) at \(place)")
            // Without the key a chain that was recomputed is valid, as long as its length is.
            let plain = try await fixture.verify(nil)
            let shows = attack == .truncate || attack == .unseal || attack == .remove
            #expect(plain.isIntact == !shows, "\(attack) at \(place)")
        }
    }

    /// Changes the log and computes the chain, and the seals for which the stolen key suffices, anew.
    private func rewrite(_ attack: Attack, at place: Int64) async throws {
        let stolen = try state().key
        let database = try AuthDatabase(path: fixture.path)
        try await database.queue.write { database in
            for trigger in ["is_appended", "is_not_changed", "is_not_cut"] {
                try database.execute(sql: "DROP TRIGGER IF EXISTS ledger_\(trigger)")
            }
            var rows = try Row.fetchAll(database, sql: "SELECT * FROM ledger ORDER BY id")
                .map { (row: Row) -> [DatabaseValue] in row.columnNames.map { row[$0] } }
            let names = try database.columns(in: "ledger").map(\.name)
            let column = { (name: String) in names.firstIndex(of: name) ?? 0 }
            let index = Int(place - 1)
            switch attack {
            case .change: rows[index][column("detail")] = "2.0".databaseValue
            case .remove: rows.remove(at: index)
            case .swap: rows.swapAt(index, index + 1)
            case .insert: rows.insert(rows[index - 1], at: index)
            case .truncate: rows.removeSubrange(index...)
            case .unseal: rows[index][column("seal")] = .null
            }
            var chain = AccessLogChain()
            try database.execute(sql: "DELETE FROM ledger")
            for (offset, original) in rows.enumerated() {
                var row = original
                let id = Int64(offset + 1)
                row[column("id")] = id.databaseValue
                let values = (AccessLogChain.columns + AccessLogChain.laterColumns).map {
                    name -> AccessLogChain.Value in
                    switch row[column(name)].storage {
                    case .int64(let number): .integer(number)
                    case .string(let text): .text(text)
                    default: .null
                    }
                }
                chain.add(
                    Array(values.prefix(AccessLogChain.columns.count))
                        + values.dropFirst(AccessLogChain.columns.count).filter { $0 != .null })
                row[column("hash")] = chain.head.databaseValue
                if id >= stolen.entry {
                    var key = stolen
                    key.move(to: id)
                    row[column("seal")] = key.tag(of: chain.head).databaseValue
                }
                let marks = names.map { _ in "?" }.joined(separator: ", ")
                try database.execute(
                    sql: "INSERT INTO ledger VALUES (\(marks))", arguments: StatementArguments(row))
            }
        }
    }

    @Test func `a state that was made for a truncated log is named`() async throws {
        let (_, key) = try await fill()
        try await rewrite(.truncate, at: 12)
        // The attacker has no key of entry 12, so it is another one.
        var forged = try state()
        forged.key = LogSealKey(randomFor: 12)
        try LogSealFile.update(sealPath, forged)
        #expect(try await verify(nil).isIntact)
        let report = try await verify(key)
        #expect(report.fault?.entry == 12 && report.entryCount == 11)
        // A key of an entry before the first one is none of the log either.
        forged.key = LogSealKey(randomFor: 2)
        try LogSealFile.update(sealPath, forged)
        #expect(try await verify(key).fault?.entry == 12)
        // A host that continues records that entries are missing, and cannot seal new ones with lost keys.
        forged.key = LogSealKey(randomFor: 21)
        try LogSealFile.update(sealPath, forged)
        let log = try await fixture.open().log
        #expect(try await log.entries(AccessLogQuery(kind: .sealBroken)).map(\.id) == [12])
        #expect(try await verify(key).fault?.entry == 12)
    }

    // MARK: - Checkpoints

    @Test func `a checkpoint is verified, and reveals a log that was rewritten`() async throws {
        let (log, key) = try await fill()
        let made = try await log.checkpoint()
        let saved = try #require(LogCheckpoint(made.note))
        #expect(saved.entry == 20 && saved.hash == made.hash && saved.time == made.time)
        await log.note(.hostStopped)
        #expect(try await verify(key, checkpoint: saved).checkpoint == .matches)
        #expect(try await verify(nil, checkpoint: saved).isIntact)
        #expect(try await log.sealStatus()?.checkpoint?.entry == 20)
        // Signed with another key, or changed.
        let stranger = Curve25519.Signing.PrivateKey()
        let forged = try LogCheckpoint(
            entry: 20, hash: made.hash, time: made.time, by: stranger)
        #expect(try await verify(key, checkpoint: forged).checkpoint == .badSignature)
        let changed = made.note.replacing("\n20\n", with: "\n19\n")
        let other = try #require(LogCheckpoint(changed))
        #expect(try await verify(key, checkpoint: other).checkpoint == .badSignature)
        // Who has the signing key, and everything else, cannot change the checkpoint that is elsewhere.
        try await rewrite(.change, at: 12)
        #expect(try await verify(nil, checkpoint: saved).checkpoint == .differs)
        try await rewrite(.truncate, at: 15)
        #expect(try await verify(nil, checkpoint: saved).checkpoint == .missing)
    }

    @Test func `a checkpoint of a pruned entry cannot be compared`() async throws {
        let (log, key) = try await fill()
        let made = try await log.checkpoint()
        fixture.clock.advance(by: .seconds(100))
        await log.note(.hostStopped)
        _ = try await log.prune(before: fixture.clock.now())
        let report = try await verify(key, checkpoint: made)
        #expect(report.fault == nil && report.checkpoint == .pruned && !report.isIntact)
    }

    @Test func `only a sealed log has checkpoints`() async throws {
        let log = try await fixture.open().log
        await log.note(.hostStopped)
        let error = await #expect(throws: AuthError.self) { try await log.checkpoint() }
        #expect(error?.code == .wrongSeal)
        for text in ["", "\n\n", "a\n1\nb\n\n\u{2014} a b\n", String(repeating: "x", count: 5000)] {
            #expect(LogCheckpoint(text) == nil)
        }
    }

    // MARK: - Other programs and crashes

    @Test func `the documented Python script verifies the same seals`() async throws {
        let (_, key) = try await fill()
        let file = fixture.folder.appending(path: "key.txt")
        try Data((key.text + "\n").utf8).write(to: file)
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/verify-log.py").path()
        func read() throws -> (code: Int32, output: String) {
            let program = try Program(
                "/usr/bin/env", ["python3", script, fixture.path, "--key", file.path()],
                output: .pipe, errors: .pipe)
            let text = try program.readToEnd()
            return (try program.wait(), String(decoding: text, as: UTF8.self))
        }
        #expect(try read().code == 0)
        var forged = try state()
        let right = forged
        forged.key = LogSealKey(randomFor: 20)
        try LogSealFile.update(sealPath, forged)
        #expect(try read().output.contains("was replaced"))
        try LogSealFile.update(sealPath, right)
        #expect(try read().code == 0)
        try await rewrite(.change, at: 9)
        #expect(try read().output.contains("entry 9 "))
    }

    @Test func `a host killed between an entry and its key raises no alarm and loses nothing`()
        async throws
    {
        let isLong = ProcessInfo.processInfo.environment["NERVOUS_LONG_TESTS"] == "1"
        let key = try await fixture.open().log.seal()
        for cycle in 0..<(isLong ? 200 : 12) {
            let acknowledged = try KilledWriter.run(
                [fixture.path, "seal"], until: 1 + cycle % 7, delay: UInt32(cycle * 293 % 4000))
            let report = try await verify(key)
            #expect(report.isIntact, "cycle \(cycle): \(report)")
            #expect(report.entryCount >= acknowledged)
            #expect(report.sealedCount == report.entryCount)
        }
        let log = try await fixture.open().log
        #expect(try await log.entries(AccessLogQuery(kind: .sealBroken)).isEmpty)
    }
}
