import Foundation
import TestSupport
import Testing

@testable import Auth

/// A process that is killed while it writes the access log.
struct LogCrashTests {
    private static let isLong = ProcessInfo.processInfo.environment["NERVOUS_LONG_TESTS"] == "1"

    private static let writer = URL(filePath: BuiltProgram.path("log-writer"))

    @Test func `a host killed while it writes leaves a chain that fits and lacks no line`()
        async throws
    {
        let registry = try Registry()
        for cycle in 0..<(Self.isLong ? 100 : 8) {
            let acknowledged = try run(until: 1 + cycle % 5, registry.path)
            let report = try await LedgerVerification(path: registry.path).run()
            #expect(report.isIntact, "cycle \(cycle): \(report)")
            #expect(report.lines >= acknowledged)
        }
        #expect(try await LedgerVerification(path: registry.path).run().lines > 8)
    }

    /// Kills the writer after some lines of output.
    ///
    /// - Returns: the last number that it acknowledged.
    private func run(until count: Int, _ path: String) throws -> Int {
        let process = Process()
        let output = Pipe()
        process.executableURL = Self.writer
        process.arguments = [path]
        process.standardOutput = output
        try process.run()
        var bytes = Data()
        while bytes.count(where: { $0 == 0x0A }) < count {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            bytes += more
        }
        kill(process.processIdentifier, SIGKILL)
        bytes += try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.first == "open")
        return lines.compactMap { Int($0) }.max() ?? 0
    }
}
