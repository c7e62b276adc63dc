import Foundation

/// Where a host keeps what it has, and its commands.
struct BenchFolder {
    let path: String

    /// - Parameter path: made when it is not there; a temporary one without it.
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

    /// What a command prints.
    @discardableResult
    func nervous(_ arguments: [String]) throws -> String {
        try Programs.run(
            try Programs.path("nervous"), arguments, environment: environment
        ).trimmingCharacters(in: .newlines)
    }

    /// Makes a sensor known that clients publish samples of.
    func declare(_ sensor: String, axes: Int) throws {
        let fields = ["x", "y", "z"].prefix(axes).flatMap { ["--field", "\($0):[g]"] }
        try nervous(["sensors", "add", sensor] + fields)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
