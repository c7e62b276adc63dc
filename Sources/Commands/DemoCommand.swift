import API
import AppLab
import ArgumentParser
import Foundation
import Glibc
import Host
import JSApps
import UnixSignals

/// Installs and runs an app on a host with temporary data, and shows what it read and its page.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show what Nervous does: run a bundled app, query samples, open a page.",
        discussion: """
            Unlike other commands, demo uses $NERVOUS_DATA by default, else an empty
            temporary directory, which is deleted at the end. Another data directory is not
            deleted.
            There is no JSON output: --json is an error.
            Without a terminal it allows what the app asks for, and says so.
            """)

    private static let app = "hello-sensors"

    @OptionGroup var options: GlobalOptions

    @Option(help: "The port on the loopback interface; 0 for any free port.")
    var port = 0

    @Flag(help: "End after the query instead of serving the page of the app.")
    var noServe = false

    func validate() throws {
        guard !options.json else { throw ValidationError("demo has no JSON output.") }
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port must be a number from 0 to 65535.")
        }
    }

    func run() async throws {
        let items = BundledContent().items(.app)
        guard let item = items.first(where: { $0.name == Self.app }) else {
            throw CommandFailure(
                .noInput, "This installation does not have the bundled app \(Self.app).",
                hint: "Install Nervous again, with its folder share/nervous.",
                type: "input-missing")
        }
        let given = options.data ?? ProcessInfo.processInfo.environment["NERVOUS_DATA"]
        if let given {
            try await show(item, in: Place(data: given, isTemporary: false))
        } else {
            let folder = try TemporaryFolder()
            do {
                defer { folder.remove() }
                try await show(item, in: Place(data: folder.path, isTemporary: true))
            }
            options.console.print("\nThe data of this demo is deleted.")
        }
        options.console.print(
            """

            What to type next:
              \(Self.program) sensors               list the sensors of this machine
              \(Self.program) run \(Self.app)     the same app, on your own data
              \(Self.program) serve                 collect samples, and serve the page of each app
              \(Self.program) open                  meanwhile, see everything in the browser
              \(Self.program) new my-app            create an app of your own
            """)
    }

    // MARK: - The host

    /// The data directory of the demo.
    private struct Place {
        let data: String
        let isTemporary: Bool
    }

    /// How this program was called.
    private static var program: String {
        CommandLine.arguments.first.flatMap { $0.contains("/") ? $0 : nil } ?? "nervous"
    }

    private func show(_ item: BundledContent.Item, in place: Place) async throws {
        let environment = ProcessInfo.processInfo.environment
        let host = HostOptions(
            paths: HostPaths(option: place.data, environment: environment),
            roots: options.host.roots, logFormat: options.logFormat)
        let port = try LoopbackPort(port)
        let services = try await HostSession.longRunningServices(host)
        let outcome: Result<Void, any Error>
        do {
            try await Self.untilHangup {
                try await HostSession.with(services, collects: true, tcp: port) { session in
                    try await show(item, in: place, session)
                }
            }
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        if place.isTemporary {
            // The folders of installed apps are read-only: `TemporaryFolder.remove()` cannot remove them, the
            // library can.
            for app in (try? await services.library.apps()) ?? [] {
                try? await services.library.uninstall(app.name.text)
            }
        }
        try outcome.get()
    }

    /// Runs `body` until it ends or the terminal is closed, so that nothing is left behind.
    private static func untilHangup(
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            group.addTask {
                for await _ in await UnixSignalsSequence(trapping: .sighup) {
                    throw CommandFailure(.interrupted, "The terminal was closed.")
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    // MARK: - The steps

    private func show(
        _ item: BundledContent.Item, in place: Place, _ session: HostSession
    ) async throws {
        // Signals are caught from now on, so that Ctrl-C never leaves the data behind.
        let signals = await session.interruptions.listen()
        let status = try await session.client.status().value
        step("Starting a host")
        options.console.print(
            """
            It collects samples into \(place.data)\
            \(place.isTemporary ? ", which is deleted at the end" : ""),
            and serves http://localhost:\(status.port ?? 0)/
            """)
        guard try await run(item, session) else {
            throw CommandFailure(.interrupted, "Interrupted.")
        }
        let query = ["cpu", "--fields", "busy", "--stats", "mean,stddev,max", "--last", "1m"]
        try await step("Querying the samples yourself", QueryCommand.self, query, place)
        try await step(
            "Showing what the app has read", LogCommand.self, [Self.app, "--limit", "5"], place)
        guard !noServe else { return }
        try await serve(place, status.port ?? 0, session) { for await _ in signals { return } }
    }

    /// Installs and runs the app.
    ///
    /// - Returns: whether it ended by itself.
    private func run(_ item: BundledContent.Item, _ session: HostSession) async throws -> Bool {
        let console = options.console
        step("Installing the bundled app \(Self.app)")
        let source = try PackageArgument(
            path: item.path, limits: options.host.configuration.packages)
        let app = try await session.client.install(source).value
        InstallReport(app: app, isDryRun: false).lines.forEach(console.print)

        step("Running it")
        var allowed: [String] = []
        if !Console.inputIsTerminal || !Console.messagesAreTerminal {
            allowed = app.privileges.filter { $0.supported && $0.state == "prompt" }
                .map(\.privilege)
            if !allowed.isEmpty {
                console.print(
                    "Without a terminal there is no prompt; allowed for this run:"
                        + " \(allowed.joined(separator: " "))")
            }
        }
        let prepared = try await PreparedRun.prepare(app.name, inBackground: false, session)
        let consent = Consent(
            app: app, run: prepared, session: session, console: console,
            flags: try FlagDecisions(
                allow: allowed, deny: [], allowAll: false, declared: app.privileges),
            canPrompt: true)
        try await consent.obtain()
        let (ended, _) = try await ForegroundRun(
            prepared: prepared, session: session, console: console, consent: consent,
            duration: nil, isInsecure: false, showsText: false, showsMarkup: false
        ).run()
        if ended.ending?.name == "stopped" { return false }
        if let message = ended.failureMessage {
            throw CommandFailure(.failed, message, type: ended.ending?.name)
        }
        return true
    }

    /// Shows what other programs can do, until `end` returns.
    private func serve(
        _ place: Place, _ port: Int, _ session: HostSession, until end: () async -> Void
    ) async throws {
        let console = options.console
        let name = "demo-\(getpid())"
        let token = try await session.client.createToken(
            TokenRequest(name: name, allow: ["sensor:cpu", "sensor:memory"], lifetime: "1d")
        ).value.token
        do {
            step("Reading samples from your own programs")
            console.print(
                """
                A token that may read cpu and memory until the demo ends. Try it in another terminal:
                  TOKEN=\(token)
                  curl -H "Authorization: Bearer $TOKEN" http://localhost:\(port)/api/v1/sensors/cpu/latest
                """)
            step("Opening the page of the app")
            let page = try await session.client.launch(Self.app).value.url
            console.print(
                """
                Open this link in a browser within a minute; it works once:
                  \(page)
                Another one, and all other commands, in another terminal:
                  export NERVOUS_DATA=\(place.data)
                  \(Self.program) open \(Self.app)
                """)
            step("Serving until you stop it: press Ctrl-C here, or run: kill \(getpid())")
            await end()
        } catch {
            try? await session.client.revokeToken(of: name)
            throw error
        }
        try await session.client.revokeToken(of: name)
    }

    private func step(_ title: String) {
        options.console.print("\n== \(title)")
    }

    /// Shows a command with its output.
    private func step<Command: AsyncParsableCommand>(
        _ title: String, _ type: Command.Type, _ words: [String], _ place: Place
    ) async throws {
        step(title)
        let name = Command._commandName
        options.console.print("$ \(([Self.program, name] + words).joined(separator: " "))")
        var command = try await Command.asyncParse(words + ["--data", place.data])
        try await command.run()
    }
}
