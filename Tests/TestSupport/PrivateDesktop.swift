import Foundation

/// A session bus of a test's own, and on it a desktop that writes down what it is asked; both end with
/// this value.
public final class PrivateDesktop {
    private static let daemon = "/usr/bin/dbus-daemon"
    private static let python = "/usr/bin/python3"

    /// Whether what this needs is there.
    public static var isInstalled: Bool {
        let mock = "/usr/lib/python3/dist-packages/dbusmock/templates/notification_daemon.py"
        return [daemon, python, mock].allSatisfy(FileManager.default.fileExists)
    }

    /// Of the bus, as D-Bus writes it.
    public let address: String
    private let folder: URL
    private let capabilities: String?
    private let bus = Process()
    private var server: Process?

    /// - Parameter capabilities: what the desktop says it can do; `nil` for what is usual.
    public init(capabilities: String? = nil, hasServer: Bool = true) throws {
        self.capabilities = capabilities
        folder = FileManager.default.temporaryDirectory.appending(
            path: "desktop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let output = Pipe()
        bus.executableURL = URL(filePath: Self.daemon)
        bus.arguments = [
            "--session", "--nofork", "--print-address=1",
            "--address=unix:path=\(folder.path(percentEncoded: false))/bus",
        ]
        bus.environment = [:]
        bus.standardOutput = output
        bus.standardError = FileHandle.nullDevice
        try bus.run()
        var line = Data()
        while !line.contains(0x0A) {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw POSIXError(.ECHILD) }
            line += more
        }
        address = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
        if hasServer { try startServer() }
    }

    deinit {
        for process in [server, bus].compactMap(\.self) where process.isRunning {
            // A signal that the thread of a test has blocked is blocked for them, too; this one is not.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts the desktop and waits until it has its name on the bus.
    public func startServer() throws {
        let server = Process()
        server.executableURL = URL(filePath: Self.python)
        server.arguments =
            ["-m", "dbusmock", "--session", "-t", "notification_daemon", "-l", log]
            + (capabilities.map { ["-p", #"{"capabilities": "\#($0)"}"#] } ?? [])
        server.environment = ["DBUS_SESSION_BUS_ADDRESS": address, "LC_ALL": "C.UTF-8"]
        server.standardOutput = FileHandle.nullDevice
        server.standardError = FileHandle.nullDevice
        try server.run()
        self.server = server
        // What waits for a name is the bus's own tool.
        let waiting = Process()
        waiting.executableURL = URL(filePath: "/usr/bin/gdbus")
        waiting.arguments = [
            "wait", "--address", address, "--timeout", "30", "org.freedesktop.Notifications",
        ]
        try waiting.run()
        waiting.waitUntilExit()
        guard waiting.terminationStatus == 0 else { throw POSIXError(.ETIMEDOUT) }
    }

    /// The calls of `Notify`, as the desktop wrote them down.
    public func calls() throws -> [String] {
        try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(String.init)
            .filter { $0.contains(" Notify ") }
    }

    private var log: String { folder.appending(path: "log").path(percentEncoded: false) }
}
