import Auth
import Files
import Foundation
import Glibc
import Scheduling
import Text

/// Restores a backup to a data directory that does not exist yet or is empty.
///
/// ```swift
/// let restoration = BackupRestoration(
///     file: "/media/me/disk/nervous.backup", data: "/home/me/.local/share/nervous",
///     configuration: "/home/me/.config/nervous")
/// let result = try await restoration.run()
/// ```
public struct BackupRestoration: Sendable {
    private static let draftSuffix = ".restore"
    private static let permissions = "permissions.sqlite"

    private let file: String
    private let data: String
    private let configuration: String
    private let formats: DataFormats
    private let executor = BlockingExecutor(label: "restore")

    /// What was restored.
    public struct Result: Sendable {
        /// The content of the backup.
        public let report: BackupReport
        /// The paths of the files of the configuration that were written.
        public let configured: [String]
        /// The paths of the files of the configuration that exist with other content, and were not changed.
        public let kept: [String]
    }

    /// - Parameters:
    ///   - file: the backup.
    ///   - data: the data directory.
    ///   - configuration: the folder of `config.json`.
    ///   - formats: the formats that this program reads.
    public init(file: String, data: String, configuration: String, formats: DataFormats) {
        (self.file, self.data, self.configuration) = (file, data, configuration)
        self.formats = formats
    }

    /// Reads the whole backup, and writes nothing.
    ///
    /// - Throws: ``BackupError``; `CancellationError`.
    public func check(
        onProgress: @escaping @Sendable (_ thousandths: Int) -> Void = { _ in }
    ) async throws -> BackupReport {
        try await withTaskExecutorPreference(executor) {
            var reader = try BackupReader(file)
            let size = reader.manifest.size
            try reader.read { _, _, done in onProgress(Self.share(done, of: size)) }
            return BackupReport(
                file: file, bytes: reader.bytes, reader.manifest, accessLog: nil)
        }
    }

    /// Restores everything, or nothing.
    ///
    /// The content is written to a folder beside the data directory. When all of it is checked and on the
    /// disk, this folder gets the name of the data directory. Files of the configuration are written only
    /// where none exist.
    ///
    /// - Throws: ``BackupError``; `CancellationError`.
    public func run(
        onProgress: @escaping @Sendable (_ thousandths: Int) -> Void = { _ in }
    ) async throws -> Result {
        try await withTaskExecutorPreference(executor) {
            try checkIsEmpty()
            var reader = try BackupReader(file)
            let missing = missingFolders
            for folder in missing {
                guard mkdir(folder, 0o700) == 0 else {
                    throw BackupError(errno, .cannotWrite, "Cannot write", folder)
                }
            }
            // `rmdir` removes a folder only if it is empty, that is, if nothing was restored.
            defer { for folder in missing.reversed() { rmdir(folder) } }
            let draft = data + Self.draftSuffix
            return try await DraftFolder.with(
                draft, names: [BackupManifest.data, BackupManifest.configuration]
            ) {
                try await restore(&reader, through: draft, onProgress)
            }
        }
    }

    // MARK: - Private

    private func restore(
        _ reader: inout BackupReader, through draft: String,
        _ onProgress: @Sendable (Int) -> Void
    ) async throws -> Result {
        let manifest = reader.manifest
        try unpack(&reader, into: draft) { onProgress(Self.share($0, of: manifest.size)) }
        let log = try await checkDatabases(manifest, in: draft)
        try formats.check("\(draft)/\(BackupManifest.data)") {
            "\(BackupManifest.data)/\($0) in \(file)"
        }
        let configured = try configurationFiles(in: draft)
        try publish(draft, manifest)
        for file in configured.new { try write(file) }
        return Result(
            report: BackupReport(file: file, bytes: reader.bytes, manifest, accessLog: log),
            configured: configured.new.map(\.path), kept: configured.kept)
    }

    /// The folders above the data directory that do not exist, the outermost first.
    private var missingFolders: [String] {
        var missing: [String] = []
        var folder = URL(filePath: data).deletingLastPathComponent()
        while folder.pathComponents.count > 1, access(folder.path(percentEncoded: false), F_OK) != 0
        {
            missing.append(folder.path(percentEncoded: false))
            folder = folder.deletingLastPathComponent()
        }
        return missing.reversed()
    }

    private static func share(_ done: Int64, of total: Int64) -> Int {
        total > 0 ? Int(Double(done) / Double(total) * 1000) : 1000
    }

    private func checkIsEmpty() throws(BackupError) {
        var facts = stat()
        guard lstat(data, &facts) == 0 else { return }
        let names = try? FileManager.default.contentsOfDirectory(atPath: data)
        guard facts.st_mode & S_IFMT == S_IFDIR, names?.isEmpty == true else {
            throw notEmpty
        }
    }

    private var notEmpty: BackupError {
        BackupError(
            .exists, "\(data) is not an empty folder, and restore overwrites nothing.",
            hint: "Choose another directory with --data, or set this one aside: "
                + "mv \(data.shellQuoted) \("\(data).before".shellQuoted)")
    }

    private func unpack(
        _ reader: inout BackupReader, into draft: String, onProgress: (Int64) -> Void
    ) throws {
        let roots = [BackupManifest.data, BackupManifest.configuration]
        for folder in roots + reader.manifest.folders.map(\.path) {
            let path = "\(draft)/\(folder)"
            guard mkdir(path, 0o700) == 0 else {
                throw BackupError(errno, .cannotWrite, "Cannot write", path)
            }
        }
        var current: UnpackedFile?
        try reader.read { file, block, done in
            onProgress(done)
            let unpacked = try current ?? UnpackedFile("\(draft)/\(file.path)", mode: file.mode)
            guard block.isEmpty else {
                try unpacked.write(block)
                current = unpacked
                return
            }
            try unpacked.finish()
            current = nil
        }
    }

    /// Checks all databases.
    ///
    /// - Returns: the result of verifying the access log; `nil` if the backup has none.
    private func checkDatabases(
        _ manifest: BackupManifest, in draft: String
    ) async throws -> AccessLogReport? {
        for file in manifest.files where DataSnapshotMaker.isDatabase(file) {
            try await DatabaseCopy.check("\(draft)/\(file.path)", of: file.path)
        }
        let permissions = "\(draft)/\(BackupManifest.data)/\(Self.permissions)"
        return try await BackupWriter.accessLog(
            access(permissions, F_OK) == 0 ? permissions : nil)
    }

    private struct ConfigurationFile {
        let path: String
        let content: [UInt8]
    }

    private func configurationFiles(
        in draft: String
    ) throws(BackupError) -> (new: [ConfigurationFile], kept: [String]) {
        var (new, kept): ([ConfigurationFile], [String]) = ([], [])
        for name in BackupManifest.configurationFiles {
            let source = "\(draft)/\(BackupManifest.configuration)/\(name)"
            guard access(source, F_OK) == 0 else { continue }
            let content = try OpenFile.reading(source).read(OpenFile.blockSize)
            let path = "\(configuration)/\(name)"
            guard let existing = OpenFile.resolved(path) else {
                new.append(ConfigurationFile(path: path, content: content))
                continue
            }
            if try OpenFile.reading(existing).read(OpenFile.blockSize) != content {
                kept.append(path)
            }
        }
        return (new, kept)
    }

    private func write(_ file: ConfigurationFile) throws(BackupError) {
        do throws(FilesError) {
            try PrivateFolder.make(configuration)
            try DurableFile.replace(file.path, with: file.content)
        } catch {
            throw BackupError(error)
        }
    }

    /// Sets the modes of the folders, and gives the content the name of the data directory.
    private func publish(_ draft: String, _ manifest: BackupManifest) throws(BackupError) {
        for folder in manifest.folders.reversed() {
            let path = "\(draft)/\(folder.path)"
            try synchronise(path + "/")
            guard chmod(path, folder.mode) == 0 else {
                throw BackupError(errno, .cannotWrite, "Cannot write", path)
            }
        }
        let content = "\(draft)/\(BackupManifest.data)"
        try synchronise(content + "/")
        guard rename(content, data) == 0 else {
            guard ![EEXIST, ENOTEMPTY, ENOTDIR].contains(errno) else { throw notEmpty }
            throw BackupError(errno, .cannotWrite, "Cannot write", data)
        }
        try synchronise(data)
    }

    /// Flushes the folder of a path.
    private func synchronise(_ path: String) throws(BackupError) {
        do throws(FilesError) {
            try DurableFile.synchroniseFolder(of: path)
        } catch {
            throw BackupError(error)
        }
    }
}

/// A file that is being restored.
private final class UnpackedFile {
    private let file: OpenFile
    private let mode: UInt32

    init(_ path: String, mode: UInt32) throws(BackupError) {
        file = try OpenFile.creating(path)
        self.mode = mode
    }

    func write(_ block: [UInt8]) throws(BackupError) { try file.write(block) }

    func finish() throws(BackupError) {
        try file.sync()
        guard chmod(file.path, mode) == 0 else {
            throw BackupError(errno, .cannotWrite, "Cannot write", file.path)
        }
    }
}
