import API
import ArgumentParser
import Foundation
import Provider

extension SensorsCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Declare a sensor whose samples apps or programs publish, or change one.",
            discussion: """
                A field is NAME, NAME:UNIT or NAME:UNIT:KIND; KIND is number, integer, state or
                text, and UNIT is UCUM, empty for states and texts.

                Examples:
                  nervous sensors add steps --field count:1:integer
                  nervous sensors add my.accelerometer --field x:m/s2 --field y:m/s2 --field z:m/s2
                  nervous sensors add door --title 'Front door' --field position::state
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "Its name: kebab-case, such as steps or my.accelerometer.")
        var sensor: String

        @Option(help: "A few words for a person.")
        var title: String?

        @Option(
            name: .customLong("field"),
            help: ArgumentHelp("A field; may be repeated.", valueName: "name:unit:kind"))
        var fields: [String] = []

        private struct Declaration: Encodable {
            let title: String?
            let fields: [SensorDescription.FieldDescription]
        }

        func validate() throws {
            guard !fields.isEmpty else {
                throw ValidationError("A sensor needs a field, such as --field x:m/s2.")
            }
            if let wrong = fields.first(where: { Self.field($0) == nil }) {
                throw ValidationError("\(wrong) is no field; write it like x:m/s2 or on::state.")
            }
        }

        func run() async throws {
            try await HostSession.with(options) { session in
                let path = "/api/v1/sensors/\(ControlClient.segment(sensor))"
                let body = Declaration(title: title, fields: fields.compactMap(Self.field))
                let data = try await session.client.data(
                    .put, path, body: try JSONEncoder().encode(body))
                if options.json {
                    options.console.print(json: data)
                } else {
                    options.console.print(
                        "\(sensor) is declared. To let an app publish to it:"
                            + " nervous permissions grant APP sensor:\(sensor):write")
                }
            }
        }

        private static func field(_ text: String) -> SensorDescription.FieldDescription? {
            let parts = text.split(
                separator: ":", maxSplits: 2, omittingEmptySubsequences: false
            ).map(String.init)
            let kind = parts.count > 2 ? parts[2] : "number"
            guard !parts[0].isEmpty, ["number", "integer", "state", "text"].contains(kind) else {
                return nil
            }
            let unit = parts.count > 1 && !parts[1].isEmpty ? parts[1] : nil
            return SensorDescription.FieldDescription(name: parts[0], unit: unit, kind: kind)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forget a declared sensor; its samples stay.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The sensor.")
        var sensor: String

        func run() async throws {
            try await HostSession.with(options) { session in
                let path = "/api/v1/sensors/\(ControlClient.segment(sensor))"
                _ = try await session.client.data(.delete, path)
                if !options.json { options.console.print("\(sensor) is forgotten.") }
            }
        }
    }
}
