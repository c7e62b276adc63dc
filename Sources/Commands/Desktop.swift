import DBus
import Foundation
import Glibc
import Host
import Text

/// The desktop that the command runs in.
enum Desktop {
    /// Opens a URL in the browser that the user chose.
    ///
    /// The browser does not end with this command or its terminal. Its arguments are visible to other
    /// users; a link is useless to them without the page that this host serves.
    ///
    /// - Returns: whether there is a desktop, and a program for that was started.
    static func open(_ url: String) -> Bool {
        let variables = ProcessInfo.processInfo.environment
        let displays = ["DISPLAY", "WAYLAND_DISPLAY"].compactMap { variables[$0] }
        guard displays.contains(where: { !$0.isEmpty }) else { return false }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for number in Int32(0)...2 {
            posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var usual = sigset_t()
        sigemptyset(&usual)
        sigaddset(&usual, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setflags(&attributes, newSession | Int16(POSIX_SPAWN_SETSIGDEF))
        let arguments = cStrings(["xdg-open", url])
        let environment = cStrings(variables.map { "\($0.key)=\($0.value)" })
        defer { for text in arguments + environment { free(text) } }
        var pid = pid_t()
        return posix_spawnp(
            &pid, "xdg-open", &actions, &attributes, arguments, environment) == 0
    }

    /// Shows a failure as a message, for commands without a terminal; nothing happens without a desktop.
    static func show(_ failure: CommandFailure) async {
        let environment = ProcessInfo.processInfo.environment
        guard let address = DesktopMessages.address(in: environment) else { return }
        let texts = [failure.message, failure.hint].compactMap(\.self)
        try? await DesktopMessages(address: address).show(
            summary: "Nervous", body: texts.joined(separator: "\n"))
    }

    /// `POSIX_SPAWN_SETSID` of glibc, which the module of the C library hides.
    private static let newSession: Int16 = 0x80

    /// Copies that end with a null pointer.
    private static func cStrings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }
}

/// The service `nervous.service` of the user's systemd.
enum UserService {
    /// How long to wait until a started service accepts connections.
    static let startLimit = Duration.seconds(30)
    static let pollInterval = Duration.milliseconds(100)
    private static let manager = "org.freedesktop.systemd1"

    /// Asks systemd to start the service, which then starts in the background.
    ///
    /// - Throws: `CommandFailure` without a session bus, without a systemd of the user, and if the service
    ///   is not installed.
    static func start() async throws(CommandFailure) {
        guard let address = DesktopMessages.address(in: ProcessInfo.processInfo.environment) else {
            throw failure("systemd cannot be reached, because there is no session bus.")
        }
        do throws(BusError) {
            _ = try await BusConnection(address: address).call(
                BusCall(
                    manager, path: "/org/freedesktop/systemd1", interface: "\(manager).Manager",
                    "StartUnit", [.string("nervous.service"), .string("replace")]))
        } catch {
            throw failure(
                "The service was not started: \(error.message.escapedForDisplay(limit: 200)).")
        }
    }

    private static func failure(_ message: String) -> CommandFailure {
        CommandFailure(
            .unavailable, message, hint: "Start a host with: nervous serve", type: "not-serving")
    }
}
