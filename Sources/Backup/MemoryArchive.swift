import Glibc

/// Small files in memory, and a tar archive of them.
///
/// ```swift
/// try MemoryArchive(files: [("versions.json", bytes)]).write(to: "support.tar", modified: seconds)
/// ```
public struct MemoryArchive: Sendable {
    /// The files, in the order of the archive.
    public let files: [(path: String, bytes: [UInt8])]

    /// - Parameter files: with relative paths.
    public init(files: [(path: String, bytes: [UInt8])]) {
        self.files = files
    }

    /// Writes the archive to a new file with mode 0600; if this throws, there is none.
    ///
    /// - Parameter modified: the time of all files, in seconds since 1970.
    /// - Throws: ``BackupError``: `exists`, `cannotWrite`, `diskFull`.
    public func write(to path: String, modified: Int64) throws(BackupError) {
        let tar = TarWriter(try OpenFile.creating(path))
        do throws(BackupError) {
            for file in files {
                let entry = TarEntry(
                    path: file.path, size: Int64(file.bytes.count), mode: 0o600, modified: modified)
                try tar.add(entry, file.bytes)
            }
            try tar.end()
        } catch {
            unlink(path)
            throw error
        }
    }
}
