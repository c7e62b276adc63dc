import Files
import Glibc
import Samples
import Text

/// Reads a backup from the beginning to the end, and checks every byte.
struct BackupReader: ~Copyable {
    let manifest: BackupManifest
    /// The size of the file.
    let bytes: Int64
    private let path: String
    private let text: [UInt8]
    private var tar: TarReader

    /// Opens a file, and reads its manifest.
    ///
    /// - Throws: ``BackupError``: `missing`, `unreadable`, `notABackup`, `newer`.
    init(_ path: String) throws {
        let file = try OpenFile.reading(path)
        let facts = try file.facts
        let foreign = BackupError(.notABackup, "\(path) is not a backup of Nervous.")
        guard facts.st_mode & S_IFMT == S_IFREG else { throw foreign }
        var tar = TarReader(file)
        let text: [UInt8]
        do {
            guard let entry = try tar.next(), entry.path == BackupManifest.path,
                entry.size <= Int64(BackupManifest.largest)
            else { throw foreign }
            text = try tar.read(Int(entry.size))
        } catch is TarReader.Fault {
            throw foreign
        }
        guard let manifest = try BackupManifest(parsing: text, of: path) else { throw foreign }
        (self.manifest, bytes, self.path) = (manifest, Int64(facts.st_size), path)
        self.text = text
        self.tar = tar
    }

    /// Reads all files.
    ///
    /// - Parameter sink: called with each block of a file and the number of bytes of all files that were
    ///   read before; after the last block of a file, called with an empty block.
    /// - Throws: ``BackupError`` with `damaged` unless every file is complete and unchanged; what `sink` throws.
    mutating func read(
        _ sink: (_ file: BackupManifest.File, _ block: [UInt8], _ done: Int64) throws -> Void
    ) throws {
        var done: Int64 = 0
        for file in manifest.files {
            try Self.checked(path, file.path) {
                guard let entry = try tar.next(), entry.path == file.path, entry.size == file.size
                else { throw TarReader.Fault.malformed }
            }
            var digest = ContentDigest()
            while true {
                try Task.checkCancellation()
                var block: [UInt8] = []
                try Self.checked(path, file.path) { block = try tar.read() }
                try sink(file, block, done)
                guard !block.isEmpty else { break }
                digest.add(block)
                done += Int64(block.count)
            }
            guard digest.finish() == file.sha256 else {
                throw BackupError(
                    .damaged, "\(path) is damaged: \(file.path) does not match its checksum.")
            }
        }
        try Self.checked(path, BackupManifest.sumPath) {
            guard let entry = try tar.next(), entry.path == BackupManifest.sumPath,
                entry.size <= Int64(OpenFile.blockSize),
                try tar.read() == Self.sum(of: text), try tar.next() == nil
            else { throw TarReader.Fault.malformed }
        }
    }

    /// The line that `sha256sum` prints about a manifest.
    static func sum(of manifest: [UInt8]) -> [UInt8] {
        var digest = ContentDigest()
        digest.add(manifest)
        return Array("\(digest.finish())  \(BackupManifest.path)\n".utf8)
    }

    /// Reads a part of the archive; if it is damaged, the error names this part.
    private static func checked(
        _ path: String, _ name: String, _ body: () throws -> Void
    ) throws {
        do {
            try body()
        } catch TarReader.Fault.truncated {
            throw BackupError(
                .damaged, "\(path) is truncated: it ends at \(name.escapedForDisplay(limit: 200)).")
        } catch TarReader.Fault.malformed {
            throw BackupError(
                .damaged, "\(path) is damaged at \(name.escapedForDisplay(limit: 200)).")
        }
    }
}
