import Archive
public import Foundation

/// Packs an app's folder into an archive.
public struct Packer: Sendable {
    private let limits: PackageLimits

    /// Sets the limits that the package has to keep.
    public init(limits: PackageLimits = PackageLimits()) {
        self.limits = limits
    }

    /// Packs a folder, which is held to the rules of an installation.
    ///
    /// The same files give the same bytes: names are sorted, every time is 1980-01-01, every mode
    /// 0644. Entries whose name begins with a dot, such as `.git`, stay out. Blocks while it works.
    ///
    /// - Parameter key: What to sign the package with. Without one a signature that lies in the
    ///   folder is kept, and has to be right.
    /// - Throws: ``JSAppsError``, as an installation from the folder or the archive would.
    public func pack(
        _ folder: URL, signingWith key: SigningKey? = nil
    ) throws(JSAppsError) -> [UInt8] {
        let path = folder.path(percentEncoded: false)
        guard try InputFile.isFolder(path) else {
            throw JSAppsError(.inputMissing, "Only a folder can be packed.")
        }
        let reader = try FolderReader.open(path, limits: limits)
        let layout = try reader.layout()
        var intake = PackageIntake(limits: limits)
        var files: [(path: String, bytes: [UInt8])] = []
        try reader.read { path, bytes throws(JSAppsError) in
            // A new signature takes the place of an old one.
            guard let inner = path.withoutFirst,
                key == nil || inner.text != PackageSignature.fileName
            else { return }
            try intake.add(inner, bytes)
            files.append((path.text, bytes))
        }
        let package = try intake.finish(layout)
        if let key {
            let signature = try PackageSignature(package.manifest, package.files, by: key)
            files.append(("\(layout.folder)/\(PackageSignature.fileName)", signature.encoded))
        }
        files.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        let archive: [UInt8]
        do throws(ArchiveError) {
            archive = try UTF8Locale.use { () throws(ArchiveError) in
                try Self.archive(of: files)
            }
        } catch {
            throw JSAppsError(.io, "The package could not be written.", cause: error)
        }
        // What install would refuse must not leave here either, whoever made the mistake.
        _ = try PackageSource.archive(bytes: archive, unpacker: .here)
            .unpack(limits: limits) { _, _ throws(JSAppsError) in }
        return archive
    }

    private static func archive(
        of files: [(path: String, bytes: [UInt8])]
    ) throws(ArchiveError) -> [UInt8] {
        // Deflate can make a file larger by less than an eighth; headers are short and a name twice.
        let room = files.reduce(1 << 16) { room, file in
            room + file.bytes.count * 9 / 8 + 2 * file.path.utf8.count + 512
        }
        let writer = try ArchiveWriter.create(capacity: room)
        for file in files { try writer.add(file.path, file.bytes) }
        return try writer.finish()
    }
}
