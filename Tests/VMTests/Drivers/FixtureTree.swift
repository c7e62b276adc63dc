import Foundation
import VM

/// A temporary folder in place of procfs and sysfs, removed with its last reference.
final class FixtureTree: Sendable {
    private let root: URL

    var roots: SystemRoots {
        SystemRoots(
            proc: root.path + "/proc", sys: root.path + "/sys", dev: root.path + "/dev")
    }

    /// Writes each text to its path, such as `sys/class/thermal/thermal_zone0/temp`.
    init(_ files: [String: String] = [:]) throws {
        root = FileManager.default.temporaryDirectory
            .appending(path: "nervous-fixture-\(UUID().uuidString)")
        for (path, text) in files { try write(text, to: path) }
    }

    deinit {
        try? FileManager.default.removeItem(at: root)
    }

    func write(_ text: String, to path: String) throws {
        try write(Data(text.utf8), to: path)
    }

    func write(_ data: Data, to path: String) throws {
        let file = root.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
    }

    /// Puts a folder where a file is expected: opening it works and reading it fails.
    func makeUnreadable(_ path: String) throws {
        try remove(path)
        try FileManager.default.createDirectory(
            at: root.appending(path: path), withIntermediateDirectories: true)
    }

    /// Creates a dangling link: it is listed, and opening it fails with `ENOENT`.
    func makeDangling(_ path: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: root.appending(path: path).path, withDestinationPath: "nothing")
    }

    func remove(_ path: String) throws {
        try FileManager.default.removeItem(at: root.appending(path: path))
    }

    func path(_ path: String) -> String {
        root.appending(path: path).path
    }
}
