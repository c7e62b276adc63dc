public import Auth
import Files
import Foundation
import Glibc
public import Samples
public import Scheduling

/// Writes everything in a data directory to one file, also while a host uses it.
///
/// ```swift
/// let writer = BackupWriter(
///     data: "/home/me/.local/share/nervous", configuration: ["/home/me/.config/nervous/config.json"],
///     program: "1.0.0")
/// let report = try await writer.write(to: "/media/me/disk/nervous.backup")
/// ```
public struct BackupWriter: Sendable {
    private static let draftSuffix = ".part"
    private static let archiveName = "archive"
    private static let contentName = "content"
    private static let permissions = "permissions.sqlite"
    /// The phases of the work, in each of which all bytes are processed once: copying, packing, reading.
    private static let phases = 3

    private let data: String
    private let configuration: [String]
    private let program: String
    private let time: any TimeSource
    private let executor = BlockingExecutor(label: "backup")

    /// - Parameters:
    ///   - data: the data directory.
    ///   - configuration: the paths of `config.json` and `policy.json`, which need not exist.
    ///   - program: the version of this program.
    public init(
        data: String, configuration: [String], program: String, time: any TimeSource = .system
    ) {
        (self.data, self.configuration) = (data, configuration)
        (self.program, self.time) = (program, time)
    }

    /// Writes the backup, reads it back, and then gives the file its name.
    ///
    /// The backup contains all samples that were acknowledged before this call. The file has mode 0600.
    /// Until it is complete, there is a folder `PATH.part` beside it; if this throws, neither remains.
    ///
    /// - Parameter onProgress: called with the completed part of the work, in thousandths.
    /// - Throws: ``BackupError``; `CancellationError`.
    public func write(
        to path: String, onProgress: @escaping @Sendable (_ thousandths: Int) -> Void = { _ in }
    ) async throws -> BackupReport {
        try await withTaskExecutorPreference(executor) {
            try checkData()
            try checkDestination(path)
            let draft = path + Self.draftSuffix
            return try await DraftFolder.with(draft, names: [Self.archiveName, Self.contentName]) {
                try await write(to: path, draft: draft, onProgress)
            }
        }
    }

    /// The result of verifying the access log in a database; `nil` without a database.
    static func accessLog(_ database: String?) async throws -> AccessLogReport? {
        guard let database else { return nil }
        return try await AccessLogVerification(path: database, hasState: false).run()
    }

    // MARK: - Private

    private func write(
        to path: String, draft: String, _ onProgress: @escaping @Sendable (Int) -> Void
    ) async throws -> BackupReport {
        let created = time.now()
        let content = "\(draft)/\(Self.contentName)"
        guard mkdir(content, 0o700) == 0 else {
            throw BackupError(errno, .cannotWrite, "Cannot write", content)
        }
        let snapshot = try await DataSnapshotMaker(data: data, draft: content, time: time) {
            Self.report($0, of: $1, phase: 0, onProgress)
        }.make(configuration: configuration)
        let log = try await Self.accessLog(snapshot.copy(of: Self.permissions))
        let manifest = BackupManifest(
            program: program, created: created, folders: snapshot.folders,
            files: snapshot.items.map(\.file))
        let archive = "\(draft)/\(Self.archiveName)"
        try pack(manifest, snapshot.items, into: archive) {
            Self.report($0, of: manifest.size, phase: 1, onProgress)
        }
        var reader = try BackupReader(archive)
        guard reader.manifest == manifest else {
            throw BackupError(.damaged, "\(path) was read back with other content.")
        }
        try reader.read { _, _, done in
            Self.report(done, of: manifest.size, phase: 2, onProgress)
        }
        try publish(archive, as: path)
        return BackupReport(
            file: path, bytes: reader.bytes, manifest, accessLog: log, omitted: snapshot.omitted)
    }

    private static func report(
        _ done: Int64, of total: Int64, phase: Int, _ onProgress: (Int) -> Void
    ) {
        let share = total > 0 ? min(1, Double(done) / Double(total)) : 1
        onProgress(Int((Double(phase) + share) / Double(phases) * 1000))
    }

    private func checkData() throws(BackupError) {
        guard access(data, F_OK) == 0 else {
            throw BackupError(
                .missing, "The data directory \(data) does not exist.",
                hint: "Name another with --data DIR.")
        }
        guard try !DataSnapshotMaker.names(in: data).isEmpty else {
            throw BackupError(.missing, "The data directory \(data) is empty.")
        }
    }

    private func checkDestination(_ path: String) throws(BackupError) {
        var facts = stat()
        guard lstat(path, &facts) != 0 else {
            throw BackupError(
                .exists, "\(path) already exists.", hint: "Remove it or choose another name.")
        }
        let folder = OpenFile.resolved(
            URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false))
        let (inside, around) = (folder.map { $0 + "/" }, OpenFile.resolved(data).map { $0 + "/" })
        guard let inside, let around else {
            throw BackupError(.cannotWrite, "The folder of \(path) does not exist.")
        }
        guard !inside.hasPrefix(around) else {
            throw BackupError(
                .cannotWrite, "\(path) is in the data directory that is to be backed up.",
                hint: "Choose another folder, preferably on another disk.")
        }
    }

    private func pack(
        _ manifest: BackupManifest, _ items: [DataSnapshot.Item], into archive: String,
        onProgress: (Int64) -> Void
    ) throws {
        let tar = TarWriter(try OpenFile.creating(archive))
        let text = manifest.encoded()
        let now = manifest.created.microseconds / 1_000_000
        try tar.add(Self.entry(BackupManifest.path, text, now), text)
        var done: Int64 = 0
        for item in items {
            let entry = TarEntry(
                path: item.file.path, size: item.file.size, mode: item.file.mode,
                modified: item.modified)
            try tar.add(entry, from: OpenFile.reading(item.copy)) { block in
                try Task.checkCancellation()
                done += Int64(block.count)
                onProgress(done)
            }
            // Removed now, so that the disk never needs space for all copies and the whole archive.
            unlink(item.copy)
        }
        let sum = BackupReader.sum(of: text)
        try tar.add(Self.entry(BackupManifest.sumPath, sum, now), sum)
        try tar.end()
    }

    private static func entry(_ path: String, _ bytes: [UInt8], _ modified: Int64) -> TarEntry {
        TarEntry(path: path, size: Int64(bytes.count), mode: 0o600, modified: modified)
    }

    /// Gives the archive its name, which must still be free.
    private func publish(_ archive: String, as path: String) throws(BackupError) {
        if link(archive, path) != 0 {
            // Some file systems of removable disks have no links.
            guard [EPERM, EOPNOTSUPP, ENOSYS].contains(errno), access(path, F_OK) != 0,
                rename(archive, path) == 0
            else { throw BackupError(errno, .cannotWrite, "Cannot write", path) }
        }
        do throws(FilesError) {
            try DurableFile.synchroniseFolder(of: path)
        } catch {
            throw BackupError(error)
        }
    }
}

/// What a backup contains.
public struct BackupReport: Sendable {
    /// The file.
    public let file: String
    /// Its size.
    public let bytes: Int64
    /// When the backup was begun.
    public let created: Timestamp
    /// The version of the program that made it.
    public let program: String
    /// The number of files in it.
    public let files: Int
    /// Bytes of all files in it.
    public let content: Int64
    /// The result of verifying the access log; `nil` if the backup has none.
    public let accessLog: AccessLogReport?
    /// The names of the entries that are not in the backup, because they are neither files nor folders.
    public let omitted: [String]

    init(
        file: String, bytes: Int64, _ manifest: BackupManifest, accessLog: AccessLogReport?,
        omitted: [String] = []
    ) {
        (self.file, self.bytes, self.omitted) = (file, bytes, omitted)
        (created, program) = (manifest.created, manifest.program)
        (files, content) = (manifest.files.count, manifest.size)
        self.accessLog = accessLog
    }
}
