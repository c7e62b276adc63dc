import Databases
import Files
import Foundation
import GRDB
import Glibc
import Samples
public import Scheduling
import Text

/// The formats of the files in a data directory that a program reads, and what it does about other formats.
///
/// The format of a database is the number of migrations that were applied to it.
///
/// ```swift
/// let formats = DataFormats(
///     program: "1.2.0", databases: ["samples.sqlite": ["tail", "chunks"]],
///     files: ["declared-sensors.json": 1])
/// try formats.check("/home/me/.local/share/nervous")
/// ```
public struct DataFormats: Sendable {
    /// How long copies of migrated databases are kept.
    public static let copyLifetime = Duration.seconds(30 * 86_400)
    private static let largestFile = 16 << 20
    /// The free space that must remain after a copy.
    private static let spare: Int64 = 64 << 20

    private let program: String
    private let databases: [String: [String]]
    private let files: [String: Int]

    /// What was done before databases are migrated.
    public struct Preparation: Sendable, Equatable {
        /// The paths of the copies that were made.
        public var copies: [String] = []
        /// The paths of the databases without a copy, each with the reason.
        public var failures: [String: String] = [:]
    }

    /// - Parameters:
    ///   - program: the version of the program.
    ///   - databases: the migrations of each database, in order, by its name in the data directory.
    ///   - files: the latest version of each JSON file that has a member `version`, by the file's name in
    ///     the data directory.
    public init(program: String, databases: [String: [String]], files: [String: Int]) {
        (self.program, self.databases, self.files) = (program, databases, files)
    }

    /// Checks that no file has a later format than this program reads.
    ///
    /// Missing and damaged files are ignored.
    ///
    /// - Parameter label: the name of a file in the message; its path by default.
    /// - Throws: ``BackupError`` with `newerData`.
    public func check(
        _ data: String, label: (String) -> String? = { _ in nil }
    ) throws(BackupError) {
        try check(data, appliedMigrations(in: data), label: label)
    }

    private func check(
        _ data: String, _ applied: [String: [String]], label: (String) -> String?
    ) throws(BackupError) {
        for (name, found) in applied.sorted(by: { $0.key < $1.key }) {
            guard let known = databases[name] else { continue }
            let unknown = Set(found).subtracting(known).count
            guard unknown > 0 else { continue }
            throw newer(
                label(name) ?? "\(data)/\(name)", max(found.count, known.count + unknown),
                reads: known.count)
        }
        for name in files.keys.sorted() {
            guard let known = files[name], let version = Self.version(of: "\(data)/\(name)"),
                version > known
            else { continue }
            throw newer(label(name) ?? "\(data)/\(name)", version, reads: known)
        }
    }

    /// Checks the formats, and copies the databases that are about to be migrated.
    ///
    /// The copies are in the folder `before-upgrade`. Earlier copies of the same database are removed, and
    /// all copies older than ``copyLifetime``. A database is not copied if the disk has too little space.
    ///
    /// - Throws: ``BackupError`` with `newerData`; `CancellationError`.
    public func prepareUpgrade(
        of data: String, time: any TimeSource = .system
    ) async throws -> Preparation {
        let applied = appliedMigrations(in: data)
        try check(data, applied) { _ in nil }
        let oldest = time.now().advanced(by: .zero - Self.copyLifetime)
        UpgradeCopy.removeAll(in: data, before: oldest.microseconds / 1_000_000)
        var preparation = Preparation()
        for (name, found) in applied.sorted(by: { $0.key < $1.key }) where isOutdated(name, found) {
            let path = "\(data)/\(name)"
            do {
                if let copy = try await copy(path, name, time) { preparation.copies.append(copy) }
            } catch let error as BackupError {
                preparation.failures[path] = error.message
            }
        }
        return preparation
    }

    // MARK: - Private

    private func newer(_ path: String, _ format: Int, reads known: Int) -> BackupError {
        BackupError(
            .newerData,
            "\(path) has format \(format); this program, Nervous \(program), reads formats up to "
                + "\(known).",
            hint:
                "Install the version of Nervous that wrote it, or a later one. See docs/upgrading.md."
        )
    }

    /// Whether a database with these migrations is about to be migrated.
    private func isOutdated(_ name: String, _ applied: [String]?) -> Bool {
        guard let known = databases[name], let applied, !applied.isEmpty else { return false }
        return !Set(known).isSubset(of: applied)
    }

    /// The applied migrations of the databases that exist and can be read.
    private func appliedMigrations(in data: String) -> [String: [String]] {
        var found: [String: [String]] = [:]
        for name in databases.keys { found[name] = Self.migrations(in: "\(data)/\(name)") }
        return found
    }

    /// - Returns: the path of the copy; `nil` if another process has migrated the database meanwhile.
    private func copy(_ path: String, _ name: String, _ time: any TimeSource) async throws
        -> String?
    {
        let size = ((try? FileManager.default.attributesOfItem(atPath: path)[.size]) as? NSNumber)?
            .int64Value
        guard DiskReserve.free(at: path) > (size ?? 0) + Self.spare else {
            throw BackupError(.diskFull, "There is not enough free space for a copy of \(path).")
        }
        let copy = UpgradeCopy.path(of: path)
        do throws(FilesError) {
            try PrivateFolder.make(
                URL(filePath: copy).deletingLastPathComponent().path(percentEncoded: false))
        } catch {
            throw BackupError(error)
        }
        let draft = "\(copy).new-\(RandomName.make())"
        defer { unlink(draft) }
        try await DatabaseCopy(path: path, time: time).make(at: draft) { _ in }
        chmod(draft, 0o600)
        guard isOutdated(name, Self.migrations(in: draft)) else { return nil }
        guard rename(draft, copy) == 0 else {
            throw BackupError(errno, .cannotWrite, "Cannot write", copy)
        }
        return copy
    }

    /// The applied migrations of a database; `nil` if it does not exist or cannot be read.
    private static func migrations(in path: String) -> [String]? {
        guard access(path, F_OK) == 0, DatabaseFile.headerFault(of: path) == nil else { return nil }
        return try? DatabaseFile.openForReading(path).read { database in
            guard try database.tableExists("grdb_migrations") else { return [] }
            return try String.fetchAll(database, sql: "SELECT identifier FROM grdb_migrations")
        }
    }

    /// The version of a JSON file; `nil` if it does not exist or has none.
    private static func version(of path: String) -> Int? {
        guard let file = try? OpenFile.reading(path), let bytes = try? file.read(largestFile),
            let root = try? StrictJSON(maximumBytes: largestFile).parse(bytes)
        else { return nil }
        return root["version"]?.number?.int64.map(Int.init)
    }
}
