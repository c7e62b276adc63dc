import Auth
import Foundation
import TestSupport

@testable import JSApps

/// A folder that is removed with the value that names it.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "packages-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // Installed folders are read-only, which FileManager cannot remove.
        let parent = url.deletingLastPathComponent().path(percentEncoded: false)
        try? Folder.open(parent).removeTree(url.lastPathComponent)
    }

    /// Writes a file and creates its folders.
    @discardableResult
    func write(_ path: String, _ bytes: [UInt8]) throws -> URL {
        let file = url.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
        return file
    }

    @discardableResult
    func write(_ path: String, _ text: String) throws -> URL {
        try write(path, Array(text.utf8))
    }

    /// Writes a small valid app.
    func writeApp(_ name: String, version: String = "1.0.0") throws -> URL {
        try write("\(name)/package.json", ZipForge.manifest(name: name, version: version))
        try write("\(name)/app.js", "console.log('\(version)')\n")
        try write("\(name)/app.html", "<!doctype html><title>\(version)</title>\n")
        return url.appending(path: name)
    }

    /// Every name in the folder with the mode and fingerprint of its file.
    func tree() throws -> [String: String] {
        try Self.tree(at: url)
    }

    static func tree(at folder: URL) throws -> [String: String] {
        let path = folder.path(percentEncoded: false)
        var tree: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            let file = path + "/" + name
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            let mode = (attributes[.posixPermissions] as? Int) ?? -1
            let content = FileManager.default.contents(atPath: file).map { Array($0) }
            let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            tree[name] = "\(mode) " + (isFolder ? "" : Fingerprint.sha256(content ?? []))
        }
        return tree
    }
}

extension ArchiveUnpacker {
    /// The program as it was built beside the tests.
    static let built = ArchiveUnpacker(program: BuiltProgram.path("nervous-unpacker"))
}
