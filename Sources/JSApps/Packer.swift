import Archive
import Auth
public import Foundation
import Glibc

/// Packs an app's folder into an archive.
///
/// ```swift
/// let archive = try Packer().pack(URL(filePath: "step-counter"), signingWith: key)
/// ```
public struct Packer: Sendable {
    private let limits: PackageLimits

    /// - Parameter limits: the limits that the package must keep.
    public init(limits: PackageLimits = PackageLimits()) {
        self.limits = limits
    }

    /// Packs a folder by the rules of an installation.
    ///
    /// The same files give the same bytes: names are sorted, every time is 1980-01-01, every mode
    /// 0644. Entries whose name begins with a dot, such as `.git`, are skipped. Blocks while it
    /// works.
    ///
    /// - Parameter key: signs the package. Without it, a signature in the folder is kept, and must
    ///   be valid.
    /// - Throws: ``JSAppsError``, as an installation from the folder or the archive would.
    public func pack(
        _ folder: URL, signingWith key: SigningKey? = nil
    ) throws(JSAppsError) -> [UInt8] {
        let path = folder.path(percentEncoded: false)
        guard try InputFile.isFolder(path) else {
            throw JSAppsError(.inputMissing, "Only a folder can be packed.")
        }
        let reader = try FolderReader.open(path, limits: limits)
        let layout = try PackageLayout(files: reader.files, folders: [])
        var intake = PackageIntake(limits: limits)
        var files: [(path: String, bytes: [UInt8])] = []
        try reader.read { path, bytes throws(JSAppsError) in
            // A new signature replaces an old one, which need not be valid.
            guard key == nil || path.text != PackageSignature.fileName else { return }
            try intake.add(path, bytes)
            files.append(("\(layout.folder)/\(path.text)", bytes))
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
        // A package that an installation would reject is not returned.
        _ = try PackageSource.archive(archive, .inProcess)
            .unpack(limits: limits) { _, _ throws(JSAppsError) in }
        return archive
    }

    private static func archive(
        of files: [(path: String, bytes: [UInt8])]
    ) throws(ArchiveError) -> [UInt8] {
        // Deflate enlarges a file by less than an eighth; a name is written twice, with headers.
        let capacity = files.reduce(1 << 16) { sum, file in
            sum + file.bytes.count * 9 / 8 + 2 * file.path.utf8.count + 512
        }
        let writer = try ArchiveWriter.create(capacity: capacity)
        for file in files { try writer.add(file.path, file.bytes) }
        return try writer.finish()
    }
}

/// A source of a package.
enum PackageSource {
    case archive([UInt8], ArchiveUnpacker)
    case folder(AppFolder)

    /// Opens a file or folder by its path.
    static func open(
        _ path: String, limits: PackageLimits, unpacker: ArchiveUnpacker
    ) throws(JSAppsError) -> PackageSource {
        if try InputFile.isFolder(path) {
            return .folder(try AppFolder(reading: URL(filePath: path), limits: limits))
        }
        return .archive(try InputFile.read(path, limits: limits), unpacker)
    }

    /// The SHA-256 of the archive; `nil` for a folder.
    var archiveSHA256: String? {
        switch self {
        case .archive(let bytes, _): Fingerprint.sha256(bytes)
        case .folder: nil
        }
    }

    /// Checks the package; `receive` takes each file with its path inside the app's folder.
    func unpack(
        limits: PackageLimits, receive: (SafePath, [UInt8]) throws(JSAppsError) -> Void
    ) throws(JSAppsError) -> CheckedPackage {
        switch self {
        case .archive(let bytes, let unpacker):
            var intake = PackageIntake(limits: limits)
            var layout: PackageLayout?
            try unpacker.unpack(bytes, limits: limits) { event throws(JSAppsError) in
                switch event {
                case .listed(let files, let folders):
                    layout = try PackageLayout(files: files, folders: folders)
                case .file(let path, let bytes):
                    guard let inner = path.withoutFirst else { return }
                    try intake.add(inner, bytes)
                    try receive(inner, bytes)
                }
            }
            guard let layout else { throw .invalidUnpackerOutput() }
            return try intake.finish(layout)
        case .folder(var folder):
            if folder.limits != limits {
                folder = try AppFolder(named: folder.name, files: folder.files, limits: limits)
            }
            for file in folder.contents { try receive(file.path, file.bytes) }
            return folder.package
        }
    }
}

/// A file or folder that the owner names; links are followed.
enum InputFile {
    static func isFolder(_ path: String) throws(JSAppsError) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else {
                throw .io("Could not inspect the package", .last("stat"))
            }
            throw JSAppsError(
                .inputMissing, "The file or folder to install from does not exist.")
        }
        if status.st_mode.isFolder { return true }
        let isNamedLikePackage = [".zip", ".nervous"].contains { path.lowercased().hasSuffix($0) }
        guard status.st_mode.isRegularFile, isNamedLikePackage else {
            throw JSAppsError(
                .notAnArchive, "The path is neither a package nor a folder.",
                hint: "A package is a .zip or .nervous file, or a folder.")
        }
        return false
    }

    static func read(_ path: String, limits: PackageLimits) throws(JSAppsError) -> [UInt8] {
        try JSAppsError.wrap("Could not read the package") { () throws(SystemError) in
            let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .last("open") }
            return try OpenFile(owning: descriptor).read(atMost: limits.archiveBytes)
        }
    }
}
