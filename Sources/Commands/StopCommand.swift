import API
import ArgumentParser
import Auth
import Foundation
import Host
import Text

/// Stops the runs of an app.
struct StopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop the runs of an app.",
        discussion: """
            Example: nervous stop load-watch
            `nervous apps` lists the runs.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The app's name; see: nervous apps.", completion: .names(.app))
    var app: String

    func run() async throws {
        let stopped = try await HostSession.with(options.host) { session in
            let runs = try await session.client.runs().value.items.filter {
                $0.app == app && $0.state != "ended"
            }
            var stopped: [RunDescription] = []
            for run in runs {
                stopped.append(try await session.client.stopRun(run.run).value)
            }
            return stopped
        }
        guard !stopped.isEmpty else {
            throw CommandFailure(
                .noInput, "\(app.escapedForDisplay(limit: 64)) is not running.",
                hint: "List the runs with: nervous apps", type: "not-running")
        }
        if options.json {
            options.console.print(json: try JSONEncoder().encode(["items": stopped]))
        } else {
            for run in stopped { options.console.print("Stopped \(run.app), run \(run.run).") }
        }
    }
}
