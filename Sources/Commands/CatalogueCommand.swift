import API
import ArgumentParser
import Egress
import Foundation
import Host
import JSApps
import Text

/// Adds and removes catalogues of packages, and makes one.
struct CatalogueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue",
        abstract: "Add catalogues of apps and sensor packs, or make one.",
        discussion: """
            A catalogue is a signed list of packages in a folder or on a server. Find
            packages with `nervous apps search`. The bundled packages need no catalogue.
            """,
        subcommands: [Add.self, List.self, Remove.self, Make.self], defaultSubcommand: List.self)

    private static func number(ofPackages count: Int) -> String {
        count == 1 ? "1 package" : "\(count) packages"
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add a catalogue, and accept its key.",
            discussion: """
                The key is kept: an index that another key has signed is refused from then
                on, and so is an index that is older than the newest one seen.
                Compare the fingerprint with one that its publisher gave you elsewhere.
                Examples:
                  nervous catalogue add https://example.org/catalogue/
                  nervous catalogue add /srv/catalogue --as home
                  nervous catalogue add https://example.org/catalogue/ --key nvpub_03a1…
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(
            help: "The https URL or the path of an index.json, or of its folder.",
            completion: .file())
        var address: String

        @Option(
            name: .customLong("as"),
            help: ArgumentHelp(
                "Your name for it, instead of its publisher's.", valueName: "name"))
        var name: String?

        @Option(
            help: ArgumentHelp(
                "Accept this public key, or the key of this name, without confirmation.",
                valueName: "key"), completion: .names(.key))
        var key: String?

        func run() async throws {
            let key = try key.map {
                try $0.hasPrefix("nvpub_") ? $0 : options.keys.key($0).key.text
            }
            let path = DownloadAddress.isAddress(address) ? address : absolutePath
            try await HostSession.with(options.host) { session in
                let client = session.client
                let accepted: String
                if let key {
                    accepted = key
                } else {
                    let request = CatalogueRequest(address: path, name: name)
                    let found = try await ProgressLine.during("Reading", options.console) {
                        try await client.addCatalogue(request, isDryRun: true).value
                    }
                    try confirm(found)
                    accepted = found.key
                }
                let request = CatalogueRequest(address: path, name: name, key: accepted)
                let reply = try await ProgressLine.during("Reading", options.console) {
                    try await client.addCatalogue(request)
                }
                guard !options.json else { return options.console.print(json: reply.json) }
                let added = try reply.value
                options.console.print(
                    "Added \(added.name), \(CatalogueCommand.number(ofPackages: added.count)).")
                options.console.say("Search it with: nervous apps search WORD")
            }
        }

        private var absolutePath: String {
            URL(filePath: address).standardizedFileURL.path(percentEncoded: false)
        }

        private func confirm(_ catalogue: CatalogueDescription) throws {
            let signer = catalogue.signer.map { " (\($0))" } ?? ""
            var lines = [
                "Catalogue:   \(catalogue.name), edition \(catalogue.sequence),"
                    + " \(CatalogueCommand.number(ofPackages: catalogue.count))"
            ]
            if let title = catalogue.title {
                lines.append("Title:       \"\(title.escapedForDisplay(limit: 120))\"")
            }
            lines += [
                "Address:     \(catalogue.address.escapedForDisplay(limit: 200))",
                "Fingerprint: \(catalogue.fingerprint)\(signer)",
            ]
            try Confirmation(
                lines: lines, question: "Accept this key?", refusal: "Nothing was added",
                hint: "Accept a key that you know with: --key KEY"
            ).ask(options.console)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List your catalogues.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.catalogues()
                guard !options.json else { return options.console.print(json: reply.json) }
                let items = try reply.value.items
                guard !items.isEmpty else {
                    return options.console.say(
                        "There is no catalogue. Add one with: nervous catalogue add ADDRESS")
                }
                var table = Table("CATALOGUE", "EDITION", "PACKAGES", "READ", "KEY", "ADDRESS")
                for item in items {
                    table.add(
                        item.name, "\(item.sequence)", "\(item.count)",
                        item.refreshed.map { Format.time($0) } ?? "–",
                        item.signer ?? SignerKey.shortened(item.fingerprint), item.address)
                }
                options.console.print(table)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a catalogue and forget its key; installed apps remain.")

        @OptionGroup var options: GlobalOptions

        @Argument(
            help: "The catalogue; see: nervous catalogue list.", completion: .names(.catalogue))
        var catalogue: String

        func run() async throws {
            try await HostSession.with(options.host) { session in
                try await session.client.removeCatalogue(catalogue)
                guard !options.json else {
                    return try options.console.print(encoding: ["removed": catalogue])
                }
                options.console.print("Removed \(catalogue); its apps remain.")
            }
        }
    }

    struct Make: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "make",
            abstract: "Create a catalogue from a folder of packages.",
            discussion: """
                Every .zip and .nervous file is checked as in an installation. Then
                index.json and index.json.sig are written to the folder, which can be
                copied to a server.
                The result is reproducible. If a package changes, the result is the next
                edition.
                Example: nervous catalogue make ./packages --sign home --name example
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The folder of the packages.", completion: .directory)
        var folder: String

        @Option(
            help: ArgumentHelp(
                "Sign with this key; see: nervous keys list.", valueName: "key"),
            completion: .names(.key))
        var sign: String

        @Option(help: "The name of the catalogue; by default that of the present index.")
        var name: String?

        @Option(help: "A title; by default that of the present index.")
        var title: String?

        @Option(
            help: ArgumentHelp(
                "The number of the edition, if the present index was lost.", valueName: "number"))
        var sequence: Int64?

        private struct Written: Encodable {
            let name: String
            let sequence: Int64
            let packages: Int
            let signer: String
            let unchanged: Bool
        }

        func validate() throws {
            guard name.map({ AppName($0) != nil }) ?? true else {
                throw ValidationError("--name must be kebab-case, such as my-catalogue.")
            }
            guard title.map({ (1...100).contains($0.unicodeScalars.count) }) ?? true else {
                throw ValidationError("--title has 1 to 100 characters.")
            }
        }

        func run() async throws {
            let key = try options.keys.signingKey(sign)
            let url = URL(filePath: folder).standardizedFileURL
            let maker = CatalogueMaker(
                limits: try options.host.configuration.packages,
                unpacker: ArchiveUnpacker(program: try? CompanionProgram.unpacker.path()))
            let progress = ProgressLine("Checking packages", options.console)
            defer { progress.end() }
            let made = try maker.make(
                url, named: name.flatMap { AppName($0) }, title: title, sequence: sequence,
                signingWith: key
            ) { progress.show($0, of: $1) }
            progress.end()
            let file = CatalogueIndex.fileName
            if !made.isUnchanged {
                try write(made.index, to: url.appending(path: file))
                let signature = file + CatalogueIndex.signatureEnding
                try write(made.signature, to: url.appending(path: signature))
            }
            let index = made.edition.index
            guard !options.json else {
                return try options.console.print(
                    encoding: Written(
                        name: index.name.text, sequence: index.sequence,
                        packages: index.packages.count, signer: key.signer.fingerprint,
                        unchanged: made.isUnchanged))
            }
            options.console.print(
                "\(index.name), edition \(index.sequence)\(made.isUnchanged ? " (unchanged)" : ""),"
                    + " \(CatalogueCommand.number(ofPackages: index.packages.count)),"
                    + " signed by \(key.signer.shortFingerprint)")
        }

        private func write(_ bytes: [UInt8], to url: URL) throws {
            do {
                try Data(bytes).write(to: url, options: .atomic)
            } catch {
                throw CommandFailure.cannotWrite(url.path(percentEncoded: false))
            }
        }
    }
}
