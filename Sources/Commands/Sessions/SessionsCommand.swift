import API
import ArgumentParser
import Foundation
import Host

/// Manages sessions: workouts, trips and measurements.
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "Record, export and import workouts, trips and measurements.",
        discussion: """
            Examples:
              nervous sessions new "Lunch walk" --sensor location --sensor steps
              nervous sessions start 3f2a90c1d4e5b678    also pause, resume and finish
              nervous sessions watch                     live results, every second
              nervous sessions                           list the sessions, newest first
              nervous sessions export 3f2a90c1d4e5b678 --format gpx -o walk.gpx
              nervous sessions export --format plist -o workouts.plist
              nervous sessions import walk.gpx           tracks of other programs

            While a session is active, the samples of its sensors belong to it.
            They are collected while a host runs, such as nervous serve.
            """,
        subcommands: [
            List.self, New.self, Show.self, Start.self, Pause.self, Resume.self, Finish.self,
            Watch.self, Edit.self, Delete.self, Export.self, Import.self, Send.self,
        ], defaultSubcommand: List.self)

    /// Selects a session.
    struct Choice: ParsableArguments {
        @OptionGroup var options: GlobalOptions

        @Argument(
            help: "The identifier of the session; see: nervous sessions.",
            completion: .names(.session))
        var id: String
    }

    /// Selects a sensor of a session.
    struct RouteChoice: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                """
                For a route: which location sensor of the session to use; the first by default. For \
                samples: their sensor.
                """,
                valueName: "id"), completion: .names(.sensor))
        var sensor: String?
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the sessions, newest first.")

        @OptionGroup var options: GlobalOptions

        @Option(help: "The maximum number of sessions, up to 1000.")
        var limit = 100

        func validate() throws {
            guard limit >= 1 else { throw ValidationError("--limit must be at least 1.") }
        }

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.sessions(limit: limit)
                guard !options.json else { return options.console.print(json: reply.json) }
                let list = try reply.value
                guard !list.items.isEmpty else {
                    options.console.say(
                        "No sessions. Create one with: nervous sessions new NAME --sensor ID"
                    )
                    return
                }
                var table = Table("SESSION", "STATE", "STARTED", "ACTIVE", "NAME")
                for item in list.items { table.add(item.row) }
                options.console.print(table)
                if list.next != nil { options.console.say("There are more; use --limit.") }
            }
        }
    }

    struct New: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "new",
            abstract: "Create a session, and print its identifier.",
            discussion: """
                Example:
                  nervous sessions new "Lunch walk" --sensor location --sensor steps
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "A name of your choice, at most 100 characters.")
        var name: String

        @Option(
            name: .customLong("sensor"),
            help: ArgumentHelp(
                "A sensor of the session, such as location; may be repeated.", valueName: "id"),
            completion: .names(.sensor))
        var sensors: [String]

        @Option(help: "A description, at most 2000 characters.")
        var description: String?

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.createSession(
                    SessionRequest(name: name, description: description, sensors: sensors))
                guard !options.json else { return options.console.print(json: reply.json) }
                let made = try reply.value
                options.console.print(made.id)
                options.console.say("Start it with: nervous sessions start \(made.id)")
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show a session, its active intervals, and the length of its route.")

        @OptionGroup var choice: Choice

        func run() async throws {
            let options = choice.options
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.session(choice.id)
                guard !options.json else { return options.console.print(json: reply.json) }
                let route = try await RouteSummary.ofSession(choice.id, session)
                try reply.value.lines(route).forEach(options.console.print)
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete a session; the samples of its sensors are kept.")

        @OptionGroup var choice: Choice

        func run() async throws {
            let console = choice.options.console
            try await HostSession.with(choice.options.host) { session in
                try await session.client.deleteSession(choice.id)
                if choice.options.json {
                    try console.print(encoding: ["deleted": true])
                } else {
                    console.print("Deleted the session; the samples of its sensors are kept.")
                }
            }
        }
    }
}

extension SessionsCommand {
    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "edit",
            abstract:
                "Change the name, description or sensors of a session, or the length of its route.",
            discussion: """
                Examples:
                  nervous sessions edit 3f2a90c1d4e5b678 --name "Evening walk"
                  nervous sessions edit 3f2a90c1d4e5b678 --distance 4200

                A length that you enter replaces the route permanently: its positions are lost.
                Sensors can be changed only before the session starts.
                """)

        @OptionGroup var choice: Choice

        @Option(help: "The new name.")
        var name: String?

        @Option(help: "The new description; empty for none.")
        var description: String?

        @Option(
            name: .customLong("sensor"),
            help: ArgumentHelp(
                "A sensor, replacing the previous ones; may be repeated.", valueName: "id"),
            completion: .names(.sensor))
        var sensors: [String] = []

        @Option(help: ArgumentHelp("The length of the route in metres.", valueName: "metres"))
        var distance: Double?

        func validate() throws {
            guard name != nil || description != nil || distance != nil || !sensors.isEmpty else {
                throw ValidationError("Use --name, --description, --sensor or --distance.")
            }
            if let distance, !(distance.isFinite && distance >= 0) {
                throw ValidationError("--distance must not be negative.")
            }
        }

        func run() async throws {
            let options = choice.options
            try await HostSession.with(options.host) { session in
                let request = SessionRequest(
                    name: name, description: description, sensors: sensors.isEmpty ? nil : sensors,
                    distance: distance)
                let reply = try await session.client.editSession(choice.id, request)
                guard !options.json else { return options.console.print(json: reply.json) }
                options.console.print("Changed \(choice.id).")
            }
        }
    }
}
