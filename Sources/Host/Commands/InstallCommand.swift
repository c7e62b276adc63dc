import API
import AppRuns
import ArgumentParser
import Auth
import Egress
import Foundation
import JSApps
import Provider

/// Installs an app.
struct InstallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Install an app from a .zip or .nervous file, from its folder or from a URL.",
        discussion: """
            Examples:
              nervous install hello-sensors.zip
              nervous install https://example.org/hello-sensors.zip
              nervous install hello-sensors-1.1.0.zip --dry-run    what an update would change
            Installing runs nothing and allows nothing: an app asks when you first run it, and an
            update asks for what is new or more than before. What a key has signed is updated only
            by what the same key has signed.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(
        help: "The package, the folder of an app, or the http or https URL of a package.",
        completion: .file())
    var package: String

    @Flag(help: "Show what installing would change, and change nothing.")
    var dryRun = false

    @Flag(help: "Let an older version take the place of a newer one; every decision is forgotten.")
    var allowDowngrade = false

    func run() async throws {
        let limits = try options.configuration.packages
        let archive =
            if DownloadAddress.isAddress(package) {
                try await PackageDownload(
                    package, limit: limits.archiveBytes,
                    console: options.console
                ).archive()
            } else {
                try PackageFile(path: package, limits: limits).archive()
            }
        try await HostSession.with(options) { session in
            let data = try await session.client.data(
                .post, "/api/v1/apps",
                query: [
                    ("dryRun", dryRun ? "true" : nil),
                    ("allowDowngrade", allowDowngrade ? "true" : nil),
                ], body: archive, type: "application/zip")
            guard !options.json else { return options.console.print(json: data) }
            let app = try JSONDecoder().decode(AppDescription.self, from: data)
            InstallReport(app: app, isDryRun: dryRun).lines.forEach(options.console.print)
            if !dryRun { options.console.say("Run it with: nervous run \(app.name)") }
        }
    }
}

/// Removes an app with its permissions.
struct UninstallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall",
        abstract: "Remove an app, what you allowed it, and its tokens.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The app's name; see: nervous apps.")
    var app: String

    func run() async throws {
        try await HostSession.with(options) { session in
            _ = try await session.client.data(.delete, "/api/v1/apps/\(ControlClient.segment(app))")
            if options.json {
                options.console.print("{\"uninstalled\":\"\(app)\"}")
            } else {
                options.console.print("Removed \(app), its permissions and its tokens.")
            }
        }
    }
}
