import API
import ArgumentParser
import Foundation
import Provider

extension StorageCommand {
    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set how long a sensor's samples and their summaries are kept.",
            discussion: """
                What is not named stays as it is; none takes a limit away.
                Examples:
                  nervous storage set cpu --raw 30d --summaries 5y --bytes 500MB
                  nervous storage set network --raw 1w --summaries none
                  nervous storage set --default --raw 1y
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The sensor, such as cpu, or a kind, such as network.")
        var sensor: String?

        @Flag(name: .customLong("default"), help: "For every sensor without a rule of its own.")
        var isDefault = false

        @Option(help: ArgumentHelp("How old samples may get, such as 30d.", valueName: "age"))
        var raw: String?

        @Option(
            help: ArgumentHelp(
                "How old the summaries of hours may get, such as 5y; 0d makes none.",
                valueName: "age"))
        var summaries: String?

        @Option(help: ArgumentHelp("What samples may take, such as 500MB.", valueName: "size"))
        var bytes: String?

        func validate() throws {
            guard (sensor == nil) == isDefault else {
                throw ValidationError("Name a sensor, or say --default.")
            }
            guard raw != nil || summaries != nil || bytes != nil else {
                throw ValidationError("--raw, --summaries or --bytes is needed.")
            }
            for age in [raw, summaries].compactMap(\.self)
            where age != "none" && StorageInput.age(age) == nil {
                throw ValidationError("An age is such as 12h, 30d, 2w or 5y, or none.")
            }
            if let bytes, bytes != "none", StorageInput.bytes(bytes) == nil {
                throw ValidationError("--bytes takes a size such as 500MB, or none.")
            }
        }

        private struct Wishes: Encodable {
            let standard: RetentionDescription
        }

        func run() async throws {
            try await HostSession.with(options) { session in
                let storage = try await session.client.get(
                    StorageDescription.self, StorageCommand.path(nil))
                var rule =
                    storage.sensors.first { $0.sensor == sensor }?.rule ?? storage.standard
                if let raw { rule.raw = StorageInput.age(raw) }
                if let summaries { rule.summaries = StorageInput.age(summaries) }
                if let bytes { rule.bytes = StorageInput.bytes(bytes) }
                let encoder = JSONEncoder()
                let body =
                    try sensor == nil
                    ? encoder.encode(Wishes(standard: rule)) : encoder.encode(rule)
                _ = try await session.client.data(.put, StorageCommand.path(sensor), body: body)
                guard !options.json else { return try options.console.print(encoding: rule) }
                options.console.print("\(sensor ?? "Every other sensor"): \(rule.text).")
            }
        }
    }
}
