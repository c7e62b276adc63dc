import ArgumentParser
import Auth
import Foundation
import Host
import Provider
import Samples
import Text

/// Shows and changes what apps may do.
struct PermissionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "permissions",
        abstract: "See and change what apps and tokens may do.",
        discussion: """
            Examples:
              nervous permissions                               everything that was decided
              nervous permissions hello-sensors                 what one app may do
              nervous permissions --pending                     what apps ask for now
              nervous permissions grant hello-sensors sensor:cpu --rate 1 --precision 5
              nervous permissions deny hello-sensors sensor:memory
              nervous permissions grant hello-sensors sensor:cpu --expires 7d --no-background
              nervous permissions grant hello-sensors sensor:network --only network.eth0
              nervous permissions reset hello-sensors           ask again at the next run
              nervous permissions export > decisions.json

            A change is felt by a running app at its next call.
            """,
        subcommands: [List.self, Grant.self, Deny.self, Reset.self, Export.self],
        defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List what was decided, for one app or for all.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "An app or a token's name; all when it is missing.")
        var client: String?

        @Flag(help: "List what apps ask for and nobody has answered.")
        var pending = false

        func run() async throws {
            try await HostSession.with(options.host) { session in
                guard !pending else { return try await showRequests(session) }
                let path = client.map { "/\(ControlClient.segment($0))" } ?? ""
                let data = try await session.client.data(.get, "/api/v1/grants\(path)")
                guard !options.json else { return options.console.print(json: data) }
                let list = try JSONDecoder().decode(GrantList.self, from: data)
                let items = list.items
                for line in list.restricted ?? [] {
                    options.console.print(
                        "Nobody is given \(line.privilege) on this machine, by \(line.file)")
                }
                guard !items.isEmpty else {
                    options.console.say(
                        "Nothing was decided\(client.map { " about \($0)" } ?? ""). An app asks when"
                            + " you first run it.")
                    return
                }
                var table = Table("WHO", "PRIVILEGE", "STATE", "SINCE", "TERMS")
                for item in items {
                    table.add(
                        item.client, item.privilege, item.shownState, Format.time(item.decided),
                        item.termsText)
                }
                table.lines.forEach(options.console.print)
            }
        }

        private func showRequests(_ session: HostSession) async throws {
            let data = try await session.client.data(.get, "/api/v1/requests")
            guard !options.json else { return options.console.print(json: data) }
            let items = try JSONDecoder().decode(ItemList<RequestDescription>.self, from: data)
                .items.filter { client == nil || $0.client == client }
            guard let first = items.first else {
                return options.console.say("No app waits for an answer.")
            }
            var table = Table("WHO", "PRIVILEGE", "SINCE", "CALLS WAITING")
            for item in items {
                table.add(
                    item.client, item.privilege, Format.time(item.asked), "\(item.waiting)")
            }
            table.lines.forEach(options.console.print)
            options.console.say(
                "Answer with: nervous permissions grant \(first.client) \(first.privilege)"
                    + "   (or deny)")
        }
    }

    private static func decide(
        _ options: GlobalOptions, _ client: String, _ privilege: String, _ body: DecisionRequest
    ) async throws {
        try await HostSession.with(options.host) { session in
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

        @Argument(
            help:
                "Such as sensor:cpu, sensor:cpu:stats for statistics only, or net:https://example.org."
        )
        var privilege: String

        @Option(help: ArgumentHelp("The most samples a second, such as 1.", valueName: "hertz"))
        var rate: String?

        @Option(
            help: ArgumentHelp(
                "Round numbers to multiples of this, such as 0.1.", valueName: "step"))
        var precision: String?

        @Option(help: ArgumentHelp("How far back it may look, such as 10m.", valueName: "span"))
        var history: String?

        @Option(
            name: [.customLong("expires"), .customLong("for")],
            help: ArgumentHelp(
                "When it ends: from now, such as 7d, or a day such as 2027-01-31.",
                valueName: "end"))
        var expires: String?

        @Flag(inversion: .prefixedNo, help: "Whether it holds while nobody watches the app.")
        var background = true

        @Flag(help: "Only statistics, never a single sample.")
        var statsOnly = false

        @Option(
            help: ArgumentHelp(
                "Only this sensor of the kind, such as network.eth0; may be repeated.",
                valueName: "sensor"))
        var only: [String] = []

        func run() async throws {
            let asked = PrivilegeID(privilege)
            if let wrong = only.first(where: { !Self.isPart($0, of: asked) }) {
                throw CommandFailure(
                    .usage, "\(privilege) is not about \(wrong.escapedForDisplay(limit: 60)).",
                    hint: "List the sensors with: nervous sensors")
            }
            if let asked, asked.sensor == nil {
                return try await PermissionsCommand.decide(
                    options, client, privilege, DecisionRequest(.allowAlways))
            }
            let input = TermsInput(now: .now())
            var terms: TermsDescription
            do throws(TermsInput.Fault) {
                terms = TermsDescription(
                    access: statsOnly ? "stats" : asked?.access?.rawValue ?? "raw",
                    rate: try input.rate(rate ?? ""),
                    precision: try input.precision(precision ?? ""),
                    history: try input.history(history ?? "")?.span,
                    expires: try input.expires(expires ?? "")?.milliseconds,
                    background: background)
            } catch {
                throw CommandFailure(.usage, error.message)
            }
            terms.only = only.isEmpty ? nil : only
            try await PermissionsCommand.decide(
                options, client, privilege, DecisionRequest(terms: terms))
        }

        private static func isPart(_ name: String, of privilege: PrivilegeID?) -> Bool {
            guard let kind = privilege?.sensor, let sensor = SensorID(name) else { return false }
            return kind.covers(sensor)
        }
    }

    struct Deny: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Refuse something from now on.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The app or the token's name.")
        var client: String

        @Argument(help: "Such as sensor:cpu; net for every other server.")
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
            try await HostSession.with(options.host) { session in
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

extension PermissionsCommand {
    /// Writes every decision as one JSON document, to keep or to compare.
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print everything that was decided as one JSON document.",
            discussion: """
                Example: nervous permissions export > decisions.json
                It holds no token and no sample.
                """)

        private struct Document: Encodable {
            let format = "nervous-permissions"
            let version = 1
            /// Milliseconds since 1970.
            let exported: Double
            let decisions: [GrantDescription]
        }

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let decisions = try await session.client.get(
                    ItemList<GrantDescription>.self, "/api/v1/grants"
                ).items
                let now = (Date.now.timeIntervalSince1970 * 1000).rounded()
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
                let document = Document(exported: now, decisions: decisions)
                options.console.print(json: try encoder.encode(document))
            }
        }
    }
}
