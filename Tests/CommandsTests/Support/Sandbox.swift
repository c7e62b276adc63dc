import Foundation

/// The files of one test: empty home, data and runtime folders, removed afterwards.
final class Sandbox: Sendable {
    let root: String
    /// The address of a session bus that programs find.
    private let bus: String?
    /// The address of the system bus; `nil` for none.
    private let systemBus: String?
    var data: String { "\(root)/data" }

    init(bus: String? = nil, systemBus: String? = nil) throws {
        (self.bus, self.systemBus) = (bus, systemBus)
        var template = Array("/tmp/nervous-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
        root = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        for folder in ["home", "run"] { mkdir("\(root)/\(folder)", 0o700) }
    }

    deinit {
        // Installed folders are read-only: only root can remove their contents.
        for name in (FileManager.default.subpaths(atPath: root) ?? []) {
            let path = "\(root)/\(name)"
            let type = try? FileManager.default.attributesOfItem(atPath: path)[.type]
            if type as? FileAttributeType == .typeDirectory { chmod(path, 0o700) }
        }
        try? FileManager.default.removeItem(atPath: root)
    }

    var environment: [String: String] {
        let found = bus.map { ["DBUS_SESSION_BUS_ADDRESS": $0] } ?? [:]
        return [
            "HOME": "\(root)/home", "XDG_RUNTIME_DIR": "\(root)/run", "NERVOUS_DATA": data,
            "PATH": "/usr/bin:/bin", "TERM": "dumb", "TZ": "UTC", "LC_ALL": "C.UTF-8",
            "DBUS_SYSTEM_BUS_ADDRESS": systemBus ?? "unix:path=\(root)/run/system-bus",
        ].merging(found) { $1 }
    }

    /// A path in the sandbox.
    func path(_ name: String) -> String { "\(root)/\(name)" }

    /// Writes `config.json`.
    func configure(_ text: String) throws {
        let folder = path("home/.config/nervous")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try text.write(toFile: "\(folder)/config.json", atomically: true, encoding: .utf8)
    }

    /// Every file below the data directory's apps, to show that nothing was left behind.
    var installedFiles: [String] {
        let found = FileManager.default.enumerator(atPath: "\(data)/apps")?.allObjects ?? []
        return found.compactMap { $0 as? String }.sorted()
    }
}
