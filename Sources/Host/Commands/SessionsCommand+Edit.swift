import ArgumentParser
import Foundation
import Provider

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
            try await HostSession.with(options) { session in
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

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the route of a session for maps and other programs.",
            discussion: """
                Examples:
                  nervous sessions export 3f2a90c1d4e5b678 --format gpx -o walk.gpx
                  nervous sessions export 3f2a90c1d4e5b678 | jq .distance
                """)

        /// The forms of a route, as the API calls them.
        enum Form: String, CaseIterable, ExpressibleByArgument {
            case geojson, gpx
        }

        @OptionGroup var choice: Choice

        @Option(help: "geojson or gpx.")
        var format = Form.geojson

        @Option(
            help: ArgumentHelp(
                "Which of its sensors of locations, if not the first.", valueName: "id"))
        var sensor: String?

        @Option(
            name: [.short, .long], help: "The file to write, which must not be there yet.",
            completion: .file())
        var output: String?

        func run() async throws {
            let options = choice.options
            if output == nil {
                try RawOutput.check(
                    "Routes are", hint: "Name a file with -o, or send it to a program.")
            }
            try await HostSession.with(options) { session in
                let data = try await session.client.data(
                    .get, SessionsCommand.path(choice.id, "/route"),
                    query: [("format", format.rawValue), ("sensor", sensor)], isPatient: true)
                guard let output else {
                    _ = try RawOutput.write(data)
                    return
                }
                do {
                    try data.write(to: URL(filePath: output), options: .withoutOverwriting)
                } catch {
                    throw CommandFailure(
                        .cannotCreate, "\(output) cannot be written, or is there already.")
                }
                if options.json {
                    options.console.print("{\"bytes\":\(data.count)}")
                } else {
                    options.console.say("Wrote \(output).")
                }
            }
        }
    }
}
