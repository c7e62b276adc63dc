import Foundation

/// What a command printed and how it ended.
struct Invocation {
    let code: Int32
    let output: String
    let errors: String

    /// Runs a program to its end, with nothing on its standard input.
    init(
        _ program: String, _ arguments: [String], environment: [String: String],
        directory: String? = nil
    ) throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = environment
        if let directory { process.currentDirectoryURL = URL(filePath: directory) }
        process.standardInput = FileHandle.nullDevice
        let folder = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // Files, because a pipe that nobody drains would stop the program.
        let files = ["out", "err"].map { "\(folder)/\($0)" }
        for file in files { try Data().write(to: URL(filePath: file)) }
        process.standardOutput = FileHandle(forWritingAtPath: files[0])
        process.standardError = FileHandle(forWritingAtPath: files[1])
        try process.run()
        process.waitUntilExit()
        let status = process.terminationStatus
        code = process.terminationReason == .uncaughtSignal ? 128 + status : status
        output = try String(contentsOfFile: files[0], encoding: .utf8)
        errors = try String(contentsOfFile: files[1], encoding: .utf8)
    }
}

extension Sandbox {
    /// Runs `nervous` with these words.
    func nervous(_ arguments: String...) throws -> Invocation {
        try nervous(arguments)
    }

    func nervous(_ arguments: [String]) throws -> Invocation {
        try Invocation(Binary.nervous, arguments, environment: environment)
    }

    /// Runs `curl`, which prints the status on a line of its own after the body.
    func curl(_ arguments: String...) throws -> (status: Int, body: String) {
        let call = try Invocation(
            "/usr/bin/curl", ["-s", "--max-time", "10", "-w", "\n%{http_code}"] + arguments,
            environment: environment)
        let lines = call.output.split(separator: "\n", omittingEmptySubsequences: false)
        return (
            Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n")
        )
    }
}
