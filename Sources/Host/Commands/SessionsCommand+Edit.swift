import API
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
}
