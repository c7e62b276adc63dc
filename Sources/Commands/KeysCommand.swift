import ArgumentParser
import Foundation
import Host
import JSApps

/// Manages signing keys, and names for the keys of others.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Create signing keys, and name the keys of others.",
        discussion: """
            Examples:
              nervous keys create home             create a key of your own
              nervous pack my-app --sign home      sign with it
              nervous keys export home             its public key, for others
              nervous keys name ann nvpub_03a1…    name the public key of another signer

            Names are local and grant nothing. Back up your own key, the file keys/NAME in
            the data directory: without it the apps that it signed cannot be updated.
            """,
        subcommands: [Create.self, List.self, Export.self, Name.self, Remove.self],
        defaultSubcommand: List.self)

    /// A key as JSON.
    struct Item: Encodable {
        let name: String
        let key: String
        let fingerprint: String
        let own: Bool

        init(_ key: NamedKey) {
            name = key.name
            self.key = key.key.text
            fingerprint = key.key.fingerprint
            own = key.isOwn
        }
    }

    private struct Items: Encodable {
        let items: [Item]
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a key of your own, and print its public key.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "A name of your choice, in kebab-case.")
        var name: String

        func validate() throws { try KeysCommand.check(name) }

        func run() async throws {
            let made = try options.keys.create(name)
            guard !options.json else { return try options.console.print(encoding: Item(made)) }
            options.console.print(made.key.text)
            options.console.say("Created the key \(name), \(made.key.shortFingerprint).")
            options.console.say("Sign with it: nervous pack DIR --sign \(name)")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the keys, without secrets.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            let keys = try options.keys.keys()
            guard !options.json else {
                return try options.console.print(encoding: Items(items: keys.map(Item.init)))
            }
            guard !keys.isEmpty else {
                options.console.say(
                    "No keys. Create one with: nervous keys create NAME")
                return
            }
            var table = Table("NAME", "OWNER", "FINGERPRINT")
            for key in keys {
                table.add(key.name, key.isOwn ? "you" : "other", key.key.fingerprint)
            }
            options.console.print(table)
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Print a public key.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The key's name; see: nervous keys list.", completion: .names(.key))
        var name: String

        func run() async throws {
            let key = try options.keys.key(name)
            guard !options.json else { return try options.console.print(encoding: Item(key)) }
            options.console.print(key.key.text)
        }
    }

    struct Name: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "name",
            abstract: "Name the public key of another signer.",
            discussion: """
                Obtain the key from its signer in a way that you trust. Prompts and `nervous
                apps` then show the name for every package that the key has signed.
                Example: nervous keys name ann nvpub_03a1…
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "A name of your choice, in kebab-case.")
        var name: String

        @Argument(help: "The public key, which begins with nvpub_.")
        var key: String

        func validate() throws { try KeysCommand.check(name) }

        func run() async throws {
            let named = try options.keys.name(name, key)
            guard !options.json else { return try options.console.print(encoding: Item(named)) }
            options.console.print("\(named.key.shortFingerprint) is now named \(name).")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a key or a name; signed packages remain signed.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The key's name; see: nervous keys list.", completion: .names(.key))
        var name: String

        @Flag(help: "Confirm the removal of a private key.")
        var yes = false

        func run() async throws {
            guard try yes || !options.keys.isOwn(name) else {
                throw CommandFailure(
                    .usage,
                    "\(name) is your own key: without it the apps that it signed cannot be updated.",
                    hint: "To remove it anyway: nervous keys remove \(name) --yes", type: "own-key")
            }
            try options.keys.remove(name)
            guard !options.json else {
                return try options.console.print(encoding: ["removed": name])
            }
            options.console.print("Removed \(name).")
        }
    }

    private static func check(_ name: String) throws {
        guard AppName(name) != nil else {
            throw ValidationError("A key's name must be kebab-case, such as home-2026.")
        }
    }
}

extension GlobalOptions {
    /// The owner's keys.
    var keys: KeyFolder { KeyFolder(data: host.paths.data) }
}
