import ArgumentParser
import Foundation
import Host
import API

/// Workouts, trips and measurements: samples that belong together in time.
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "Record workouts, trips and measurements; export and import them.",
        discussion: """
            Examples:
              nervous sessions new "Lunch walk" --sensor location --sensor steps
              nervous sessions start 3f2a90c1d4e5b678    also pause, resume and finish
              nervous sessions watch                     what it comes to, once a second
              nervous sessions                           what there is, the newest first
              nervous sessions export 3f2a90c1d4e5b678 --format gpx -o walk.gpx
              nervous sessions export --format plist -o workouts.plist
              nervous sessions import workouts.plist     also tracks: .gpx and .geojson

            A session holds no samples: those that its sensors measure while it is active belong to it.
            They are collected while a host runs, such as nervous serve.
            """,
        subcommands: [
            List.self, New.self, Show.self, Start.self, Pause.self, Resume.self, Finish.self,
            Watch.self, Edit.self, Delete.self, Export.self, Import.self, Send.self,
        ], defaultSubcommand: List.self)

    static func path(_ id: String? = nil, _ rest: String = "") -> String {
        "/api/v1/sessions" + (id.map { "/\(ControlClient.segment($0))" } ?? "") + rest
    }

    /// What names a session.
    struct Choice: ParsableArguments {
        @OptionGroup var options: GlobalOptions

        @Argument(help: "The session; see: nervous sessions.")
        var id: String
    }

    /// What names one of the routes of a session.
    struct RouteChoice: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "Which of its sensors of locations, if not the first.", valueName: "id"))
        var sensor: String?
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the sessions, the newest first.")

        @OptionGroup var options: GlobalOptions

        @Option(help: "At most so many, up to 1000.")
        var limit = 100

        func validate() throws {
            guard limit >= 1 else { throw ValidationError("--limit is 1 or more.") }
        }

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let data = try await session.client.data(
                    .get, SessionsCommand.path(), query: [("limit", String(limit))])
                guard !options.json else { return options.console.print(json: data) }
                let list = try JSONDecoder().decode(ItemList<SessionDescription>.self, from: data)
                guard !list.items.isEmpty else {
                    options.console.say(
                        "There are no sessions. Make one with: nervous sessions new NAME --sensor ID"
                    )
                    return
                }
                var table = Table("SESSION", "STATE", "BEGUN", "ACTIVE", "NAME")
                for item in list.items { table.add(item.row) }
                table.lines.forEach(options.console.print)
                if list.next != nil { options.console.say("There are more: say --limit.") }
            }
        }
    }

    struct New: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a session, and print what to call it by.",
            discussion: """
                Example:
                  nervous sessions new "Lunch walk" --sensor location --description "Around the lake"
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "A name of your choice, at most 100 characters.")
        var name: String

        @Option(
            name: .customLong("sensor"),
            help: ArgumentHelp(
                "A sensor that belongs to it, such as location; may be repeated.", valueName: "id"))
        var sensors: [String]

        @Option(help: "Words about it, at most 2000 characters.")
        var description: String?

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let data = try await session.client.data(
                    .post, SessionsCommand.path(),
                    body: try JSONEncoder().encode(
                        Wish(name: name, description: description, sensors: sensors)))
                guard !options.json else { return options.console.print(json: data) }
                let made = try JSONDecoder().decode(SessionDescription.self, from: data)
                options.console.print(made.id)
                options.console.say("Start it with: nervous sessions start \(made.id)")
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a session, when it was active, and how long its route is.")

        @OptionGroup var choice: Choice

        func run() async throws {
            let options = choice.options
            try await HostSession.with(options.host) { session in
                let data = try await session.client.data(.get, SessionsCommand.path(choice.id))
                guard !options.json else { return options.console.print(json: data) }
                let shown = try JSONDecoder().decode(SessionDescription.self, from: data)
                let route = try await RouteSummary.found(of: choice.id, session)
                shown.lines(route).forEach(options.console.print)
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forget a session; what its sensors measured stays.")

        @OptionGroup var choice: Choice

        func run() async throws {
            let console = choice.options.console
            try await HostSession.with(choice.options.host) { session in
                _ = try await session.client.data(.delete, SessionsCommand.path(choice.id))
                if choice.options.json {
                    console.print("{\"deleted\":true}")
                } else {
                    console.print("The session is forgotten; what its sensors measured stays.")
                }
            }
        }
    }

    /// What the API takes.
    struct Wish: Encodable {
        var name: String?
        var description: String?
        var sensors: [String]?
        /// In metres.
        var distance: Double?
    }
}

extension SessionsCommand {
    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change the words of a session, or the length of its route.",
            discussion: """
                Examples:
                  nervous sessions edit 3f2a90c1d4e5b678 --name "Evening walk"
                  nervous sessions edit 3f2a90c1d4e5b678 --distance 4200

                A length that you enter takes the place of the route for good: no map is left of it.
                Sensors change only before the session is started.
                """)

        @OptionGroup var choice: Choice

        @Option(help: "Another name.")
        var name: String?

        @Option(help: "Other words about it; empty for none.")
        var description: String?

        @Option(
            name: .customLong("sensor"),
            help: ArgumentHelp("The sensors in place of those before.", valueName: "id"))
        var sensors: [String] = []

        @Option(help: ArgumentHelp("The length of the route in metres.", valueName: "metres"))
        var distance: Double?

        func validate() throws {
            guard name != nil || description != nil || distance != nil || !sensors.isEmpty else {
                throw ValidationError("--name, --description, --sensor or --distance is needed.")
            }
            if let distance, !(distance.isFinite && distance >= 0) {
                throw ValidationError("--distance is zero metres or more.")
            }
        }

        func run() async throws {
            let options = choice.options
            try await HostSession.with(options.host) { session in
                let wish = Wish(
                    name: name, description: description, sensors: sensors.isEmpty ? nil : sensors,
                    distance: distance)
                let data = try await session.client.data(
                    .patch, SessionsCommand.path(choice.id), body: try JSONEncoder().encode(wish))
                guard !options.json else { return options.console.print(json: data) }
                options.console.print("\(choice.id) is changed.")
            }
        }
    }
}
