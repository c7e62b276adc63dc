import ArgumentParser
import Foundation
import Host
import JSApps

/// Keys to sign packages with, and names for those of others.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make keys to sign packages with, and name the keys of others.",
        discussion: """
            Examples:
              nervous keys create home             make a key of your own
              nervous pack my-app --sign home      sign with it
              nervous keys export home             its public half, to give to others
              nervous keys name ann nvpub_03a1…    show what this key signed as “signed by ann”

            A name is yours alone and allows nothing. Keep a copy of the file of your own key,
            in the folder keys of the data directory: without it nobody can update what it signed.
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
            abstract: "Make a key of your own, and print its public half.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "A name of your choice, in kebab-case.")
        var name: String

        func validate() throws { try KeysCommand.check(name) }

        func run() async throws {
            let made = try options.keys.create(name)
            guard !options.json else { return try options.console.print(encoding: Item(made)) }
            options.console.print(made.key.text)
            options.console.say("Made the key \(name), \(made.key.shortFingerprint).")
            options.console.say("Sign with it: nervous pack DIR --sign \(name)")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the keys, without secrets.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            let keys = try options.keys.keys()
            guard !options.json else {
                return try options.console.print(encoding: Items(items: keys.map(Item.init)))
            }
            guard !keys.isEmpty else {
                options.console.say(
                    "There are no keys. Make one with: nervous keys create NAME")
                return
            }
            var table = Table("NAME", "WHOSE", "FINGERPRINT")
            for key in keys {
                table.add(key.name, key.isOwn ? "yours" : "another's", key.key.fingerprint)
            }
            table.lines.forEach(options.console.print)
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a public key, to give to others.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The key's name; see: nervous keys list.")
        var name: String

        func run() async throws {
            let key = try options.keys.key(name)
            guard !options.json else { return try options.console.print(encoding: Item(key)) }
            options.console.print(key.key.text)
        }
    }

    struct Name: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Name the public key of somebody else.",
            discussion: """
                Get the key from its owner by a way you trust. Prompts and `nervous apps` then show
                the name for every package that the key has signed.
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
            options.console.print("\(named.key.shortFingerprint) is \(name) from now on.")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a key or a name; what was signed stays signed.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The key's name; see: nervous keys list.")
        var name: String

        @Flag(help: "Remove a key of your own, too.")
        var yes = false

        func run() async throws {
            guard try yes || !options.keys.isOwn(name) else {
                throw CommandFailure(
                    .usage,
                    "\(name) is a key of yours: without it nobody can update what it signed.",
                    hint: "If that is meant: nervous keys remove \(name) --yes", type: "own-key")
            }
            try options.keys.remove(name)
            guard !options.json else { return options.console.print("{\"removed\":\"\(name)\"}") }
            options.console.print("Removed \(name).")
        }
    }

    private static func check(_ name: String) throws {
        guard AppName(name) != nil else {
            throw ValidationError("A key's name is kebab-case, such as home-2026.")
        }
    }
}

extension GlobalOptions {
    /// The keys of the person.
    var keys: KeyFolder { KeyFolder(data: host.paths.data) }
}
