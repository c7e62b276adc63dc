import Samples
import Text

/// The list of everything in a backup: the first file of the archive.
struct BackupManifest: Sendable, Equatable {
    /// A file.
    struct File: Sendable, Equatable {
        /// Where it is in the archive, such as `data/samples.sqlite`.
        let path: String
        /// Bytes.
        let size: Int64
        /// 64 hexadecimal digits.
        let sha256: String
        /// The permission bits.
        let mode: UInt32
    }

    /// A folder, which may be empty.
    struct Folder: Sendable, Equatable {
        let path: String
        /// The permission bits.
        let mode: UInt32
    }

    static let format = "nervous-backup"
    /// The version of the format that this program writes, and the latest that it reads.
    static let version = 1
    /// The name of the file in the archive.
    static let path = "manifest.json"
    /// The last file of the archive: the hash of the manifest as `sha256sum` prints it.
    static let sumPath = "manifest.json.sha256"
    /// The folder of the archive with the content of the data directory.
    static let data = "data"
    /// The folder of the archive with the configuration.
    static let configuration = "config"
    /// The names of the files of the configuration.
    static let configurationFiles = ["config.json", "policy.json"]
    /// The maximum number of bytes of a manifest.
    static let largest = 64 << 20

    private static let pathBytes = 4096
    private static let fileLimit = 1_000_000
    private static let sizeLimit: Int64 = 1 << 50

    /// The version of the program that made the backup.
    let program: String
    /// When it was begun.
    let created: Timestamp
    let folders: [Folder]
    /// In the order of the archive.
    let files: [File]

    /// Bytes of all files.
    var size: Int64 { files.reduce(0) { $0 + $1.size } }

    func encoded() -> [UInt8] {
        let value = JSONValue([
            "format": JSONValue(Self.format), "version": JSONValue(Self.version),
            "program": JSONValue(program), "created": JSONValue("\(created)"),
            "folders": JSONValue(
                folders.map { folder in
                    JSONValue([
                        "path": JSONValue(folder.path), "mode": JSONValue(Self.text(folder.mode)),
                    ])
                }),
            "files": JSONValue(
                files.map { file in
                    JSONValue([
                        "path": JSONValue(file.path), "size": JSONValue(Int(file.size)),
                        "sha256": JSONValue(file.sha256), "mode": JSONValue(Self.text(file.mode)),
                    ])
                }),
        ])
        return Array((value.text() + "\n").utf8)
    }

    /// Reads the manifest of an archive.
    ///
    /// - Parameter backup: the name of the backup in the message of an error.
    /// - Returns: `nil` if the content is not a manifest as this program writes it.
    /// - Throws: `newer` for a later version of the format.
    init?(parsing bytes: [UInt8], of backup: String) throws(BackupError) {
        let parser = StrictJSON(maximumBytes: Self.largest)
        guard let root = try? parser.parse(bytes), root["format"]?.string == Self.format,
            let version = root["version"]?.number?.int64
        else { return nil }
        let program = root["program"]?.string.map { $0.escapedForDisplay(limit: 40) }
        guard version <= Self.version else {
            throw BackupError(
                .newer,
                "\(backup) has version \(version) of the format of backups; this program reads "
                    + "versions up to \(Self.version).",
                hint: "Restore it with Nervous \(program ?? "") or later.")
        }
        guard let program, let created = root["created"]?.string.flatMap(Timestamp.init(rfc3339:)),
            let folders = Self.all(root["folders"], Folder.init),
            let files = Self.all(root["files"], File.init), files.count <= Self.fileLimit
        else { return nil }
        (self.program, self.created, self.folders, self.files) = (program, created, folders, files)
        guard isConsistent else { return nil }
    }

    init(program: String, created: Timestamp, folders: [Folder], files: [File]) {
        (self.program, self.created, self.folders, self.files) = (program, created, folders, files)
    }

    /// Whether each path occurs once, and after the path of the folder that contains it.
    private var isConsistent: Bool {
        var known: Set = [Self.data, Self.configuration]
        for folder in folders {
            guard let parent = Self.parent(of: folder.path), known.contains(parent),
                known.insert(folder.path).inserted
            else { return false }
        }
        var names = known
        for file in files {
            guard let parent = Self.parent(of: file.path), known.contains(parent),
                names.insert(file.path).inserted
            else { return false }
        }
        return true
    }

    /// The folder of a path; `nil` for a path that is not allowed.
    private static func parent(of path: String) -> String? {
        let names = path.split(separator: "/", omittingEmptySubsequences: false)
        let isSafe = names.allSatisfy {
            !$0.isEmpty && $0 != "." && $0 != ".." && !$0.utf8.contains(0)
        }
        guard isSafe, names.count > 1, path.utf8.count <= pathBytes else { return nil }
        if names[0] == configuration {
            guard names.count == 2, configurationFiles.contains(String(names[1])) else {
                return nil
            }
        }
        return names.dropLast().joined(separator: "/")
    }

    private static func all<Item>(
        _ list: JSONValue?, _ item: (JSONValue) -> Item?
    ) -> [Item]? {
        guard let values = list?.array else { return nil }
        let items = values.compactMap(item)
        return items.count == values.count ? items : nil
    }

    private static func text(_ mode: UInt32) -> String { String(mode & 0o777, radix: 8) }

    fileprivate static func mode(_ value: JSONValue?) -> UInt32? {
        value?.string.flatMap { UInt32($0, radix: 8) }.flatMap { $0 <= 0o777 ? $0 : nil }
    }

    fileprivate static func size(_ value: JSONValue?) -> Int64? {
        value?.number?.int64.flatMap { (0...sizeLimit).contains($0) ? $0 : nil }
    }
}

extension BackupManifest.Folder {
    fileprivate init?(_ value: JSONValue) {
        guard let path = value["path"]?.string, let mode = BackupManifest.mode(value["mode"]) else {
            return nil
        }
        self.init(path: path, mode: mode)
    }
}

extension BackupManifest.File {
    fileprivate init?(_ value: JSONValue) {
        guard let path = value["path"]?.string, let size = BackupManifest.size(value["size"]),
            let sha256 = value["sha256"]?.string, sha256.wholeMatch(of: /[0-9a-f]{64}/) != nil,
            let mode = BackupManifest.mode(value["mode"])
        else { return nil }
        self.init(path: path, size: size, sha256: sha256, mode: mode)
    }
}
