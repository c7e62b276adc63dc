import Foundation

/// `nervous serve` on a free port, ended by its process id.
final class ServingHost {
    let port: Int
    let pid: Int32
    private let process = Process()

    struct DidNotStart: Error {
        let code: Int32
    }

    private struct Announcement: Decodable {
        let port: Int
        let pid: Int32
    }

    /// - Parameter errors: the file that takes its standard error.
    init(_ sandbox: Sandbox, _ arguments: [String] = [], errors: String? = nil) throws {
        process.executableURL = URL(filePath: Binary.nervous)
        process.arguments = ["serve", "--port", "0", "--json"] + arguments
        process.environment = sandbox.environment
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        if let errors {
            try Data().write(to: URL(filePath: errors))
            process.standardError = FileHandle(forWritingAtPath: errors)
        }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // The announcement is one line; the end of the file means that it did not come.
        var line = Data()
        while !line.contains(0x0A) {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty {
                process.waitUntilExit()
                throw DidNotStart(code: process.terminationStatus)
            }
            line += more
        }
        let announcement = try JSONDecoder().decode(Announcement.self, from: line)
        (port, pid) = (announcement.port, announcement.pid)
    }

    deinit {
        kill(SIGKILL)
        process.waitUntilExit()
    }

    func url(_ path: String, host: String = "localhost") -> String {
        "http://\(host):\(port)\(path)"
    }

    func kill(_ signal: Int32) {
        if process.isRunning { Foundation.kill(pid, signal) }
    }

    /// Waits for its end.
    ///
    /// - Returns: the exit code; 128 and the signal when a signal ended it.
    func wait() -> Int32 {
        process.waitUntilExit()
        let status = process.terminationStatus
        return process.terminationReason == .uncaughtSignal ? 128 + status : status
    }
}
