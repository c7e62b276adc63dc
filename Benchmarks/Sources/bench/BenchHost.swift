import Foundation
import Glibc

/// A host that serves from a temporary directory while something is measured.
struct BenchHost {
    let port: Int
    let process: Process
    private let folder: String
    private let environment: [String: String]

    private struct Announcement: Decodable {
        let port: Int
    }

    /// Starts one, runs `body` and takes it away.
    static func with<T>(_ body: (BenchHost) async throws -> T) async throws -> T {
        let folder =
            FileManager.default.temporaryDirectory.path + "/nervous-bench-\(UUID().uuidString)"
        for name in ["data", "run"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder)/\(name)", withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let environment = ["NERVOUS_DATA": "\(folder)/data", "XDG_RUNTIME_DIR": "\(folder)/run"]
        let host = Process()
        host.executableURL = URL(filePath: try Programs.path("nervous"))
        host.arguments = ["serve", "--port", "0", "--json"]
        host.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        host.standardOutput = output
        try host.run()
        defer {
            kill(host.processIdentifier, SIGTERM)
            host.waitUntilExit()
        }
        let line = output.fileHandleForReading.availableData
        let port = try JSONDecoder().decode(Announcement.self, from: line).port
        return try await body(
            BenchHost(port: port, process: host, folder: folder, environment: environment))
    }

    /// What a command prints.
    func nervous(_ arguments: String...) throws -> String {
        try Programs.run(
            try Programs.path("nervous"), arguments, environment: environment
        ).trimmingCharacters(in: .newlines)
    }

    /// Installs an app of one script, which asks for nothing.
    func install(_ name: String, _ script: String, privileges: String = "[]") throws {
        let place = "\(folder)/\(name)"
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
