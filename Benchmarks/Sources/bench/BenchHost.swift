import Foundation
import Glibc

/// A host that serves while something is measured.
struct BenchHost {
    let port: Int
    let process: Process
    let folder: BenchFolder

    private struct Announcement: Decodable {
        let port: Int
    }

    /// Starts a host in a temporary folder, runs `body`, stops the host and deletes the folder.
    static func with<T>(_ body: (BenchHost) async throws -> T) async throws -> T {
        let folder = try BenchFolder()
        defer { folder.remove() }
        return try await with(folder, body)
    }

    /// Starts a host in a folder, runs `body` and stops the host.
    static func with<T>(
        _ folder: BenchFolder, _ body: (BenchHost) async throws -> T
    ) async throws -> T {
        let host = Process()
        host.executableURL = URL(filePath: try Programs.path("nervous"))
        host.arguments = ["serve", "--port", "0", "--json"]
        host.environment = ProcessInfo.processInfo.environment.merging(folder.environment) { $1 }
        let output = Pipe()
        host.standardOutput = output
        try host.run()
        defer {
            kill(host.processIdentifier, SIGTERM)
            host.waitUntilExit()
        }
        let line = output.fileHandleForReading.availableData
        let port = try JSONDecoder().decode(Announcement.self, from: line).port
        return try await body(BenchHost(port: port, process: host, folder: folder))
    }

    /// The output of a command.
    func nervous(_ arguments: String...) throws -> String { try folder.nervous(arguments) }

    /// Installs an app with one script.
    ///
    /// - Parameter privileges: the privileges that it declares, as JSON.
    func install(_ name: String, _ script: String, privileges: String = "[]") throws {
        let place = "\(folder.path)/\(name)"
        try FileManager.default.createDirectory(
            atPath: place, withIntermediateDirectories: true)
        let files = [
            "package.json":
                #"{"name": "\#(name)", "version": "1.0.0", "privileges": \#(privileges)}"#,
            "app.js": script, "app.html": "<p>bench</p>",
        ]
        for (file, text) in files {
            try text.write(toFile: "\(place)/\(file)", atomically: true, encoding: .utf8)
        }
        _ = try nervous("install", place)
    }

    /// The resident memory of a process, in MiB.
    static func resident(_ process: Int32) -> Double {
        memory("Rss", of: process).map { $0 / 1024 } ?? .nan
    }

    /// A number of `smaps_rollup` of a process, in KiB.
    static func memory(_ name: String, of process: Int32) -> Double? {
        guard
            let text = try? String(
                contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("\(name):") })
        else { return nil }
        return Double(line.filter(\.isNumber))
    }
}
