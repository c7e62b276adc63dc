import Foundation
import TestSupport

/// What the runner prints when it is asked about itself.
struct RunnerOutput {
    let lines: [String]
    let code: Int32

    init(arguments: [String]) throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: BuiltProgram.path("nervous-runner"))
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        code = process.terminationStatus
        lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
