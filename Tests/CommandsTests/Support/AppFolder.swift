import Foundation

/// The folder of a small app that a test writes, changes and packs.
struct AppFolder {
    let name: String
    /// The path of the folder.
    let path: String

    /// Creates the folder of version 1.0.0, which declares nothing.
    init(_ sandbox: Sandbox, _ name: String = "my-app") throws {
        self.name = name
        path = sandbox.path("source/\(name)")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try write("app.html", "<!doctype html>")
        try write("app.js", "console.log('ran')")
        try set("1.0.0")
    }

    func write(_ file: String, _ text: String) throws {
        try text.write(toFile: "\(path)/\(file)", atomically: true, encoding: .utf8)
    }

    /// Sets the version and the declared privileges, such as `["cpu"]`.
    func set(_ version: String, asks privileges: String = "[]") throws {
        try write(
            "package.json",
            #"{"name": "\#(name)", "version": "\#(version)", "privileges": \#(privileges)}"#)
    }

    /// Every file by its path in an archive.
    func files() throws -> [String: String] {
        var files: [String: String] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: path) {
            files["\(name)/\(file)"] = try String(
                contentsOfFile: "\(path)/\(file)", encoding: .utf8)
        }
        return files
    }
}
