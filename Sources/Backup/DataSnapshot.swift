import Files
import Foundation
import Glibc
import Samples
import Scheduling
import Sealing

/// Copies of everything in a data directory, in a draft folder.
struct DataSnapshot: Sendable {
    /// A copy of a file.
    struct Item: Sendable {
        /// What the manifest says about it.
        let file: BackupManifest.File
        /// Where the copy is.
        let copy: String
        /// Seconds since 1970.
        let modified: Int64
    }

    fileprivate(set) var folders: [BackupManifest.Folder] = []
    fileprivate(set) var items: [Item] = []
    /// The names of the entries that were not copied, because they are neither files nor folders.
    fileprivate(set) var omitted: [String] = []

    /// The copy of a file of the data directory, by its name there.
    func copy(of name: String) -> String? {
        items.first { $0.file.path == "\(BackupManifest.data)/\(name)" }?.copy
    }
}

/// Makes the copies of a ``DataSnapshot``.
///
/// Databases are copied through SQLite. Every other entry of the data directory is copied file by file; if
/// anything in the entry has changed meanwhile, the whole entry is copied again. So the copy of an app is
/// either the installed version or its update, never a mixture.
struct DataSnapshotMaker {
    /// How often an entry that keeps changing is copied before the backup fails.
    private static let attempts = 10

    private let data: String
    private let draft: String
    private let time: any TimeSource
    private let onProgress: @Sendable (_ done: Int64, _ total: Int64) -> Void
    private var snapshot = DataSnapshot()
    private var done: Int64 = 0
    private let total: Int64

    /// - Parameters:
    ///   - data: the data directory.
    ///   - draft: an existing folder for the copies.
    ///   - onProgress: called with bytes.
    init(
        data: String, draft: String, time: any TimeSource,
        onProgress: @escaping @Sendable (_ done: Int64, _ total: Int64) -> Void
    ) throws(BackupError) {
        (self.data, self.draft, self.time) = (data, draft, time)
        self.onProgress = onProgress
        var total: Int64 = 0
        for name in try Self.names(in: data) {
            total += try Self.list(name, in: data).reduce(0) { $0 + $1.size }
        }
        self.total = total
    }

    /// Copies everything.
    ///
    /// - Parameter configuration: the files of the configuration; those that do not exist are left out.
    /// - Throws: ``BackupError``, `CancellationError`.
    consuming func make(configuration: [String]) async throws -> DataSnapshot {
        let names = try Self.names(in: data)
        for name in names where !Self.isDatabase(name) { try await copyEntry(name) }
        for path in configuration {
            let name = URL(filePath: path).lastPathComponent
            // The owner may keep the file elsewhere, and link to it.
            guard BackupManifest.configurationFiles.contains(name),
                let file = OpenFile.resolved(path)
            else { continue }
            snapshot.items.append(
                try copyFile(file, as: "\(BackupManifest.configuration)/\(name)"))
        }
        // The small databases first: the samples of every session are then in the copy of the store.
        let databases = names.filter(Self.isDatabase)
        for name in databases where name != Self.store { try await copyDatabase(name) }
        if databases.contains(Self.store) { try await copyDatabase(Self.store) }
        return snapshot
    }

    // MARK: - What is copied

    private static let store = "samples.sqlite"
    private static let suffix = ".sqlite"

    /// Whether an entry of the data directory is a database that a host may be writing.
    private static func isDatabase(_ name: String) -> Bool { name.hasSuffix(suffix) }

    /// Whether a file of a backup is a database.
    static func isDatabase(_ file: BackupManifest.File) -> Bool {
        let names = file.path.split(separator: "/")
        return names.count == 2 && names[0] == BackupManifest.data && isDatabase(String(names[1]))
    }

    /// The keys of this host: that of secrets, and that of the access log, with which whoever has the backup could
    /// seal later entries.
    private static let hostKeys = [SecretStore.hostKeyName, "access-log.seal"]

    /// Whether an entry of the data directory is not copied: the lock of the running host, its keys, the logs of
    /// databases, reserved space, files that are being written, and copies from before an upgrade.
    private static func isTemporary(_ name: String) -> Bool {
        name == "host.lock" || hostKeys.contains(name) || name == UpgradeCopy.folder
            || name.contains("\(suffix).new") || isDraft(name)
            || ["-wal", "-shm", "-journal", "-reserve"].contains { name.hasSuffix(suffix + $0) }
    }

    /// Whether an entry of the data directory or of one of its folders is being written.
    private static func isDraft(_ name: String) -> Bool {
        name.hasPrefix(".staging-") || name.contains(/\.new-[0-9a-f]{1,16}$/)
    }

    /// The names of the entries of the data directory that are copied, in order.
    static func names(in data: String) throws(BackupError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: data)
                .filter { !isTemporary($0) }.sorted()
        } catch {
            throw BackupError(.unreadable, "Cannot read the folder \(data).", cause: error)
        }
    }

    /// A file or folder, with the properties that change whenever its content changes.
    private struct Entry: Equatable {
        let path: String
        let type: UInt32
        let mode: UInt32
        let size: Int64
        let number: UInt
        let changed: Int64
        let changedNanoseconds: Int

        init?(_ path: String, in data: String) {
            var facts = stat()
            guard lstat("\(data)/\(path)", &facts) == 0 else { return nil }
            self.path = path
            type = facts.st_mode & S_IFMT
            mode = facts.st_mode & 0o777
            size = type == S_IFREG ? Int64(facts.st_size) : 0
            number = UInt(facts.st_ino)
            changed = Int64(facts.st_ctim.tv_sec)
            changedNanoseconds = facts.st_ctim.tv_nsec
        }
    }

    /// An entry of the data directory and everything below it, folders before their content.
    ///
    /// What is removed meanwhile is left out.
    private static func list(_ path: String, in data: String) throws(BackupError) -> [Entry] {
        guard let entry = Entry(path, in: data) else { return [] }
        guard entry.type == S_IFDIR else { return [entry] }
        var found = [entry]
        let folder = "\(data)/\(path)"
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            guard access(folder, F_OK) != 0 else {
                throw BackupError(.unreadable, "Cannot read the folder \(folder).")
            }
            return []
        }
        // The files of apps are in deeper folders and may have any name.
        let isTop = !path.contains("/")
        for name in names.sorted() where !isTop || !isDraft(name) {
            found += try list("\(path)/\(name)", in: data)
        }
        return found
    }

    // MARK: - Copying

    private mutating func copyEntry(_ name: String) async throws {
        for _ in 0..<Self.attempts {
            let before = try Self.list(name, in: data)
            let kept = (snapshot, done)
            if try copy(before), try Self.list(name, in: data) == before { return }
            (snapshot, done) = kept
            try await time.sleep(for: .milliseconds(100))
        }
        throw BackupError(
            .busy, "\(data)/\(name) keeps changing and cannot be copied.", hint: "Try again.")
    }

    /// - Returns: whether every file was still there.
    private mutating func copy(_ entries: [Entry]) throws -> Bool {
        for entry in entries {
            let path = "\(BackupManifest.data)/\(entry.path)"
            switch entry.type {
            case S_IFDIR:
                snapshot.folders.append(BackupManifest.Folder(path: path, mode: entry.mode))
            case S_IFREG:
                do {
                    snapshot.items.append(try copyFile("\(data)/\(entry.path)", as: path))
                } catch let error as BackupError where error.code == .missing {
                    return false
                }
            default: snapshot.omitted.append(entry.path)
            }
        }
        return true
    }

    private mutating func copyFile(_ path: String, as name: String) throws -> DataSnapshot.Item {
        let source = try OpenFile.reading(path)
        let facts = try source.facts
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw BackupError(.missing, "\(path) is not a file.")
        }
        let copyPath = nextCopyPath
        // Removes the copy of an earlier attempt, during which the entry changed.
        unlink(copyPath)
        let copy = try OpenFile.creating(copyPath)
        var digest = ContentDigest()
        try source.readAll { block in
            try copy.write(block)
            digest.add(block)
            onProgress(done + digest.count, total)
        }
        done += digest.count
        return DataSnapshot.Item(
            file: BackupManifest.File(
                path: name, size: digest.count, sha256: digest.finish(),
                mode: facts.st_mode & 0o777),
            copy: copyPath, modified: Int64(facts.st_mtim.tv_sec))
    }

    private mutating func copyDatabase(_ name: String) async throws {
        let path = "\(data)/\(name)"
        let copyPath = nextCopyPath
        let (start, total, onProgress) = (done, total, onProgress)
        try await DatabaseCopy(path: path, time: time).make(at: copyPath) { bytes in
            onProgress(min(start + bytes, total), total)
        }
        try await DatabaseCopy.check(copyPath, of: path)
        var digest = ContentDigest()
        try OpenFile.reading(copyPath).readAll { digest.add($0) }
        done += digest.count
        snapshot.items.append(
            DataSnapshot.Item(
                file: BackupManifest.File(
                    path: "\(BackupManifest.data)/\(name)", size: digest.count,
                    sha256: digest.finish(), mode: 0o600),
                copy: copyPath, modified: time.now().microseconds / 1_000_000))
    }

    /// Copies have numbers as names.
    private var nextCopyPath: String { "\(draft)/\(snapshot.items.count)" }
}
