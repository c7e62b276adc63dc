import API
import ArgumentParser
import Foundation
import Provider
import Samples

/// Shows what the samples take, and sets how long they are kept.
struct StorageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storage",
        abstract: "See how much room samples take, and set how long they are kept.",
        discussion: """
            Examples:
              nervous storage                                   what each sensor takes
              nervous storage set cpu --raw 30d --summaries 5y  samples, then one summary an hour
              nervous storage set camera --bytes 500MB
              nervous storage set --default --raw 1y            all that have no rule of their own
              nervous storage reset cpu                         the default again
              nervous storage budget 5GB                        for everything together

            When samples go, a summary of each hour stays: count, mean, deviation, percentiles. Where
            the budget is full, the sensor that takes most gives up its oldest samples.
            """,
        subcommands: [List.self, Set.self, Reset.self, Budget.self], defaultSubcommand: List.self)

    static func path(_ sensor: String?) -> String {
        "/api/v1/retention" + (sensor.map { "/\(ControlClient.segment($0))" } ?? "")
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List what each sensor takes, and how long there is room.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await HostSession.with(options) { session in
                let data = try await session.client.data(.get, StorageCommand.path(nil))
                guard !options.json else { return options.console.print(json: data) }
                let storage = try JSONDecoder().decode(StorageDescription.self, from: data)
                storage.lines.forEach(options.console.print)
            }
        }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a sensor's own rule away.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The sensor or the kind.")
        var sensor: String

        func run() async throws {
            try await HostSession.with(options) { session in
                _ = try await session.client.data(.delete, StorageCommand.path(sensor))
                if options.json {
                    options.console.print("{\"reset\":true}")
                } else {
                    options.console.print("\(sensor) has no rule of its own any more.")
                }
            }
        }
    }

    struct Budget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set how much room all samples together may take.",
            discussion: """
                Example:
                  nervous storage budget 5GB
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "Such as 500MB, 5GB or 10GiB.")
        var size: String

        private struct Wishes: Encodable {
            let budget: Int64
        }

        func run() async throws {
            guard let budget = StorageInput.bytes(size) else {
                throw CommandFailure(.usage, "A size such as 500MB, 5GB or 10GiB is needed.")
            }
            try await HostSession.with(options) { session in
                let data = try await session.client.data(
                    .put, StorageCommand.path(nil),
                    body: try JSONEncoder().encode(Wishes(budget: budget)))
                guard !options.json else { return options.console.print(json: data) }
                options.console.print(
                    "All samples together now take \(Format.bytes(Double(budget))) at most.")
            }
        }
    }
}
