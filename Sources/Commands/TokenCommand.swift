import ArgumentParser
import Foundation
import Host
import API
import Samples

/// Tokens for programs of the owner's own.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make, list and revoke tokens for programs of your own, such as curl.",
        subcommands: [Create.self, List.self, Revoke.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a token and print it; it is shown only now.",
            discussion: """
                Example:
                  TOKEN=$(nervous token create curl --allow sensor:cpu --for 1h)
                  curl -H "Authorization: Bearer $TOKEN" \\
                       http://localhost:8080/api/v1/sensors/cpu/latest
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "A name of your choice, in kebab-case.")
        var name: String

        @Option(help: "What it may do, such as sensor:cpu or sensor:memory:stats; may be repeated.")
        var allow: [String] = []

        @Flag(help: "Let it do everything that you may.")
        var owner = false

        @Option(
            name: .customLong("for"),
            help: ArgumentHelp("How long it works, such as 1h.", valueName: "span"))
        var lifetime: String?

        func validate() throws {
            if let lifetime, Duration(span: lifetime) == nil {
                throw ValidationError("--for takes a span such as 30m, 8h or 7d.")
            }
        }

        private struct Body: Encodable {
            let name: String
            let owner: Bool
            let allow: [String]
            let lifetime: String?
        }

        private struct Created: Decodable {
            let token: String
        }

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let body = Body(name: name, owner: owner, allow: allow, lifetime: lifetime)
                let data = try await session.client.data(
                    .post, "/api/v1/tokens", body: try JSONEncoder().encode(body))
                guard !options.json else { return options.console.print(json: data) }
                options.console.print(try JSONDecoder().decode(Created.self, from: data).token)
                if allow.isEmpty, !owner {
                    options.console.say(
                        "It may do nothing yet: nervous permissions grant \(name) sensor:ID")
                }
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the tokens that work.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let data = try await session.client.data(.get, "/api/v1/tokens")
                guard !options.json else { return options.console.print(json: data) }
                let items = try JSONDecoder().decode(ItemList<TokenItem>.self, from: data).items
                guard !items.isEmpty else {
                    options.console.say(
                        "There are no tokens. Make one with: nervous token create NAME")
                    return
                }
                var table = Table("NAME", "MAY", "CREATED", "EXPIRES")
                for item in items {
                    table.add(
                        item.name,
                        item.owner ? "everything" : "see: nervous permissions \(item.name)",
                        Format.time(item.created), item.expires.map(Format.time) ?? "never")
                }
                table.lines.forEach(options.console.print)
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a token at once, with what it was allowed.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The token's name; see: nervous token list.")
        var name: String

        func run() async throws {
            try await HostSession.with(options.host) { session in
                _ = try await session.client.data(
                    .delete, "/api/v1/tokens/\(ControlClient.segment(name))")
                if options.json {
                    options.console.print("{\"revoked\":\"\(name)\"}")
                } else {
                    options.console.print("The token \(name) works no longer.")
                }
            }
        }
    }
}
