import Foundation
import TestSupport
import Testing

/// A process that writes until it is killed.
enum KilledWriter {
    private static let program = URL(filePath: BuiltProgram.path("log-writer"))

    /// Kills it after some lines of output.
    ///
    /// - Returns: the last number that it acknowledged.
    static func run(_ arguments: [String], until count: Int) throws -> Int {
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = arguments
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
