import Foundation

/// A session bus of a test's own, and on it a desktop that writes down what it is asked; both end with
/// this value.
public final class PrivateDesktop {
    /// Whether what this needs is there.
    public static var isInstalled: Bool {
        let mock = "/usr/lib/python3/dist-packages/dbusmock/templates/notification_daemon.py"
        return PrivateBus.isInstalled && FileManager.default.fileExists(atPath: mock)
    }

    private let bus: PrivateBus
    private let capabilities: String?

    /// - Parameter capabilities: what the desktop says it can do; `nil` for what is usual.
    public init(capabilities: String? = nil, hasServer: Bool = true) throws {
        self.capabilities = capabilities
        bus = try PrivateBus()
        if hasServer { try startServer() }
    }

    /// Of the bus, as D-Bus writes it.
    public var address: String { bus.address }

    /// Starts the desktop and waits until it has its name on the bus.
    public func startServer() throws {
        try bus.start(
            ["-m", "dbusmock", "--session", "-t", "notification_daemon", "-l", log]
                + (capabilities.map { ["-p", #"{"capabilities": "\#($0)"}"#] } ?? []),
            until: "org.freedesktop.Notifications")
    }

    /// The calls of `Notify`, as the desktop wrote them down.
    public func calls() throws -> [String] {
        try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(String.init)
            .filter { $0.contains(" Notify ") }
    }

    private var log: String { bus.path("log") }
}
