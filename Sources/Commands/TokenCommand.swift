import API
import ArgumentParser
import Foundation
import Host
import Samples

/// Manages tokens for the owner's programs.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Create, list and revoke tokens for your own programs, such as curl.",
        subcommands: [Create.self, List.self, Revoke.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a token and print it; it cannot be shown again.",
            discussion: """
                Example:
                  TOKEN=$(nervous token create curl --allow sensor:cpu --for 1h)
                  curl -H "Authorization: Bearer $TOKEN" \\
                       http://localhost:8080/api/v1/sensors/cpu/latest
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "A name of your choice, in kebab-case.")
        var name: String

        @Option(
            help: "Grant a privilege, such as sensor:cpu or sensor:memory:stats; may be repeated.",
            completion: .names(.privilege))
        var allow: [String] = []

        @Flag(help: "Let the token do everything that you may do.")
        var owner = false

        @Option(
            name: [.customLong("for"), .customLong("expires")],
            help: ArgumentHelp(
                "How long the token is valid, such as 1h, or never; 90 days by default.",
                valueName: "duration"))
        var lifetime: String?

        func validate() throws {
            if let lifetime, !TokenRequest.isLifetime(lifetime) {
                throw ValidationError("--for takes a duration such as 30m, 8h or 7d, or never.")
            }
        }

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.createToken(
                    TokenRequest(name: name, owner: owner, allow: allow, lifetime: lifetime))
                guard !options.json else { return options.console.print(json: reply.json) }
                options.console.print(try reply.value.token)
                if allow.isEmpty, !owner {
                    options.console.say(
                        "It has no permissions yet: nervous permissions grant \(name) sensor:ID")
                }
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the valid tokens.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.tokens()
                guard !options.json else { return options.console.print(json: reply.json) }
                let items = try reply.value.items
                guard !items.isEmpty else {
                    options.console.say(
                        "No tokens. Create one with: nervous token create NAME")
                    return
                }
                var table = Table("NAME", "PERMISSIONS", "CREATED", "EXPIRES")
                for item in items {
                    table.add(
                        item.name,
                        item.owner ? "everything" : "see: nervous permissions \(item.name)",
                        Format.time(item.created), item.expires.map(Format.time) ?? "never")
                }
                options.console.print(table)
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Revoke a token and its permissions immediately.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The token's name; see: nervous token list.", completion: .names(.token))
        var name: String

        func run() async throws {
            try await HostSession.with(options.host) { session in
                try await session.client.revokeToken(of: name)
                if options.json {
                    try options.console.print(encoding: ["revoked": name])
                } else {
                    options.console.print("Token '\(name)' revoked.")
                }
            }
        }
    }
}
