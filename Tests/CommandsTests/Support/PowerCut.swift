import Foundation

/// A library that is preloaded into a host, and simulates a power cut or a full disk.
///
/// It records which bytes of the data directory would survive; `Tests/PowerCut/power-cut.c` describes the model.
final class PowerCut {
    private let sandbox: Sandbox
    private let library: String
    private let state: String
    private let full: String

    struct CannotCompile: Error {
        let errors: String
    }

    init(_ sandbox: Sandbox) throws {
        self.sandbox = sandbox
        library = sandbox.path("power-cut.so")
        state = sandbox.path("power-cut")
        full = sandbox.path("disk-is-full")
        for folder in [sandbox.data, "\(state)/files"] {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
        let source = "\(Binary.repository)/Tests/PowerCut/power-cut.c"
        let call = try Invocation(
            "/usr/bin/cc", ["-shared", "-fPIC", "-O1", "-o", library, source],
            environment: sandbox.environment)
        guard call.code == 0 else { throw CannotCompile(errors: call.errors) }
    }

    /// The environment of the program whose power is cut.
    var environment: [String: String] {
        [
            "LD_PRELOAD": library, "POWER_CUT_FOLDER": sandbox.data, "POWER_CUT_STATE": state,
            "POWER_CUT_FULL": full,
        ]
    }

    func fillDisk() throws {
        try Data().write(to: URL(filePath: full))
    }

    func freeDisk() throws {
        try FileManager.default.removeItem(atPath: full)
    }

    /// Reduces the files directly in the data directory to what was synced.
    ///
    /// The host must have been killed.
    func discardUnsynced() throws {
        let manager = FileManager.default
        let names = try String(contentsOfFile: "\(state)/names", encoding: .utf8)
            .split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
        for name in try manager.contentsOfDirectory(atPath: sandbox.data) {
            let path = "\(sandbox.data)/\(name)"
            let type = try manager.attributesOfItem(atPath: path)[.type] as? FileAttributeType
            if type == .typeRegular { try manager.removeItem(atPath: path) }
        }
        for entry in names where entry.count == 2 {
            let isMade = manager.createFile(
                atPath: "\(sandbox.data)/\(entry[1])",
                contents: manager.contents(atPath: "\(state)/files/\(entry[0])") ?? Data(),
                attributes: [.posixPermissions: 0o600])
            guard isMade else { throw POSIXError(.EIO) }
        }
    }
}
