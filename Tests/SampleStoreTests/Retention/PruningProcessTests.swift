import Foundation
import Samples
import Statistics
import TestSupport
import Testing

@testable import SampleStore

@Suite(.blocking)
struct PruningProcessTests {
    private static let isLong = ProcessInfo.processInfo.environment["NERVOUS_LONG_TESTS"] == "1"

    @Test func `a store killed while pruning is intact and counts every sample once`()
        async throws
    {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let folder = try TemporaryStore()
        var summarised: Int64 = 0
        for cycle in 0..<(Self.isLong ? 60 : 6) {
            let writer = try WriterProcess(WriterProcess.executable, ["purge", folder.path])
            let lines = try writer.lines(killedAfter: .random(in: 1...6, using: &random))
            let acknowledged = lines.compactMap(Int64.init).max() ?? 0
            let store = try await SampleStore(path: folder.path)
            let fields = [Field("n", kind: .integer), Field("note", kind: .text)]
            try await store.register("written", fields: fields)
            let storage = try #require(try await store.maintenance.report(at: .now()).sensors.first)
            let skipped = await store.lastSequence - store.status.accepted
            let counted = try await store.summaries(
                SummaryQuery(sensor: "written", fields: [fields[0]], range: .all))[0]
            // Complete flushes of 40 000; each sample is either stored or in the summary of its
            // hour.
            let all = storage.samples + storage.summarised
            #expect(Int64(counted.count) == all, "seed \(seed), cycle \(cycle)")
            #expect(all.isMultiple(of: 40_000), "seed \(seed), cycle \(cycle)")
            #expect(all + skipped >= acknowledged, "seed \(seed), cycle \(cycle)")
            let raw = try await store.samples(SampleQuery(sensor: "written", limit: .max))
            #expect(Int64(raw.count) == storage.samples, "seed \(seed), cycle \(cycle)")
            summarised = storage.summarised
            try await store.close()
            let faults = try await SampleStore.faults(inFile: folder.path)
            #expect(faults.isEmpty, "seed \(seed), cycle \(cycle)")
        }
        #expect(summarised > 0, "seed \(seed)")
    }

    @Test(.enabled(if: WriterProcess.canMount, "needs user and mount namespaces"))
    func `samples can be removed on a full disk, and collection then continues`() throws {
        let folder = try TemporaryStore()
        let lines = try WriterProcess("purge-full", in: folder, onDiskOf: "48m").lines()
        #expect(
            lines == [
                "before 800000", "full true", "resumed 0 true 0", "all true", "faults []",
            ])
    }
}
