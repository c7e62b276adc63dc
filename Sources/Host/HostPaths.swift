import Auth
import Foundation

/// Where a host keeps what it keeps.
struct HostPaths: Sendable {
    /// The data directory, absolute.
    let data: String
    /// The file that sets what holds for every command; it need not be there.
    let configuration: String
    /// The files that say what nobody is given: the machine's, then the person's own; neither need be
    /// there.
    let policies: [String]
    /// The socket over which commands reach the host that owns the data directory.
    let controlSocket: String
    /// The socket of a host that lives no longer than one command, which nobody else is to reach.
    var privateSocket: String { "\(controlSocket).\(getpid())" }

    /// - Parameters:
    ///   - option: what `--data` says, before `NERVOUS_DATA` and the XDG default.
    ///   - environment: of the process.
    init(option: String?, environment: [String: String]) {
        let home = environment["HOME"] ?? NSHomeDirectory()
        let shared = Self.absolute(environment["XDG_DATA_HOME"]) ?? "\(home)/.local/share"
        let chosen = option ?? environment["NERVOUS_DATA"] ?? "\(shared)/nervous"
        data = URL(filePath: chosen).standardizedFileURL.path(percentEncoded: false).trimmedPath
        let settings = Self.absolute(environment["XDG_CONFIG_HOME"]) ?? "\(home)/.config"
        configuration = "\(settings)/nervous/config.json"
        policies = ["/etc/nervous/policy.json", "\(settings)/nervous/policy.json"]
        // The data directory's own path may be longer than a socket's can be.
        let runtime =
            Self.absolute(environment["XDG_RUNTIME_DIR"]).map { "\($0)/nervous" }
            ?? "/tmp/nervous-\(geteuid())"
        let name = Fingerprint.sha256(Array(data.utf8)).prefix(16)
        controlSocket = "\(runtime)/\(name).sock"
    }

    var samples: String { "\(data)/samples.sqlite" }
    var permissions: String { "\(data)/permissions.sqlite" }
    var sessions: String { "\(data)/sessions.sqlite" }
    var outbox: String { "\(data)/outbox" }
    var appStorage: String { Authority.storagePath(besides: permissions) }
    var sensorPacks: String { "\(data)/sensor-packs" }
    var apps: URL { URL(filePath: "\(data)/apps") }
    var runs: URL { URL(filePath: "\(data)/runs") }

    /// Makes the folder of the socket, which only this user may enter.
    func prepareRuntime() throws {
        let folder = (controlSocket as NSString).deletingLastPathComponent
        if mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw CommandFailure(
                .cannotCreate, "Cannot make \(folder): \(String(cString: strerror(errno))).",
                hint: "Set XDG_RUNTIME_DIR to a folder of yours.")
        }
        var information = stat()
        guard lstat(folder, &information) == 0, information.st_uid == geteuid(),
            information.st_mode & S_IFMT == S_IFDIR, information.st_mode & 0o077 == 0
        else {
            throw CommandFailure(
                .cannotCreate, "Others can enter \(folder), where the control socket would be.",
                hint: "Remove it, or set XDG_RUNTIME_DIR to a folder of yours with mode 0700.")
        }
    }

    /// XDG paths that are not absolute are to be ignored.
    private static func absolute(_ path: String?) -> String? {
        path.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}

extension String {
    fileprivate var trimmedPath: String {
        count > 1 && hasSuffix("/") ? String(dropLast()) : self
    }
}
