import API
import ArgumentParser
import Auth
import Foundation
import Host

/// Lists the installed apps, or shows one; finds and updates apps in catalogues.
struct AppsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract: "List the installed apps, and find, install and update apps of catalogues.",
        discussion: """
            Examples:
              nervous apps
              nervous apps load-watch     its budget, and the usage of its last run
              nervous apps search steps   in the bundled packages and in your catalogues
              nervous apps update         which installed apps have an update
            """,
        subcommands: [List.self, Search.self, Info.self, Install.self, Update.self],
        defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the installed apps, their permissions and their resource usage.",
            discussion: """
                Examples:
                  nervous apps
                  nervous apps load-watch     its budget, and the usage of its last run
                  nervous apps --available    the bundled apps, which you can install by name
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "Show only this app, in detail.", completion: .names(.app))
        var app: String?

        @Flag(help: "List the bundled apps instead, which you can install by name.")
        var available = false

        func validate() throws {
            guard !available || app == nil else {
                throw ValidationError("--available cannot be combined with the name of an app.")
            }
        }

        func run() async throws {
            try await HostSession.with(options.host) { session in
                if available {
                    let apps = try await session.client.apps().value.items
                    try BundledList(installed: apps).print(to: options.console)
                } else if let app {
                    try await show(app, session)
                } else {
                    try await list(session)
                }
            }
        }

        private func list(_ session: HostSession) async throws {
            let reply = try await session.client.apps()
            guard !options.json else { return options.console.print(json: reply.json) }
            let apps = try reply.value.items
            guard !apps.isEmpty else {
                options.console.say(
                    "No app is installed. Install one with: nervous install app.zip")
                options.console.say("List the bundled apps with: nervous apps --available")
                return
            }
            var table = Table(
                "APP", "VERSION", "SIGNER", "TITLE", "ALLOWED", "DENIED", "UNDECIDED")
            for app in apps {
                func names(_ state: String) -> String {
                    let names = app.privileges.filter { $0.state == state }.map(\.privilege)
                    return names.isEmpty ? "–" : names.joined(separator: " ")
                }
                table.add(
                    app.name, app.version, app.shownSigner, app.title ?? "", names("granted"),
                    names("denied"), names("prompt"))
            }
            options.console.print(table)
            showRuns(apps.compactMap(\.lastRun))
        }

        /// The last run of each app, and its usage.
        private func showRuns(_ runs: [RunDescription]) {
            guard !runs.isEmpty else { return }
            var table = Table(
                "APP", "LAST RUN", "STARTED", "CPU", "MEMORY", "CALLS", "SAMPLES", "LOGGED")
            for run in runs {
                table.add(
                    run.app, run.stateText, Format.time(run.started),
                    Format.number(run.usage.cpu / 1000) + " s",
                    Format.bytes(Double(run.usage.memory)),
                    "\(run.usage.calls)", "\(run.usage.samples)",
                    Format.bytes(Double(run.usage.logged))
                )
            }
            options.console.print("")
            options.console.print(table)
        }

        private func show(_ name: String, _ session: HostSession) async throws {
            let reply = try await session.client.app(name)
            guard !options.json else { return options.console.print(json: reply.json) }
            let app = try reply.value
            let console = options.console
            console.print("\(app.name) \(app.shownVersion), \(app.signerText ?? "unsigned")")
            console.print("content \(app.fingerprint), \(app.files) files")
            for privilege in app.privileges {
                console.print("\(privilege.state): \(privilege.line)")
            }
            console.print("")
            var table = Table("BUDGET", "LIMIT", "LAST RUN")
            for line in app.budgetLines { table.add(line.name, line.limit, line.used) }
            console.print(table)
            guard let run = app.lastRun else { return console.say("The app has not run yet.") }
            console.print("")
            console.print("last run: \(run.stateText), started \(Format.time(run.started))")
            if let failureMessage = run.failureMessage { console.print(failureMessage) }
        }
    }
}
