import Foundation

/// The process that works on a store for a test to watch or to kill.
struct WriterProcess {
    /// Beside the test bundle, where SwiftPM puts executables.
    static var executable: URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        let folder =
            bundle?.bundleURL.deletingLastPathComponent()
            ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        return folder.appending(path: "store-writer")
    }

    private let process = Process()
    private let output = Pipe()

    init(_ executable: URL, _ arguments: [String]) throws {
        process.executableURL = executable
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
    }

    /// Kills the process after it has printed some lines, at a moment of its own choosing.
    ///
    /// - Returns: every whole line that it printed.
    func lines(killedAfter count: Int) throws -> [String] {
        var bytes = Data()
        while bytes.count(where: { $0 == 0x0A }) < count {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            bytes += more
        }
        kill(process.processIdentifier, SIGKILL)
        bytes += try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let text = String(decoding: bytes, as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map(String.init)
    }

    /// Everything the process prints until it ends.
    func lines() throws -> [String] {
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
