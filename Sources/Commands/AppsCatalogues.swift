import API
import ArgumentParser
import Foundation
import Host
import JSApps
import Text

/// The catalogue from which a command takes packages.
private struct CatalogueOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Use only this catalogue; 'bundled' is the one that comes with Nervous.",
            valueName: "name"),
        completion: .names(.catalogue))
    var catalogue: String?

    func includes(_ name: String) -> Bool { catalogue.map { $0 == name } ?? true }
}

extension AppsCommand {
    struct Search: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "search",
            abstract: "Search the bundled packages and those of your catalogues.",
            discussion: """
                Examples:
                  nervous apps search              everything
                  nervous apps search step counter
                The catalogues are searched as they were last read; see: nervous apps update
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "Words of the name, the title or the description; all must occur.")
        var words: [String] = []

        private struct Found: Encodable {
            let items: [AvailablePackages.Item]
        }

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let items = try await AvailablePackages(session.client).items
                    .filter { $0.matches(words) }
                guard !options.json else {
                    return try options.console.print(encoding: Found(items: items))
                }
                guard !items.isEmpty else { return options.console.say("Nothing was found.") }
                var table = Table("NAME", "VERSION", "KIND", "CATALOGUE", "INSTALLED", "TITLE")
                for item in items {
                    table.add(
                        item.name, item.version ?? "–", item.isApp ? "app" : "sensors",
                        item.catalogue, item.installed ?? "–", item.title ?? "")
                }
                options.console.print(table)
                options.console.say("Install one with: nervous apps install NAME")
            }
        }
    }

    struct Info: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "info",
            abstract: "Show a package of a catalogue.",
            discussion: """
                Its privileges are in the package itself; see them without installing with:
                  nervous apps install NAME --dry-run
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(
            help: "The package; see: nervous apps search.", completion: .names(.availableApp))
        var package: String

        @OptionGroup fileprivate var place: CatalogueOption

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let item = try await AvailablePackages(session.client)
                    .package(named: package, in: place.catalogue)
                guard !options.json else { return try options.console.print(encoding: item) }
                let version = item.version?.escapedForDisplay(limit: 40) ?? ""
                var lines = [
                    "\(item.name) \(version), \(item.isApp ? "an app" : "a sensor pack")",
                    "catalogue: \(item.catalogue)",
                    "installed: \(item.installed?.escapedForDisplay(limit: 40) ?? "no")",
                ]
                if let title = item.title {
                    lines.append("title: \"\(title.escapedForDisplay(limit: 120))\"")
                }
                if let description = item.description {
                    lines.append("description: \"\(description.escapedForDisplay(limit: 1000))\"")
                }
                if let size = item.size, let sha256 = item.sha256 {
                    lines.append("file: \(Format.bytes(Double(size))), SHA-256 \(sha256)")
                }
                lines.forEach(options.console.print)
            }
        }
    }

    struct Install: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "install",
            abstract: "Install an app of a catalogue, or a bundled one.",
            discussion: """
                The package is compared with the size and the SHA-256 in the signed index, and
                then installed as `nervous install` does.
                Examples:
                  nervous apps install step-counter
                  nervous apps install step-counter --catalogue example --dry-run
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The app; see: nervous apps search.", completion: .names(.availableApp))
        var app: String

        @OptionGroup fileprivate var place: CatalogueOption

        @OptionGroup var choice: InstallChoice

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let item = try await AvailablePackages(session.client)
                    .package(named: app, in: place.catalogue)
                let reply = try await item.install(
                    with: session.client, options, isDryRun: choice.dryRun,
                    allowsDowngrade: choice.allowDowngrade)
                try choice.show(reply, options)
            }
        }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "update",
            abstract: "Read the catalogues again, and list updates or install one.",
            discussion: """
                Nothing is updated automatically: the changes of version, size and privileges
                are shown, and you confirm them.
                Examples:
                  nervous apps update
                  nervous apps update step-counter
                  nervous apps update step-counter --dry-run
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "Update this app.", completion: .names(.app))
        var app: String?

        @OptionGroup fileprivate var place: CatalogueOption

        @Flag(help: "Show the changes, without installing.")
        var dryRun = false

        @Flag(help: "Do not ask for confirmation.")
        var yes = false

        private struct Updates: Encodable {
            let items: [AvailablePackages.Item]
        }

        func validate() throws {
            guard app != nil || !(dryRun || yes) else {
                throw ValidationError("--dry-run and --yes require the name of an app.")
            }
        }

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let failures = try await refresh(session.client)
                let available = try await AvailablePackages(session.client)
                if let app {
                    try await update(app, available, session.client)
                } else {
                    try list(available)
                }
                // The command did not do all that it was asked for.
                if let failure = failures.first { throw failure }
            }
        }

        /// Reads the catalogues again; one that fails does not keep the others from being read.
        private func refresh(_ client: APIClient) async throws -> [CommandFailure] {
            var failures: [CommandFailure] = []
            for known in try await client.catalogues().value.items
            where place.includes(known.name) {
                do {
                    _ = try await ProgressLine.during("Reading \(known.name)", options.console) {
                        try await client.refreshCatalogue(known.name)
                    }
                } catch is CancellationError {
                    throw CancellationError()
                } catch {
                    let failure = CommandFailure(error)
                    failures.append(failure)
                    guard !options.json else { continue }
                    options.console.say("warning: \(known.name) was not read: \(failure.message)")
                }
            }
            return failures
        }

        private func list(_ available: AvailablePackages) throws {
            let items = available.items.filter { $0.isUpdate && place.includes($0.catalogue) }
            guard !options.json else {
                return try options.console.print(encoding: Updates(items: items))
            }
            guard !items.isEmpty else { return options.console.say("No app has an update.") }
            var table = Table("APP", "INSTALLED", "AVAILABLE", "SIZE", "CATALOGUE")
            for item in items {
                table.add(
                    item.name, item.installed ?? "–", item.version ?? "–",
                    item.size.map { Format.bytes(Double($0)) } ?? "–", item.catalogue)
            }
            options.console.print(table)
            options.console.say("Show the changes and install one with: nervous apps update NAME")
        }

        private func update(
            _ name: String, _ available: AvailablePackages, _ client: APIClient
        ) async throws {
            let before = try await client.app(name).value
            guard let item = try available.update(of: name, in: place.catalogue) else {
                guard !options.json else {
                    return try options.console.print(encoding: Updates(items: []))
                }
                return options.console.say("\(name) \(before.shownVersion) has no update.")
            }
            let isAsked = !dryRun && !yes
            let reply = try await item.install(
                with: client, options, isDryRun: dryRun,
                confirm: isAsked ? { try ask($0, before, item) } : nil)
            guard !options.json else { return options.console.print(json: reply.json) }
            let app = try reply.value
            let report = InstallReport(app: app, isDryRun: dryRun).lines
            (report + sizes(before, app)).forEach(options.console.print)
        }

        private func ask(
            _ app: AppDescription, _ before: AppDescription, _ item: AvailablePackages.Item
        ) throws {
            let lines = InstallReport(app: app, isDryRun: true).lines + sizes(before, app)
            try Confirmation(
                lines: lines + ["From the catalogue \(item.catalogue)."],
                question: "Update it?", refusal: "Nothing was updated",
                hint: "Use --yes to update it without confirmation."
            ).ask(options.console)
        }

        private func sizes(_ before: AppDescription, _ after: AppDescription) -> [String] {
            guard let old = before.size, let new = after.size else { return [] }
            let (from, to) = (Format.bytes(Double(old)), Format.bytes(Double(new)))
            return ["Size: \(from) → \(to), files: \(before.files) → \(after.files)"]
        }
    }
}
