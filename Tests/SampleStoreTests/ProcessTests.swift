import Foundation
import GRDB
import Samples
import Testing

@testable import SampleStore

struct ProcessTests {
    private static let isLong = ProcessInfo.processInfo.environment["NERVOUS_LONG_TESTS"] == "1"

    @Test func `a store killed at random loses and doubles nothing it acknowledged`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let folder = try TemporaryStore()
        var acknowledged: Int64 = 0
        for cycle in 0..<(Self.isLong ? 200 : 10) {
            let writer = try WriterProcess(WriterProcess.executable, ["append", folder.path])
            let lines = try writer.lines(killedAfter: .random(in: 0...12, using: &random))
            acknowledged = lines.compactMap(Int64.init).max() ?? acknowledged
            let store = try await SampleStore(path: folder.path)
            let fields = [Field("n", kind: .integer), Field("note", kind: .text)]
            try await store.register("written", fields: fields)
            let samples = try await store.samples(SampleQuery(sensor: "written", limit: .max))
            let (numbers, times) = (samples.map(\.sequence), samples.map(\.time.microseconds))
            try await store.close()
            let faults = try await SampleStore.faults(inFile: folder.path)
            #expect(faults.isEmpty, "seed \(seed), cycle \(cycle)")
            #expect(numbers == times, "seed \(seed), cycle \(cycle)")
            #expect(numbers.last ?? 0 >= acknowledged, "seed \(seed), cycle \(cycle)")
            // Numbers go up by one but where a session died: whole groups of 48 stand between.
            let gaps = zip(numbers, numbers.dropFirst()).filter { $1 != $0 + 1 }
            #expect(gaps.allSatisfy { $1 > $0 + 1 }, "seed \(seed), cycle \(cycle)")
            #expect(gaps.count <= cycle, "seed \(seed), cycle \(cycle)")
            #expect(numbers.count.isMultiple(of: 48), "seed \(seed), cycle \(cycle)")
        }
        #expect(acknowledged > 0)
    }

    /// Whether this system lets a process mount a file system that only it can see.
    private static let canMount: Bool = {
        let probe = try? WriterProcess(
            URL(filePath: "/bin/sh"),
            ["-c", "unshare -rm mount -t tmpfs none /mnt 2>/dev/null && echo yes"])
        return (try? probe?.lines()) == ["yes"]
    }()

    @Test(.enabled(if: ProcessTests.canMount, "needs user and mount namespaces"))
    func `a full disk stops writing alone, and room brings everything back`() throws {
        let folder = try TemporaryStore()
        let script = #"mount -t tmpfs -o size=2m none "$1" && exec "$2" fill "$1""#
        let lines = try WriterProcess(
            URL(filePath: "/usr/bin/env"),
            [
                "unshare", "-rm", "sh", "-c", script, "sh", folder.folder.path(),
                WriterProcess.executable.path(),
            ]
        ).lines()
        #expect(
            lines == [
                "full", "full", "status 2010 true", "read 2110", "status 0 false",
                "kept 2110 2110",
            ])
    }
}
