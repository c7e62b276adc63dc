import Foundation
import GRDB
import Samples
import TestSupport
import Testing

@testable import SampleStore

@Suite(.blocking)
struct ProcessTests {
    private static let isLong = ProcessInfo.processInfo.environment["NERVOUS_LONG_TESTS"] == "1"

    /// With chunks of normal size, with small chunks that are sealed all the time, and with the journal.
    @Test(arguments: ["append", "pack", "journal"])
    func `a store killed at random neither loses nor duplicates acknowledged samples`(
        work: String
    ) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        var total: Int64 = 0
        for _ in 0..<(Self.isLong ? 25 : 5) {
            let folder = try TemporaryStore()
            var acknowledged: Int64 = 0
            for cycle in 0..<20 {
                let writer = try WriterProcess(WriterProcess.executable, [work, folder.path])
                let lines = try writer.lines(killedAfter: .random(in: 0...12, using: &random))
                acknowledged = lines.compactMap(Int64.init).max() ?? acknowledged
                try await KilledStore(path: folder.path).check(
                    after: acknowledged, sessions: cycle + 1, "seed \(seed), cycle \(cycle)")
            }
            total += acknowledged
        }
        #expect(total > 0)
    }

    @Test(.enabled(if: WriterProcess.canMount, "needs user and mount namespaces"))
    func `a full disk stops only writing, and buffered samples are written when there is space`()
        throws
    {
        let folder = try TemporaryStore()
        let lines = try WriterProcess("fill", in: folder, onDiskOf: "2m").lines()
        #expect(
            lines == [
                "full", "full", "status 2010 true", "read 2110", "status 0 false",
                "kept 2110 2110",
            ])
    }

    @Test(.enabled(if: WriterProcess.canMount, "needs user and mount namespaces"))
    func `a journal that a full disk does not let be recovered is recovered when there is space`()
        throws
    {
        let folder = try TemporaryStore()
        let lines = try WriterProcess("fill-journal", in: folder, onDiskOf: "2m").lines()
        #expect(lines == ["kept 100", "read 0", "full", "read 10", "read 110", "kept 110 []"])
    }

    @Test(.enabled(if: WriterProcess.canMount, "needs user and mount namespaces"))
    func `a disk that fills up during sealing loses nothing`() throws {
        let folder = try TemporaryStore()
        let lines = try WriterProcess("fill-packing", in: folder, onDiskOf: "3m").lines()
        #expect(lines == ["full true true", "read 10000 10000", "kept 10000 10000 []"])
    }
}
