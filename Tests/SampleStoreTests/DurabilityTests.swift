import Foundation
import GRDB
import Samples
import TestSupport
import Testing

@testable import SampleStore

struct DurabilityTests {
    private let folder: TemporaryStore

    init() throws {
        folder = try TemporaryStore()
    }

    @Test func `a reopened store has all samples and continues the numbering`() async throws {
        var store = try await folder.open()
        for session in 0..<4 as Range<Int64> {
            try await store.add([(session, session), (session, -session)])
            try await store.close()
            store = try await folder.open()
            #expect(try await store.all().map(\.sequence) == Array(1...(2 * session + 2)))
            #expect(await store.lastSequence == 2 * session + 2)
            #expect(await store.status.accepted == 2 * session + 2)
        }
    }

    @Test func `sequence numbers of unwritten samples are not reused`() async throws {
        var seen: Set<Int64> = []
        for _ in 0..<3 {
            // The first store is not closed, as after a crash.
            let store = try await folder.open()
            let before = await store.status.accepted
            for isFlushed in [true, false] {
                let last = try await store.append([TemporaryStore.sample(1, 1)], to: "probe")
                #expect(seen.insert(try #require(last)).inserted)
                if isFlushed { try await store.flush() }
            }
            #expect(await store.status.accepted == before + 2)
        }
        #expect(try await folder.open().all().count == 3)
    }

    @Test func `samples are not acknowledged or written twice when syncing fails`()
        async throws
    {
        let store = try await folder.open()
        try await store.add([(1, 1)])
        try await store.flush(.synced)
        // An unlinked file cannot be synced.
        try FileManager.default.removeItem(atPath: folder.path + "-wal")
        try await store.add([(2, 2)])
        await #expect(throws: SampleStoreError.self) { try await store.flush(.synced) }
        #expect(await store.status.failure != nil)
        #expect(await store.status.acknowledged == 2)
        // After a failed sync, the store writes all commits into the database file. SQLite can still read
        // them from the unlinked log, which it has open.
        try await store.flush(.synced)
        #expect(await store.status.failure == nil)
        try await store.add([(3, 3)])
        try await store.flush()
        #expect(await store.status.acknowledged == 3)
        #expect(try await store.all().map(\.sequence) == [1, 2, 3])
    }

    @Test func `a log extended with zeros is readable`() async throws {
        let store = try await folder.open()
        for number in 0..<30 as Range<Int64> {
            try await store.add([(number, number)])
            try await store.flush(.synced)
        }
        let log = folder.path + "-wal"
        let size = try #require(
            try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int64)
        #expect(size % SpaceRules.standard.logStep(within: await store.maintenance.budget) == 0)
        #expect(try Data(contentsOf: URL(filePath: log)).suffix(4096).allSatisfy { $0 == 0 })
        // The files as after a power cut.
        let other = try TemporaryStore()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: folder.path + suffix, toPath: other.path + suffix)
        }
        #expect(try await other.open().all() == store.all())
    }

    @Test func `a flush in a cancelled task still completes`() async throws {
        let store = try await folder.open()
        let cancelled = Task {
            while !Task.isCancelled { await Task.yield() }
            try await store.add([(1, 1)])
            try await store.flush(.synced)
        }
        cancelled.cancel()
        try await cancelled.value
        #expect(await store.status.acknowledged == 1)
    }

    @Test func `closing writes buffered samples`() async throws {
        let store = try await folder.open()
        try await store.add([(1, 1)])
        try await store.close()
        #expect(try await folder.open().all().count == 1)
    }

    @Test func `only the owner can open the files`() async throws {
        let store = try await folder.open()
        try await store.add([(1, 1)])
        try await store.flush()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.folder.path())
        #expect(names.count == 3, "\(names)")
        for name in names {
            let path = folder.folder.appending(path: name).path()
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test func `a level is stored for several sensors at once`() async throws {
        let store = try await folder.open()
        try await store.setLevel("off", of: ["a", "a.b"])
        try await store.setLevel("high", of: ["a"])
        try await store.close()
        #expect(try await folder.open().keptLevels() == ["a": "high", "a.b": "off"])
    }

    @Test(arguments: ["not a database, and longer than the header of one is", "SQLite format 3\0"])
    func `a file in another format is reported as damaged`(content: String) async throws {
        try Data((content + String(repeating: "x", count: 5000)).utf8)
            .write(to: folder.folder.appending(path: "samples.sqlite"))
        let error = await #expect(throws: SampleStoreError.self) { try await folder.open() }
        #expect(error?.code == .damaged)
    }

    @Test(arguments: [FileDamage.empty, .truncated, .fragment])
    func `a store that has lost bytes is damaged and stays as it is`(damage: FileDamage)
        async throws
    {
        let store = try await folder.open()
        try await store.add((0..<2000 as Range<Int64>).map { (time: $0, number: $0) })
        try await store.close()
        try damage.apply(to: folder.path)
        let file = folder.folder.appending(path: "samples.sqlite")
        let left = try Data(contentsOf: file)
        let error = await #expect(throws: SampleStoreError.self) { try await folder.open() }
        #expect(error?.code == .damaged)
        #expect(try Data(contentsOf: file) == left)
    }

    @Test func `a start that was interrupted leaves nothing that stops the next`() async throws {
        try Data().write(to: folder.folder.appending(path: "samples.sqlite.new"))
        chmod(folder.path + ".new", 0o600)
        let store = try await folder.open()
        try await store.add([(1, 1)])
        try await store.close()
        #expect(try await folder.open().all().count == 1)
    }

    @Test func `a missing folder is reported`() async throws {
        let error = await #expect(throws: SampleStoreError.self) {
            try await SampleStore(path: folder.folder.path() + "/none/samples.sqlite")
        }
        #expect(error?.code == .cannotOpen)
    }

    @Test func `a damaged file throws and never traps`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let store = try await folder.open([Field("x"), Field("note", kind: .text)])
        try await store.append(
            (0..<600).map { number in
                Sample(
                    time: Timestamp(microseconds: number),
                    values: [.number(Double(number)), .text("note \(number)")])
            }, to: "probe")
        try await store.close()
        let file = folder.folder.appending(path: "samples.sqlite")
        let sound = try Data(contentsOf: file)
        var failures = 0
        for round in 0..<150 {
            var bytes = sound
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                let place = Int.random(in: 100..<bytes.count, using: &random)
                bytes[place] = .random(in: .min ... .max, using: &random)
            }
            try bytes.write(to: file)
            do {
                let store = try await folder.open([Field("x"), Field("note", kind: .text)])
                _ = try await store.keptLevels()
                for order in [SampleQuery.Order.ascending, .descending] {
                    _ = try await store.all(order)
                }
                _ = try await store.arrivals(of: "probe", after: 0, limit: 1000)
                if await !store.knownDamage.isEmpty { failures += 1 }
                try await store.close()
            } catch let error as SampleStoreError {
                failures += 1
                #expect(
                    [.damaged, .failed].contains(error.code),
                    "seed \(seed), round \(round): \(error)")
            }
        }
        #expect(failures > 20, "seed \(seed): only \(failures) of 150 were noticed")
    }

    @Test func `one damaged sample leaves the others readable, and collecting continues`()
        async throws
    {
        // With these rules each transaction begins a new row, so the damaged row holds one sample.
        var store = try await folder.open(rules: ChunkRules())
        try await store.add([(1, 1), (2, 2), (3, 3)])
        try await store.flush()
        try await store.add([(4, 4)])
        try await store.flush()
        try await SampleFile(path: folder.path).pool.write { database in
            try database.execute(sql: "UPDATE fresh SET data = x'0102' WHERE first = 4")
        }
        store = try await folder.open()
        #expect(try await store.all().map(\.time.microseconds) == [1, 2, 3])
        #expect(await store.knownDamage["probe"] == [.all])
        try await store.add([(4, 4)])
        try await store.flush()
        #expect(await store.newest(of: "probe")?.values == [.integer(4)])
    }
}
