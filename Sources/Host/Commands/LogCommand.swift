import ArgumentParser
import Foundation
import Provider

/// Shows the access log.
struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show who read what, and who was refused, the newest last.",
        discussion: """
            Examples:
              nervous log
              nervous log hello-sensors --refused
              nervous log --owner                     what you read yourself, too
              nervous log --json | jq '.items[] | select(.outcome == "refused")'
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "An app or a token's name; all when it is missing.")
    var client: String?

    @Flag(help: "Only what was refused.")
    var refused = false

    @Flag(help: "Also what you read yourself with these commands.")
    var owner = false

    @Option(help: "The most lines to show.")
    var limit = 40

    func run() async throws {
        try await HostSession.with(options) { session in
            let data = try await session.client.data(
                .get, "/api/v1/access-log",
                query: [
                    ("client", client), ("limit", String(limit)),
                    ("outcome", refused ? "refused" : nil),
                    ("owner", owner || client != nil ? nil : "false"),
                ])
            guard !options.json else { return options.console.print(json: data) }
            let items = try JSONDecoder().decode(ItemList<AccessLogItem>.self, from: data).items
            guard !items.isEmpty else {
                options.console.say("Nothing was read or refused yet.")
                return
            }
            var table = Table("TIME", "WHO", "WHAT", "SENSOR", "SAMPLES", "OUTCOME")
            for item in items.reversed() {
                table.add(
                    Format.time(item.time), item.client ?? "?", item.operation, item.sensor ?? "–",
                    String(item.count), item.reason.map { "refused: \($0)" } ?? item.outcome)
            }
            table.lines.forEach(options.console.print)
        }
    }
}
