import Foundation

/// What a program prints on its standard output, and how it ends.
struct ProgramOutput: Sendable {
    let status: Int32
    let text: String

    /// Runs a program with nothing in its environment and nothing to read, for at most ten seconds.
    ///
    /// - Returns: `nil` when it cannot be started.
    static func of(_ path: String, _ arguments: [String]) async -> ProgramOutput? {
        await withCheckedContinuation { continuation in
            // Reading blocks, so it has a thread of its own.
            Thread.detachNewThread { continuation.resume(returning: run(path, arguments)) }
        }
    }

    private static func run(_ path: String, _ arguments: [String]) -> ProgramOutput? {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = [:]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let pid = process.processIdentifier
        let limit = DispatchWorkItem { kill(pid, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 10, execute: limit)
        let bytes = (try? output.fileHandleForReading.readToEnd()) ?? Data()
        process.waitUntilExit()
        limit.cancel()
        let isExit = process.terminationReason == .exit
        return ProgramOutput(
            status: isExit ? process.terminationStatus : 128 + process.terminationStatus,
            text: String(decoding: bytes, as: UTF8.self))
    }
}
