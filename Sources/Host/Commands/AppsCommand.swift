import ArgumentParser
import Foundation
import Provider

/// Lists the installed apps.
struct AppsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps", abstract: "List the installed apps and what they may do.")

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
        }
    }
}
