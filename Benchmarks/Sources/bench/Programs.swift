import Foundation
import Glibc

/// The programs under measurement, beside this one, and how they are started.
enum Programs {
    static func path(_ name: String) throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return (own as NSString).deletingLastPathComponent + "/" + name
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a program to its end.
    ///
    /// - Returns: its standard output; standard error becomes part of the failure.
    @discardableResult
    static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        // A file, since a program blocks when it fills a pipe that is not read.
        guard let file = tmpfile() else { throw Failure(description: "no temporary file") }
        defer { fclose(file) }
        let errors = FileHandle(fileDescriptor: fileno(file))
        process.standardError = errors
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            try errors.seek(toOffset: 0)
            let reason = String(decoding: try errors.readToEnd() ?? Data(), as: UTF8.self)
            throw Failure(
                description: "\(program) ended with \(process.terminationStatus): \(reason)")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
