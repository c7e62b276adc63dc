import Auth
package import Foundation
package import Logging
package import VM

/// The files and sockets of a host.
package struct HostPaths: Sendable {
    /// The data directory, absolute.
    package let data: String
    /// The configuration file, `config.json`; it need not exist.
    package let configuration: String
    /// The policy files: the machine's, then the owner's; neither need exist.
    package let policies: [String]
    /// The credential of the service with the key of the health store; need not exist.
    package let healthCredential: String?
    /// The credential of the service that unlocks the owner's key; need not exist.
    package let ownerCredential: String?
    /// The credential of the service that seals the secrets that the host keeps; need not exist.
    package let secretsCredential: String?
    /// The socket over which commands reach the host that owns the data directory.
    package let controlSocket: String
    /// The socket of a host that exists for one command, which no other process uses.
    package var privateSocket: String { "\(controlSocket).\(getpid())" }

    /// - Parameters:
    ///   - option: the value of `--data`, which precedes `NERVOUS_DATA` and the XDG default.
    ///   - environment: of the process.
    package init(option: String?, environment: [String: String]) {
        let home = environment["HOME"] ?? NSHomeDirectory()
        let shared = Self.absolute(environment["XDG_DATA_HOME"]) ?? "\(home)/.local/share"
        let chosen = option ?? environment["NERVOUS_DATA"] ?? "\(shared)/nervous"
        data =
            URL(filePath: chosen).standardizedFileURL.path(percentEncoded: false)
            .withoutTrailingSlash
        let credentials = Self.absolute(environment["CREDENTIALS_DIRECTORY"])
        healthCredential = credentials.map { "\($0)/nervous-health-key" }
        secretsCredential = credentials.map { "\($0)/nervous-secrets-key" }
        ownerCredential = credentials.map { "\($0)/nervous-owner-key" }
        let settings = Self.absolute(environment["XDG_CONFIG_HOME"]) ?? "\(home)/.config"
        configuration = "\(settings)/nervous/config.json"
        let (machine, own) = ("/etc/nervous/policy.json", "\(settings)/nervous/policy.json")
        // For a host that is a service of the machine, both are the same file.
        policies = own == machine ? [machine] : [machine, own]
        // The path of the data directory may be too long for the path of a socket.
        let runtime = RuntimeFolder(environment: environment).path
        let name = Fingerprint.sha256(Array(data.utf8)).prefix(16)
        controlSocket = "\(runtime)/\(name).sock"
    }

    /// The owner's configuration and policy; neither need exist.
    package var ownConfiguration: [String] {
        ["\(configurationFolder)/config.json", "\(configurationFolder)/policy.json"]
    }
    /// The folder of the configuration and of the owner's policy.
    package var configurationFolder: String {
        URL(filePath: configuration).deletingLastPathComponent().path(percentEncoded: false)
            .withoutTrailingSlash
    }
    package var samples: String { "\(data)/samples.sqlite" }
    package var permissions: String { "\(data)/permissions.sqlite" }
    package var sessions: String { "\(data)/sessions.sqlite" }
    package var health: String { "\(data)/health.sqlite" }
    package var healthKey: String { "\(data)/health.key" }
    package var localNetwork: String { "\(data)/local-network" }
    package var alerts: String { "\(data)/alerts.sqlite" }
    package var outbox: String { "\(data)/outbox" }
    package var appStorage: String { Authority.storagePath(beside: permissions) }
    package var catalogues: String { "\(data)/catalogues" }
    package var sensorPacks: String { "\(data)/sensor-packs" }
    package var apps: URL { URL(filePath: "\(data)/apps") }
    package var runs: URL { URL(filePath: "\(data)/runs") }

    /// The XDG specification ignores paths that are not absolute.
    private static func absolute(_ path: String?) -> String? {
        path.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}

extension String {
    fileprivate var withoutTrailingSlash: String {
        count > 1 && hasSuffix("/") ? String(dropLast()) : self
    }
}

/// The options of the command line that a host depends on.
package struct HostOptions: Sendable {
    package let paths: HostPaths
    package let roots: SystemRoots
    package let logFormat: LogFormat

    package init(paths: HostPaths, roots: SystemRoots, logFormat: LogFormat) {
        self.paths = paths
        self.roots = roots
        self.logFormat = logFormat
    }

    /// The contents of the configuration file.
    package var configuration: Configuration {
        get throws { try Configuration(path: paths.configuration) }
    }

    package var logger: Logger {
        let format = logFormat
        return Logger(label: "nervous") {
            LineLogHandler(label: $0, format: format, logLevel: .error)
        }
    }
}
