import Foundation
import Glibc

/// The time from `nervous new` to the first line that the new app prints.
enum NewApp {
    static let rounds = 15

    static func figures() async throws -> [Figure] {
        let folder = try BenchFolder()
        defer { folder.remove() }
        var made: [Double] = []
        var whole: [Double] = []
        for round in 0..<rounds {
            let name = "bench-new-\(round)"
            let making = try await seconds {
                try folder.nervous(["new", name, "--in", folder.path, "--json"])
            }
            let running = try secondsToFirstLine(of: "\(folder.path)/\(name)", folder)
            made.append(making * 1000)
            whole.append((making + running) * 1000)
        }
        var floor: [Double] = []
        for _ in 0..<rounds {
            floor.append(try await seconds { try folder.nervous(["--version"]) } * 1000)
        }
        let least = Figure.median(floor)
        return [
            Figure(
                name: "nervous new", unit: "ms", rounds: made,
                limit: String(format: "nervous --version: %.0f ms", least)),
            Figure(
                name: "new, then run, to the app's first line", unit: "ms", rounds: whole,
                limit: "two commands: create; pack, install, start a host, read, print"),
        ]
    }

    /// Runs the app of a folder until it has said something; its end is no part of the time.
    private static func secondsToFirstLine(
        of app: String, _ folder: BenchFolder
    ) throws -> Double {
        let process = Process()
        process.executableURL = URL(filePath: try Programs.path("nervous"))
        process.arguments = ["run", app, "--allow-all"]
        process.environment = ProcessInfo.processInfo.environment
            .merging(folder.environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        let clock = ContinuousClock()
        let start = clock.now
        try process.run()
        let line = output.fileHandleForReading.availableData
        let taken = start.duration(to: clock.now).components
        kill(process.processIdentifier, SIGTERM)
        process.waitUntilExit()
        guard String(decoding: line, as: UTF8.self).contains("% of the memory") else {
            throw Programs.Failure(description: "\(app) said nothing")
        }
        return Double(taken.seconds) + Double(taken.attoseconds) / 1e18
    }
}
