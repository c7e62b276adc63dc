import ArgumentParser
import Foundation
import Provider

/// Lists the installed apps.
struct AppsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract: "List the installed apps, what they may do, and what they used.")

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await HostSession.with(options) { session in
            let data = try await session.client.data(.get, "/api/v1/apps")
            guard !options.json else { return options.console.print(json: data) }
            let apps = try JSONDecoder().decode(ItemList<AppDescription>.self, from: data).items
            guard !apps.isEmpty else {
                options.console.say(
                    "No app is installed. Install one with: nervous install app.zip")
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
}
