import API
import ArgumentParser
import Foundation
import Host
import Sealing
import Text

/// Manages the secrets of apps and sources.
struct SecretsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secrets",
        abstract: "Keep passwords and keys that the host uses for apps and sources.",
        discussion: """
            Examples:
              nervous secrets                              list the secrets
              nervous secrets set api-key --app weather    ask for the value
              nervous secrets set broker --source mqtt <file
              nervous secrets remove api-key --app weather

            A secret is sealed to the owner's key (nervous lock setup), and can be used
            while that is unlocked. An app never sees it: the host puts it into a header
            of calls to the server that you allowed.
            """,
        subcommands: [List.self, Set.self, Remove.self], defaultSubcommand: List.self)

    /// Whose secret it is.
    struct Holder: ParsableArguments {
        @Option(
            help: ArgumentHelp("The app that uses it.", valueName: "name"),
            completion: .names(.app))
        var app: String?

        @Option(
            help: ArgumentHelp(
                "The source that uses it: the sensor of a sensor pack, or mqtt for the broker in config.json.",
                valueName: "name"))
        var source: String?

        func validate() throws {
            guard (app == nil) != (source == nil) else {
                throw ValidationError("Exactly one of --app and --source is required.")
            }
        }

        /// The holder as the API names it.
        var text: String { app.map { "app:\($0)" } ?? "source:\(source ?? "")" }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the secrets, without their values.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.secrets()
                guard !options.json else { return options.console.print(json: reply.json) }
                let items = try reply.value.items
                guard !items.isEmpty else {
                    return options.console.say(
                        "No secrets. Set one with: nervous secrets set NAME --app APP")
                }
                var table = Table("HOLDER", "NAME", "SET", "USABLE")
                for item in items {
                    table.add([
                        item.holder, item.name, Format.time(item.set),
                        item.keeper == "owner" ? "while unlocked" : "always (weaker: host key)",
                    ])
                }
                options.console.print(table)
            }
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Set a secret; its value is never an argument.")

        @OptionGroup var options: GlobalOptions
        @OptionGroup var holder: Holder

        @Argument(help: "A name of your choice: lower-case letters, digits and hyphens.")
        var name: String

        @Flag(
            help:
                "Keep it with the host's own key, so that it can be used while locked; whoever reads all files of the host can then read it."
        )
        var whileLocked = false

        func validate() throws {
            guard SecretName(name) != nil else {
                throw ValidationError(
                    "A name has 1 to 64 lower-case letters, digits and hyphens.")
            }
        }

        func run() async throws {
            let value =
                Console.inputIsTerminal
                ? try await SecretInput.ask(["Value of \(name): "])[0]
                : try SecretInput.standardInput()
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.setSecret(
                    name, of: holder.text,
                    SecretRequest(value: value, keeper: whileLocked ? "host" : "owner"))
                guard !options.json else { return options.console.print(json: reply.json) }
                options.console.print("Set \(name) of \(holder.text).")
                if whileLocked {
                    options.console.say(
                        "warning: whoever can read all files of the host can read this secret.")
                }
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a secret.")

        @OptionGroup var options: GlobalOptions
        @OptionGroup var holder: Holder

        @Argument(help: "The name; see: nervous secrets.")
        var name: String

        func run() async throws {
            try await HostSession.with(options.host) { session in
                try await session.client.removeSecret(name, of: holder.text)
                if options.json {
                    try options.console.print(encoding: ["removed": true])
                } else {
                    options.console.print("Removed \(name) of \(holder.text).")
                }
            }
        }
    }
}
