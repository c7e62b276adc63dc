import ArgumentParser
import Auth
import Foundation
import Host
import API
import Text

/// Stops what runs of an app.
struct StopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop what runs of an app.",
        discussion: """
            Example: nervous stop load-watch
            ‘nervous apps’ shows what runs.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The app's name; see: nervous apps.")
    var app: String

    func run() async throws {
        let stopped = try await HostSession.with(options.host) { session in
            let runs = try await session.client.get(
                ItemList<RunDescription>.self, "/api/v1/runs"
            ).items.filter { $0.app == app && $0.state != "ended" }
            var stopped: [RunDescription] = []
            for run in runs {
                let data = try await session.client.data(
                    .delete, "/api/v1/runs/\(ControlClient.segment(run.run))")
                stopped.append(try JSONDecoder().decode(RunDescription.self, from: data))
            }
            return stopped
        }
        guard !stopped.isEmpty else {
            throw CommandFailure(
                .noInput, "Nothing runs of \(app.escapedForDisplay(limit: 64)).",
                hint: "See what does: nervous apps", type: "not-running")
        }
        if options.json {
            options.console.print(json: try JSONEncoder().encode(["items": stopped]))
        } else {
            for run in stopped { options.console.print("Stopped \(run.app), run \(run.run).") }
        }
    }
}
