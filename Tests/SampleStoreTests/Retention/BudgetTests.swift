import Foundation
import GRDB
import Samples
import TestSupport
import Testing

@testable import SampleStore

struct BudgetTests {
    private static let budget: Int64 = 6 << 20
    private static let fields = [Field("x"), Field("y")]
    private let folder: TemporaryStore

    init() throws {
        folder = try TemporaryStore()
    }

    private func open(
        budget: Int64 = Self.budget, space: SpaceRules = SpaceRules(reserve: 0)
    ) async throws -> SampleStore {
        let store = try await SampleStore(
            path: folder.path, rules: ChunkRules(chunkSize: 4096, unsealedRows: 64), space: space)
        for sensor: SensorID in ["greedy", "slow", "steady"] {
            try await store.register(sensor, fields: Self.fields)
        }
        try await store.maintenance.setBudget(budget)
        return store
    }

    /// Incompressible numbers.
    private static func batch(
        _ count: Int, at time: inout Int64, _ random: inout SplitMix
    ) -> SampleBatch {
        let times = (0..<count).map { Timestamp(microseconds: time + Int64($0) * 1000) }
        time += Int64(count) * 1000
        let columns = (0..<2).map { _ in
            Column.numbers((0..<count).map { _ in .random(in: 0...1, using: &random) })
        }
        return SampleBatch(times: times, columns: columns)
    }

    @Test func `a fast source neither exceeds the budget nor displaces other sensors`() async throws
    {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let store = try await open()
        var (greedy, slow, steady): (Int64, Int64, Int64) = (0, 0, 0)
        // A chunk and the samples that are unsealed meanwhile.
        let step: Int64 = 3 * 4096 * 24
        var most: Int64 = 0
        for round in 0..<300 {
            try await store.append(Self.batch(4096, at: &greedy, &random), to: "greedy")
            try await store.append(Self.batch(200, at: &steady, &random), to: "steady")
            try await store.append(Self.batch(1, at: &slow, &random), to: "slow")
            try await store.flush()
            let bytes = await store.status.bytes
            most = max(most, bytes)
            #expect(bytes <= Self.budget + step, "seed \(seed), round \(round): \(bytes)")
        }
        try await store.maintenance.run(at: Timestamp(microseconds: greedy))
        let report = try await store.maintenance.report(at: Timestamp(microseconds: greedy))
        #expect(report.bytes <= Self.budget, "\(report)")
        #expect(most > Self.budget * 3 / 4, "the budget is used: \(most)")
        let samples = Dictionary(uniqueKeysWithValues: report.sensors.map { ($0.sensor, $0) })
        #expect(samples["slow"]?.samples == 300)
        #expect(samples["steady"]?.samples == 60_000)
        #expect(samples["greedy"].map { $0.samples < 1_228_800 / 3 } == true)
        #expect(samples["greedy"].map { $0.samples + $0.summarised } == 1_228_800)
        #expect(await store.newest(of: "greedy")?.time == Timestamp(microseconds: greedy - 1000))
    }

    @Test func `a source of long texts does not displace other sensors`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let store = try await open(budget: 16 << 20)
        try await store.register("flood", fields: [Field("text", kind: .text)])
        var time: Int64 = 0
        for _ in 0..<100 {
            try await store.append(Self.batch(4096, at: &time, &random), to: "greedy")
            try await store.flush()
        }
        var most: Int64 = 0
        for _ in 0..<120 {
            // Too few samples and rows to seal a chunk.
            let text = String(
                decoding: (0..<300_000).map { _ in UInt8.random(in: 32..<127, using: &random) },
                as: UTF8.self)
            time += 1
            try await store.append(
                SampleBatch(times: [Timestamp(microseconds: time)], columns: [.texts([text])]),
                to: "flood")
            try await store.flush()
            most = max(most, await store.status.bytes)
        }
        try await store.maintenance.run(at: Timestamp(microseconds: time))
        let report = try await store.maintenance.report(at: Timestamp(microseconds: time))
        let samples = Dictionary(uniqueKeysWithValues: report.sensors.map { ($0.sensor, $0) })
        #expect(samples["greedy"]?.samples == 409_600, "seed \(seed)")
        #expect(samples["flood"].map { $0.samples < 40 } == true, "seed \(seed)")
        #expect(report.bytes <= 16 << 20, "seed \(seed)")
        // Only chunks can be pruned, so unsealed samples are sealed first, which takes more space until
        // they are pruned.
        #expect(most < 32 << 20, "seed \(seed)")
    }

    @Test func `a smaller budget shrinks the file at once`() async throws {
        var random = SplitMix(state: .random(in: .min ... .max))
        let store = try await open(budget: 64 << 20)
        var time: Int64 = 0
        for _ in 0..<200 {
            try await store.append(Self.batch(4096, at: &time, &random), to: "greedy")
            try await store.flush()
        }
        try await store.maintenance.run(at: Timestamp(microseconds: time))
        #expect(await store.status.bytes > 12 << 20)
        try await store.maintenance.setBudget(Self.budget)
        try await store.maintenance.run(at: Timestamp(microseconds: time))
        #expect(await store.status.bytes <= Self.budget)
        #expect(try await store.maintenance.report(at: Timestamp(microseconds: time)).canShrink)
        try await store.close()
        #expect(try await SampleStore.faults(inFile: folder.path).isEmpty)
    }

    /// Creates a file that cannot release free pages.
    private func makeFormerVersion() async throws {
        try await open(budget: 64 << 20).close()
        let queue = try DatabaseQueue(path: folder.path)
        try await queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE")
        }
        try await queue.vacuum()
        try queue.close()
    }

    @Test func `pages that a killed host was erasing do not cause pruning`() async throws {
        try await makeFormerVersion()
        var random = SplitMix(state: .random(in: .min ... .max))
        let space = SpaceRules(log: 512 << 10, reserve: 0, pagesPerStep: 16)
        let store = try await open(budget: 24 << 20, space: space)
        var time: Int64 = 0
        for _ in 0..<200 {
            try await store.append(Self.batch(4096, at: &time, &random), to: "greedy")
            try await store.flush()
        }
        try await store.maintenance.setBudget(Self.budget)
        try await store.maintenance.run(at: Timestamp(microseconds: time))
        // The state just before the free pages are released.
        let file = await store.file
        try await TraceEraser(file, space).takeFreePages()
        #expect(try await file.space().freePages == 0)
        let before = try await store.maintenance.report(at: Timestamp(microseconds: time)).sensors
        try await file.truncateLog()
        try await store.close()
        for isOpenAlready in [false, true] {
            let next = try await open(space: space)
            let file = await next.file
            let eraser = TraceEraser(file, space)
            if isOpenAlready { try await eraser.takeFreePages() }
            try await next.append(Self.batch(1, at: &time, &random), to: "slow")
            try await next.flush()
            try await next.maintenance.run(at: Timestamp(microseconds: time))
            let after = try await next.maintenance.report(at: Timestamp(microseconds: time)).sensors
            // One more sample may need one more page, and so prune one chunk.
            let gone = zip(before, after).map { $0.samples - $1.samples }.reduce(0, +)
            #expect(gone <= 2 * 4096)
            try await eraser.takeFreePages()
            try await file.truncateLog()
            while try await eraser.releaseSomeBlankPages() { #expect(file.logSize() < 2 << 20) }
            try await next.close()
        }
        #expect(try await SampleStore.faults(inFile: folder.path).isEmpty)
    }

    @Test func `a file of an earlier version reuses its free pages`() async throws {
        try await makeFormerVersion()
        var random = SplitMix(state: .random(in: .min ... .max))
        let old = try await open()
        var time: Int64 = 0
        for _ in 0..<200 {
            try await old.append(Self.batch(4096, at: &time, &random), to: "greedy")
            try await old.flush()
        }
        try await old.maintenance.run(at: Timestamp(microseconds: time))
        let report = try await old.maintenance.report(at: Timestamp(microseconds: time))
        #expect(!report.canShrink)
        #expect(report.bytes <= Self.budget + 3 * 4096 * 24)
    }

    @Test func `the initial budget never prunes existing samples`() async throws {
        let store = try await SampleStore(path: folder.path, rules: .standard)
        try await store.register("greedy", fields: Self.fields)
        var random = SplitMix(state: .random(in: .min ... .max))
        var time: Int64 = 0
        for _ in 0..<100 {
            try await store.append(Self.batch(4096, at: &time, &random), to: "greedy")
        }
        try await store.flush()
        try await store.file.pool.write { try $0.execute(sql: "DELETE FROM budget") }
        try await store.close()
        let again = try await SampleStore(
            path: folder.path, rules: .standard, space: SpaceRules(budget: 1 << 20))
        let size = await again.status.bytes
        #expect(try await again.maintenance.report(at: .now()).budget >= size)
    }
}
