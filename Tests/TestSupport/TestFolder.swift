import Foundation

/// A folder for one test, removed when this value is released.
public final class TestFolder {
    public let path: String

    public init() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "test-\(UUID().uuidString)", directoryHint: .notDirectory)
        path = folder.path(percentEncoded: false)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    public func path(_ name: String) -> String { "\(path)/\(name)" }

    /// The names of its entries, sorted.
    public var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    public func content(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path(name))))
    }

    public func write(_ text: String, to name: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
        try setMode(mode, of: name)
    }

    public func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
    }

    public func setMode(_ mode: Int, of name: String) throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: path(name))
    }

    /// Changes the owner of an entry to the user `nobody`.
    public func giveAway(_ name: String) throws {
        try FileManager.default.setAttributes(
            [.ownerAccountID: 65_534], ofItemAtPath: path(name))
    }
}
