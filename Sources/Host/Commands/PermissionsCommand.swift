import ArgumentParser
import Auth
import Foundation
import Provider
import Samples

/// Shows and changes what apps may do.
struct PermissionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "permissions",
        abstract: "See and change what apps and tokens may do.",
        discussion: """
            Examples:
              nervous permissions                               everything that was decided
              nervous permissions hello-sensors                 what one app may do
              nervous permissions grant hello-sensors sensor:cpu --rate 1 --precision 5
              nervous permissions deny hello-sensors sensor:memory
              nervous permissions reset hello-sensors           ask again at the next run

            A change is felt by a running app at its next call.
            """,
        subcommands: [List.self, Grant.self, Deny.self, Reset.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List what was decided, for one app or for all.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "An app or a token's name; all when it is missing.")
        var client: String?

        func run() async throws {
            try await HostSession.with(options) { session in
                let path = client.map { "/\(ControlClient.segment($0))" } ?? ""
                let data = try await session.client.data(.get, "/api/v1/grants\(path)")
                guard !options.json else { return options.console.print(json: data) }
                let items = try JSONDecoder().decode(ItemList<GrantDescription>.self, from: data)
                    .items
                guard !items.isEmpty else {
                    options.console.say(
                        "Nothing was decided\(client.map { " about \($0)" } ?? ""). An app asks when"
                            + " you first run it.")
                    return
                }
                var table = Table("WHO", "PRIVILEGE", "STATE", "TERMS", "SINCE")
                for item in items {
                    table.add(
                        item.client, item.privilege, item.state, item.termsText,
                        Format.time(item.decided))
                }
                table.lines.forEach(options.console.print)
            }
        }
    }

    private static func decide(
        _ options: GlobalOptions, _ client: String, _ privilege: String, _ body: DecisionRequest
    ) async throws {
        try await HostSession.with(options) { session in
            let path =
                "/api/v1/grants/\(ControlClient.segment(client))/\(ControlClient.segment(privilege))"
            let data = try await session.client.data(
                .put, path, body: try JSONEncoder().encode(body))
            guard !options.json else { return options.console.print(json: data) }
            let word = body.decision == "deny" ? "may no longer use" : "may now use"
            options.console.print("\(client) \(word) \(privilege).")
        }
    }

    struct Grant: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Allow something, under terms of your own.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The app or the token's name.")
        var client: String

        @Argument(help: "Such as sensor:cpu, or sensor:cpu:stats for statistics only.")
        var privilege: String

        @Option(help: ArgumentHelp("The most samples a second.", valueName: "hertz"))
        var rate: Double?

        @Option(help: ArgumentHelp("Round numbers to multiples of this.", valueName: "step"))
        var precision: Double?

        @Option(help: ArgumentHelp("How far back it may look, such as 1h.", valueName: "span"))
        var history: String?

        @Option(
            name: .customLong("for"),
            help: ArgumentHelp("When it ends, from now, such as 8h.", valueName: "span"))
        var lifetime: String?

        func run() async throws {
            var expires: Double?
            if let lifetime {
                guard let span = Duration(span: lifetime) else {
                    throw CommandFailure(.usage, "--for takes a span such as 30m, 8h or 7d.")
                }
                expires =
                    Timestamp.now().advanced(byMicroseconds: span.wholeMicroseconds)
                    .milliseconds
            }
            let access = privilege.hasSuffix(":stats") ? "stats" : "raw"
            let terms = TermsDescription(
                access: access, rate: rate, precision: precision, history: history,
                expires: expires)
            try await PermissionsCommand.decide(
                options, client, privilege, DecisionRequest(terms: terms))
        }
    }

    struct Deny: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Refuse something from now on.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The app or the token's name.")
        var client: String

        @Argument(help: "Such as sensor:cpu.")
        var privilege: String

        func run() async throws {
            try await PermissionsCommand.decide(
                options, client, privilege, DecisionRequest(.deny))
        }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forget what was decided, so that it is asked again.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The app or the token's name.")
        var client: String

        @Argument(help: "Such as sensor:cpu; everything when it is missing.")
        var privilege: String?

        func run() async throws {
            try await HostSession.with(options) { session in
                let parts = ([client] + [privilege].compactMap { $0 }).map(ControlClient.segment)
                _ = try await session.client.data(
                    .delete, "/api/v1/grants/\(parts.joined(separator: "/"))")
                if options.json {
                    options.console.print("{\"reset\":true}")
                } else {
                    options.console.print("Forgotten. An app asks again when you next run it.")
                }
            }
        }
    }
}
