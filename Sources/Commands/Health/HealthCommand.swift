import API
import ArgumentParser
import Foundation
import Host
import Text

/// Shows, exports and deletes what apps save in the health store.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Show, export and delete health data that apps save.",
        discussion: """
            Examples:
              nervous health                             what is stored, by type and app
              nervous health types                       the types, with their units
              nervous health set date-of-birth 1984-02-29
              nervous health set height 178 --unit cm
              nervous health show heart-rate --from -1d  samples, newest first
              nervous health show workout                workouts of the last 7 days
              nervous health export -o health.ndjson     everything, as JSON lines
              nervous health delete --app run-log        what an app has saved

            Which app reads and writes which type is a permission, such as
            health:heart-rate; see: nervous permissions.
            """,
        subcommands: [
            List.self, Types.self, Show.self, Set.self, Unset.self, Export.self, Delete.self,
        ], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Show how much is stored, by type and app.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.healthSummary()
                guard !options.json else { return options.console.print(json: reply.json) }
                let items = try reply.value.items
                guard !items.isEmpty else {
                    return options.console.say("No health data. Apps save it with your permission.")
                }
                var table = Table("TYPE", "APP", "OBJECTS", "OLDEST", "NEWEST")
                for item in items {
                    table.add(
                        item.type, item.app ?? "–", String(item.count), Format.time(item.oldest),
                        Format.time(item.newest))
                }
                options.console.print(table)
            }
        }
    }

    struct Types: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "types",
            abstract: "List the types of health data, with their units or values.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.healthTypes()
                guard !options.json else { return options.console.print(json: reply.json) }
                var table = Table("TYPE", "KIND", "TITLE", "UNITS OR VALUES")
                for type in try reply.value.items {
                    let choices = type.units ?? type.values ?? []
                    table.add(type.id, type.kind, type.title, choices.joined(separator: ", "))
                }
                options.console.print(table)
            }
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Set a characteristic, such as your date of birth.",
            discussion: """
                Examples:
                  nervous health set date-of-birth 1984-02-29
                  nervous health set sex female
                  nervous health set height 5.84 --unit "[ft_i]"
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The characteristic; see: nervous health types.")
        var type: String

        @Argument(help: "The value.")
        var value: String

        @Option(help: ArgumentHelp("The unit of a number, as a UCUM code.", valueName: "code"))
        var unit: String?

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let types = try await session.client.healthTypes().value.items
                let isNumber = types.first { $0.id == type }?.unit != nil
                let number = Double(decimal: value).map(JSONScalar.number)
                guard let scalar = isNumber ? number : .text(value) else {
                    throw CommandFailure(
                        .usage, "\(value.debugDescription) is not a number.",
                        hint: "Write a decimal number, such as 1.78, and the unit with --unit.")
                }
                try await session.client.setCharacteristic(
                    type, CharacteristicRequest(value: scalar, unit: unit))
                let reply = try await session.client.characteristic(type)
                guard !options.json else { return options.console.print(json: reply.json) }
                options.console.print("\(type): \(try reply.value.valueText)")
            }
        }
    }

    struct Unset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unset", abstract: "Remove a characteristic.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The characteristic; see: nervous health types.")
        var type: String

        func run() async throws {
            try await HostSession.with(options.host) { session in
                try await session.client.removeCharacteristic(type)
                if options.json {
                    try options.console.print(encoding: ["deleted": true])
                } else {
                    options.console.print("Removed \(type).")
                }
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete health data by identifier, type, app or time.",
            discussion: """
                Examples:
                  nervous health delete 3f2a90c1d4e5b678
                  nervous health delete --type heart-rate --to 2025-01-01
                  nervous health delete --app run-log
                  nervous health delete --all            also the characteristics

                With a workout or correlation its samples are deleted, too.
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "Identifiers of samples, workouts or correlations.")
        var ids: [String] = []

        @Option(help: "Only data of this type.")
        var type: String?

        @Option(help: "Only data that this app or program saved.", completion: .names(.app))
        var app: String?

        @OptionGroup var range: TimeBoundOptions

        @Flag(help: "Delete everything, also the characteristics.")
        var all = false

        @Flag(name: [.short, .long], help: "Do not ask for confirmation.")
        var yes = false

        private var conditions: [String] {
            [
                type.map { "of the type \($0)" }, app.map { "that \($0) saved" },
                range.from.map { "from \($0)" }, range.to.map { "to \($0)" },
            ].compactMap(\.self)
        }

        func validate() throws {
            let given = [!ids.isEmpty, !conditions.isEmpty, all].count(where: \.self)
            guard given == 1 else {
                throw ValidationError(
                    "Name identifiers, or use --type, --app, --from and --to, or --all.")
            }
        }

        func run() async throws {
            try await HostSession.with(options.host) { session in
                try confirm()
                var count = ids.count
                if ids.isEmpty {
                    let (from, to) = range.parameters
                    let reply = try await session.client.deleteHealth(
                        type: type, app: app, from: from, to: to, all: all)
                    count = try reply.value.deleted
                }
                for id in ids { try await session.client.deleteHealthObject(id) }
                guard !options.json else {
                    return try options.console.print(encoding: ["deleted": count])
                }
                options.console.print("Deleted \(count) \(count == 1 ? "object" : "objects").")
            }
        }

        private func confirm() throws {
            guard !yes else { return }
            let what =
                all
                ? "All health data, and the characteristics,"
                : ids.isEmpty
                    ? "All health data \(conditions.joined(separator: " "))"
                    : "\(ids.count) \(ids.count == 1 ? "object" : "objects")"
            try Confirmation(
                lines: ["\(what) will be deleted. This cannot be undone."],
                question: "Delete it?", refusal: "Nothing was deleted",
                hint: "Use --yes to delete it without confirmation."
            ).ask(options.console)
        }
    }
}

extension CharacteristicDescription {
    /// The value with its unit.
    var valueText: String { value.shown(in: unit) }
}

extension JSONScalar {
    /// The value for display, with its unit.
    func shown(in unit: String? = nil) -> String {
        switch self {
        case .flag(let flag): flag ? "yes" : "no"
        case .number(let number): Format.value(number, unit: unit)
        case .text(let text): text.escapedForDisplay(limit: 64)
        }
    }
}
