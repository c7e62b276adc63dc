import Foundation

/// A session bus for one test with a notification server that logs its calls; both end with this
/// value.
public final class PrivateDesktop {
    /// Whether the required programs are installed.
    public static var isInstalled: Bool {
        let mock = "/usr/lib/python3/dist-packages/dbusmock/templates/notification_daemon.py"
        return PrivateBus.isInstalled && FileManager.default.fileExists(atPath: mock)
    }

    private let bus: PrivateBus
    private let capabilities: String?

    /// - Parameters:
    ///   - capabilities: those of the server; `nil` for its defaults.
    ///   - hasServer: whether the server is started.
    public init(capabilities: String? = nil, hasServer: Bool = true) throws {
        self.capabilities = capabilities
        bus = try PrivateBus()
        if hasServer { try startServer() }
    }

    /// The D-Bus address of the bus.
    public var address: String { bus.address }

    /// Starts the server and waits until it owns its name.
    public func startServer() throws {
        try bus.start(
            ["-m", "dbusmock", "--session", "-t", "notification_daemon", "-l", log]
                + (capabilities.map { ["-p", #"{"capabilities": "\#($0)"}"#] } ?? []),
            until: "org.freedesktop.Notifications")
    }

    /// The calls of `Notify`, as the server logged them.
    public func calls() throws -> [String] {
        try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(String.init)
            .filter { $0.contains(" Notify ") }
    }

    private var log: String { bus.path("log") }
}
