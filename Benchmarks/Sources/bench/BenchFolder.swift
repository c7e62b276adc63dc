import Foundation

/// A folder with the data directory and the control socket of a host, and the commands that use them.
struct BenchFolder {
    let path: String

    /// - Parameter path: the folder, created if it does not exist; by default a temporary one.
    init(
        _ path: String = FileManager.default.temporaryDirectory.path
            + "/nervous-bench-\(UUID().uuidString)"
    ) throws {
        self.path = path
        for name in ["data", "run"] {
            try FileManager.default.createDirectory(
                atPath: "\(path)/\(name)", withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
    }

    var environment: [String: String] {
        ["NERVOUS_DATA": "\(path)/data", "XDG_RUNTIME_DIR": "\(path)/run"]
    }

    /// Runs a command.
    ///
    /// - Returns: what it prints.
    @discardableResult
    func nervous(_ arguments: [String]) throws -> String {
        try Programs.run(
            try Programs.path("nervous"), arguments, environment: environment
        ).trimmingCharacters(in: .newlines)
    }

    /// Declares a sensor, so that clients can publish samples of it.
    func declare(_ sensor: String, axes: Int) throws {
        let fields = ["x", "y", "z"].prefix(axes).flatMap { ["--field", "\($0):[g]"] }
        try nervous(["sensors", "add", sensor] + fields)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
