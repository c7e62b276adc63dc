import Foundation
import GRDB
import Glibc

/// A folder of one test with a data directory to back up; removed afterwards.
final class BackupFolder: Sendable {
    let root: String
    var data: String { "\(root)/data" }
    var backup: String { "\(root)/backup.tar" }
    var configuration: String { "\(root)/config" }

    init() throws {
        var template = Array("/tmp/nervous-backup-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
        root = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        for name in FileManager.default.subpaths(atPath: root) ?? [] {
            let path = "\(root)/\(name)"
            let type = try? FileManager.default.attributesOfItem(atPath: path)[.type]
            if type as? FileAttributeType == .typeDirectory { chmod(path, 0o700) }
        }
        try? FileManager.default.removeItem(atPath: root)
    }

    /// Fills the data directory with everything that one can contain, and what a backup leaves out.
    func fill() throws {
        for folder in ["", "apps", "apps/demo", "apps/demo/content", "empty", "outbox"] {
            try make("data/\(folder)")
        }
        try make("config")
        for (name, text) in Self.files { try write(text, to: "data/\(name)") }
        let deep = "apps/demo/content/" + Self.longName
        try make("data/apps/demo/content/\(Self.longFolder)")
        try write("deep", to: "data/\(deep)")
        for name in Self.leftOut { try write("left out", to: "data/\(name)") }
        try write(#"{"gpsd": {}}"#, to: "config/config.json")
        try database("samples.sqlite", rows: 500)
        try database("sessions.sqlite", rows: 3)
        for folder in ["apps/demo/content", "apps/demo"] { chmod("\(data)/\(folder)", 0o555) }
    }

    /// A folder whose name, with those above, is longer than the header of a tar archive can hold.
    private static let longFolder = String(repeating: "ä", count: 100)
    private static let longName = "\(longFolder)/名前"

    private static let files = [
        "declared-sensors.json": #"{"version": 1}"#, "apps/demo/index.json": "{}",
        "apps/demo/content/app.js": "1", "outbox/1.body": "",
        // What an app calls its files does not matter.
        "apps/demo/content/host.lock": "an app's", "apps/demo/content/a.new-1": "an app's",
        "apps/demo/content/x.sqlite-wal": "an app's",
    ]

    /// What belongs to a running host, or is unfinished.
    static let leftOut = [
        "host.lock", "samples.sqlite-reserve", "apps/.staging-1", "outbox/2.json.new-0f",
        "clock-offsets.json.new-1", "app-storage.sqlite.new",
    ]

    func make(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: "\(root)/\(name)", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(root)/\(name)"))
        chmod("\(root)/\(name)", 0o600)
    }

    /// Creates a database of the data directory in the mode that the host uses.
    @discardableResult
    func database(_ name: String, rows: Int) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.journalMode = .wal
        let queue = try DatabaseQueue(path: "\(data)/\(name)", configuration: configuration)
        try queue.write { database in
            try database.execute(sql: "CREATE TABLE row (id INTEGER PRIMARY KEY, text TEXT)")
            for row in 0..<rows {
                try database.execute(
                    sql: "INSERT INTO row (text) VALUES (?)", arguments: ["\(row)"])
            }
        }
        return queue
    }

    static func rows(in path: String) throws -> Int {
        try DatabaseQueue(path: path).read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM row") ?? 0
        }
    }

    /// The names, modes and contents of everything in a folder, without databases and what is left out.
    static func content(of folder: String) throws -> [String: String] {
        var found: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            let isDatabase = !name.contains("/") && name.contains(".sqlite")
            guard !isDatabase, !leftOut.contains(name) else { continue }
            let path = "\(folder)/\(name)"
            let facts = try FileManager.default.attributesOfItem(atPath: path)
            let mode = (facts[.posixPermissions] as? NSNumber)?.intValue ?? 0
            let isFolder = facts[.type] as? FileAttributeType == .typeDirectory
            let text = isFolder ? "folder" : try String(contentsOfFile: path, encoding: .utf8)
            found[name] = "\(String(mode, radix: 8)) \(text)"
        }
        return found
    }

    /// The names in the folder of the test.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: root).sorted() }
    }
}
