import Glibc

/// Writes the files of one package beneath an open folder that no one else uses yet.
///
/// Files get mode 0444, and folders 0555 once all is written.
final class StagingFolder {
    private let root: Folder
    private var made: Set<SafePath> = []

    init(_ root: consuming Folder) {
        self.root = root
    }

    func write(_ path: SafePath, _ bytes: [UInt8]) throws(JSAppsError) {
        try JSAppsError.wrap("Could not write ‘\(path.shown)’") { () throws(SystemError) in
            for parent in path.parents where made.insert(parent).inserted { try make(parent) }
            try root.writeDurably(bytes, to: path.text)
        }
    }

    /// Closes the folders to further names, and brings all that was written to the disk.
    func seal() throws(JSAppsError) {
        try JSAppsError.wrap("Could not write the app's folders") { () throws(SystemError) in
            for path in made { try Self.seal(try root.folder(path.text)) }
            try Self.seal(root)
        }
    }

    private static func seal(_ folder: borrowing Folder) throws(SystemError) {
        try folder.setMode(0o555)
        try folder.sync()
    }

    private func make(_ path: SafePath) throws(SystemError) {
        guard let name = path.components.last else { return }
        guard let parent = path.parents.last else { return try root.makeFolder(name) }
        try root.folder(parent.text).makeFolder(name)
    }
}
