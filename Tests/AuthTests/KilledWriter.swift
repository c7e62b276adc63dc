import Foundation
import TestSupport
import Testing

/// A process that writes until it is killed.
enum KilledWriter {
    /// Kills it after some lines of output.
    ///
    /// - Parameter delay: microseconds between the last of these lines and the signal, so that it arrives at
    ///   different steps of the next write.
    /// - Returns: the last number that it acknowledged.
    static func run(_ arguments: [String], until count: Int, delay: UInt32 = 0) throws -> Int {
        let program = try Program(
            BuiltProgram.path("log-writer"), arguments, output: .pipe, errors: .inherited)
        var bytes = try program.read { $0.count(where: { $0 == 0x0A }) >= count }
        if delay > 0 { usleep(delay) }
        program.signal(SIGKILL)
        bytes += try program.readToEnd()
        try program.wait()
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.first == "open")
        return lines.compactMap { Int($0) }.max() ?? 0
    }
}
