import ArgumentParser
import Auth
import Foundation
import Host
import Provider

/// Lists the installed apps, or tells all about one.
struct AppsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract: "List the installed apps, what they may do, and what they used.",
        discussion: """
            Examples:
              nervous apps
              nervous apps load-watch     what it may use, and what its last run used of it
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The name of one app, to see all about it.")
    var app: String?

    func run() async throws {
        try await HostSession.with(options.host) { session in
            if let app {
                try await show(app, session)
            } else {
                try await list(session)
            }
        }
    }

    private func list(_ session: HostSession) async throws {
        let data = try await session.client.data(.get, "/api/v1/apps")
        guard !options.json else { return options.console.print(json: data) }
        let apps = try JSONDecoder().decode(ItemList<AppDescription>.self, from: data).items
        guard !apps.isEmpty else {
            options.console.say("No app is installed. Install one with: nervous install app.zip")
            return
        }
        var table = Table(
            "APP", "VERSION", "SIGNER", "TITLE", "ALLOWED", "DENIED", "NOT YET ASKED")
        for app in apps {
            func names(_ state: String) -> String {
                let names = app.privileges.filter { $0.state == state }.map(\.privilege)
                return names.isEmpty ? "–" : names.joined(separator: " ")
            }
            table.add(
                app.name, app.version, app.shownSigner, app.title ?? "", names("granted"),
                names("denied"), names("prompt"))
        }
        table.lines.forEach(options.console.print)
        showRuns(apps.compactMap(\.lastRun))
    }

    /// What each app did last, or does now, and what it used.
    private func showRuns(_ runs: [RunDescription]) {
        guard !runs.isEmpty else { return }
        var table = Table(
            "APP", "LAST RUN", "BEGAN", "CPU", "MEMORY", "CALLS", "SAMPLES", "LOGGED")
        for run in runs {
            table.add(
                run.app, run.stateText, Format.time(run.started),
                Format.number(run.usage.cpu / 1000) + " s", Format.bytes(Double(run.usage.memory)),
                "\(run.usage.calls)", "\(run.usage.samples)", Format.bytes(Double(run.usage.logged))
            )
        }
        options.console.print("")
        table.lines.forEach(options.console.print)
    }

    private func show(_ name: String, _ session: HostSession) async throws {
        let data = try await session.client.data(
            .get, "/api/v1/apps/\(ControlClient.segment(name))")
        guard !options.json else { return options.console.print(json: data) }
        let app = try JSONDecoder().decode(AppDescription.self, from: data)
        let console = options.console
        console.print("\(app.name) \(app.shownVersion), \(app.signerText ?? "unsigned")")
        console.print("content \(app.fingerprint), \(app.files) files")
        for privilege in app.privileges {
            console.print("\(privilege.state): \(privilege.line)")
        }
        console.print("")
        var table = Table("BUDGET", "AT MOST", "LAST RUN")
        for line in app.budgetLines { table.add(line.name, line.limit, line.used) }
        table.lines.forEach(console.print)
        guard let run = app.lastRun else { return console.say("It has not run yet.") }
        console.print("")
        console.print("last run: \(run.stateText), began \(Format.time(run.started))")
        if let complaint = run.complaint { console.print(complaint) }
    }
}
