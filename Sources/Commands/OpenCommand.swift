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
            `nervous lock`, the host stops, or 30 days pass without use.

            A link works once, within a minute; the page gets a token of its own.
            Requires a serving host: nervous serve. With --start, the systemd service of
            this installation is started if no host runs.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The app's name; see: nervous apps.", completion: .names(.app))
    var app: String?

    @Flag(help: "Print the link of the dashboard without opening a browser.")
    var noBrowser = false

    @Flag(
        help: ArgumentHelp(
            "Start the service if no host runs, and show an error on the desktop if there is no"
                + " terminal."))
    var start = false

    func validate() throws {
        guard !start || options.data == nil else {
            throw ValidationError(
                "--start cannot be combined with --data: the service has its own data directory.")
        }
    }

    func run() async throws {
        do {
            if start { try await startService() }
            try await open()
        } catch let failure where start && isatty(STDERR_FILENO) == 0 {
            await Desktop.show(CommandFailure(failure))
            throw failure
        }
    }

    private func startService() async throws {
        let socket = options.host.paths.controlSocket
        if try HostSession.isListening(socket) { return }
        options.console.say("Starting the service.")
        try await UserService.start()
        let deadline = ContinuousClock.now + UserService.startLimit
        while try HostSession.isListening(socket) == false {
            guard ContinuousClock.now < deadline else {
                throw CommandFailure(
                    .unavailable, "The service does not answer.",
                    hint: "See why with: systemctl --user status nervous", type: "not-serving")
            }
            try await Task.sleep(for: UserService.pollInterval)
        }
    }

    private func open() async throws {
        let (reply, undecided) = try await HostSession.with(options.host) { session in
            guard let app else { return (try await session.client.openDashboard(), nil as String?) }
            return (
                try await session.client.launch(app), try await Self.undecided(of: app, session)
            )
        }
        guard !options.json else { return options.console.print(json: reply.json) }
        let url = try reply.value.url
        options.console.print(url)
        if let undecided { options.console.say(undecided) }
        if app == nil, !noBrowser, Desktop.open(url) {
            options.console.say("Opening it in your browser.")
        }
    }

    /// A message about what is not decided about an app yet, since its page shows no prompt;
    /// `nil` if there is nothing.
    private static func undecided(of name: String, _ session: HostSession) async throws -> String? {
        let app = try await session.client.app(name).value
        if app.generation != nil {
            let decisions = try await session.client.grants(of: name).value.items
            return decisions.isEmpty
                ? "Nothing is decided about \(name) yet: its page waits when it first uses a sensor."
                    + " Decide in the dashboard, or with: nervous run \(name)" : nil
        }
        let open = app.privileges.filter { $0.supported && $0.state == "prompt" }.map(\.privilege)
        guard !open.isEmpty else { return nil }
        return "Not yet decided: \(open.joined(separator: ", "))."
            + " The page shows no prompt; decide in the dashboard, or with: nervous run \(name)"
    }
}
