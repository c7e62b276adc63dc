import Foundation
import Samples
import TestSupport
import Testing

@testable import SampleStore

/// The store in a process that `strace` kills at the first write, the second, and so on
/// until the process completes, or whose disk fails.
@Suite(.blocking, .enabled(if: ProcessInfo.processInfo.environment["NERVOUS_LONG_TESTS"] == "1"))
struct TracedWriterTests {
    private let folder: TemporaryStore

    init() throws {
        folder = try TemporaryStore()
    }

    /// The output of the process while `strace` injects a fault into its system calls.
    private func lines(_ injection: String, _ arguments: [String]) throws -> [String] {
        let call = injection.prefix { $0 != ":" }
        return try WriterProcess(
            URL(filePath: "/usr/bin/strace"),
            [
                "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "signal=none", "-e",
                "inject=\(injection)", WriterProcess.executable.path(),
            ] + arguments
        ).lines()
    }

    private func clear() throws {
        for suffix in ["", "-wal", "-shm"] {
            let path = folder.path + suffix
            if FileManager.default.fileExists(atPath: path) {
                try FileManager.default.removeItem(atPath: path)
            }
        }
    }

    @Test(arguments: ["pwrite64", "fdatasync", "ftruncate"], ["pack", "journal"])
    func `a kill at any system call neither loses nor duplicates acknowledged samples`(
        call: String, work: String
    ) async throws {
        var number = 1
        var total = 0
        while true {
            try clear()
            let lines = try lines(
                "\(call):signal=KILL:when=\(number)", [work, folder.path, "25"])
            let acknowledged = lines.compactMap(Int64.init).max() ?? 0
            try await KilledStore(path: folder.path).check(
                after: acknowledged, sessions: 1, "\(work), \(call) \(number)")
            if acknowledged == 25 * 48 { break }
            total += 1
            number += 1
            try #require(number < 3000, "\(call) never completes")
        }
        print("killed at \(total) calls of \(call)")
        // The last system calls are made after the last sample.
        #expect(number > 1, "\(call) is never made")
    }

    @Test(arguments: zip(["pwrite64", "fdatasync"], [5, 1]))
    func `a kill at any system call loses no synced samples`(
        call: String, step: Int
    ) async throws {
        var number = 1
        while true {
            try clear()
            let lines = try lines("\(call):signal=KILL:when=\(number)", ["power-cut", folder.path])
            let kept =
                lines.filter { $0.hasPrefix("kept") }
                .compactMap { Int64($0.dropFirst(5)) }.max() ?? 0
            try await KilledStore(path: folder.path).check(
                after: kept, sessions: 1, of: 3, "\(call) \(number)")
            if lines.last == "read 180" { break }
            number += step
            try #require(number < 3000, "\(call) never completes")
        }
        print("killed at calls of \(call) up to number \(number), while samples were synced")
        #expect(number > 10)
    }

    @Test func `a kill during the migration leaves the old or the new schema`() async throws {
        var number = 1
        while true {
            try clear()
            let model = try MigrationTests.makeFile(at: folder.path, count: 4000)
            let isComplete =
                try lines("pwrite64:signal=KILL:when=\(number)", ["open", folder.path])
                == ["opened"]
            try await MigrationTests.check(folder.path, model, count: 4000)
            if isComplete { break }
            number += 1
            try #require(number < 3000, "it never completes")
        }
        print("killed at \(number - 1) writes of the migration")
        #expect(number > 10)
    }

    @Test func `samples are not acknowledged when fdatasync fails`() throws {
        var (kept, failed) = (0, 0)
        // `strace` counts the calls of each thread separately.
        for first in 1...20 {
            try clear()
            let lines = try lines("fdatasync:error=EIO:when=\(first)+", ["power-cut", folder.path])
            // The first call is SQLite's own, for the new file.
            if lines.count == 1, lines[0].contains("while opening") { continue }
            let answers = lines.dropLast()
            try #require(answers.count == 60, "\(first): \(lines)")
            failed += answers.count { $0.hasPrefix("not kept") }
            kept += answers.count { $0.hasPrefix("kept") }
            #expect(lines.last == "read 180", "\(first): \(lines)")
        }
        print("with failing fdatasync, \(kept) batches were synced and \(failed) were not")
        #expect(kept > 10 && failed > 10)
    }
}
