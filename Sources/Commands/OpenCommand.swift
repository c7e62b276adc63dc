import API
import ArgumentParser
import Foundation
import Glibc
import Host

/// Opens the dashboard, or prints a link that opens an app's page.
struct OpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Open the dashboard, or print the link that opens an app's page.",
        discussion: """
            Without a name, prints a link to the dashboard and opens it in your browser, if
            there is a desktop. The browser stays signed in until you lock the page, run
            `nervous lock`, or the host stops.

            A link works once, within a minute; the page gets a token of its own.
            Requires a serving host: nervous serve
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The app's name; see: nervous apps.", completion: .names(.app))
    var app: String?

    @Flag(help: "Print the link of the dashboard only.")
    var noBrowser = false

    func run() async throws {
        let reply = try await HostSession.with(options.host) { session in
            if let app { return try await session.client.launch(app) }
            return try await session.client.openDashboard()
        }
        guard !options.json else { return options.console.print(json: reply.json) }
        let url = try reply.value.url
        options.console.print(url)
        if app == nil, !noBrowser, Desktop.open(url) {
            options.console.say("Opening it in your browser.")
        }
    }
}

/// Ends the sessions of the dashboard.
struct LockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Lock the dashboard in all browsers.",
        discussion: """
            Ends its sessions and makes unused links invalid; pages of apps stay open.
            Open it again with: nervous open
            """)

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let count = try await HostSession.with(options.host) { session in
            let count = try await session.client.dashboardSessions().value.items.count
            try await session.client.lockDashboard()
            return count
        }
        if options.json {
            options.console.print(json: try JSONEncoder().encode(["ended": count]))
        } else {
            options.console.print(
                count == 0
                    ? "The dashboard was not open."
                    : "Locked the dashboard: ended \(count) session\(count == 1 ? "" : "s").")
        }
    }
}

/// The desktop that the command runs in.
private enum Desktop {
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

    /// `POSIX_SPAWN_SETSID` of glibc, which the module of the C library hides.
    private static let newSession: Int16 = 0x80

    /// Copies that end with a null pointer.
    private static func cStrings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }
}
