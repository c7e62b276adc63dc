import ArgumentParser
import Foundation
import Host
import API
import VM

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
            try await HostSession.with(options.host) { session in
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
            try await HostSession.with(options.host) { session in
                let path = "/api/v1/sensors/\(ControlClient.segment(sensor))"
                _ = try await session.client.data(.delete, path)
                if !options.json { options.console.print("\(sensor) is forgotten.") }
            }
        }
    }
}

extension SensorsCommand {
    struct Define: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Define a virtual sensor, computed of others when it is read, or change one.",
            discussion: """
                An output is NAME=BY(INPUT) or NAME:UNIT=BY(INPUT), and has @SPAN behind it where
                means of so long take the place of samples. BY is a statistic, such as mean, rms or
                p95, or correlation, trend (its slope by second) or entropy (in bits). Without an
                output, the name is that of a file of JSON.

                Examples:
                  nervous sensors define shake.json
                  nervous sensors define virtual.shake --window 1m --slide 10s \\
                    --output 'strength:m/s2=rms(accelerometer.x)'
                  nervous sensors define virtual.heat --window 1h \\
                    --output 'together=correlation(cpu.busy,temperature.cpu.value)@1m'
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "Its name, such as virtual.shake, or a file of JSON.")
        var sensor: String

        @Option(help: "A few words for a person.")
        var title: String?

        @Option(help: "How long a window is, such as 1m.")
        var window: String?

        @Option(help: "From one window to the next; the length of a window when it is missing.")
        var slide: String?

        @Option(
            name: .customLong("output"),
            help: ArgumentHelp("A field; may be repeated.", valueName: "name:unit=by(input)"))
        var outputs: [String] = []

        func validate() throws {
            guard !outputs.isEmpty else {
                guard title == nil, window == nil, slide == nil else {
                    throw ValidationError("A file says all by itself; or give --output.")
                }
                return
            }
            guard window != nil else {
                throw ValidationError("A virtual sensor needs a window, such as --window 1m.")
            }
            if let wrong = outputs.first(where: { Self.output($0) == nil }) {
                throw ValidationError("\(wrong) is no output; write it like load:%=mean(cpu.busy).")
            }
        }

        func run() async throws {
            let definition = try definition()
            let name = definition.name ?? ""
            try await HostSession.with(options.host) { session in
                let path = "/api/v1/sensors/\(ControlClient.segment(name))"
                let data = try await session.client.data(
                    .put, path, body: try JSONEncoder().encode(definition))
                if options.json {
                    options.console.print(json: data)
                } else {
                    options.console.print(
                        "\(name) is defined. To let an app read it:"
                            + " nervous permissions grant APP sensor:\(name)")
                }
            }
        }

        private func definition() throws -> VirtualDefinition {
            guard outputs.isEmpty else {
                let outputs = outputs.compactMap(Self.output)
                var seen: Swift.Set<String> = []
                let inputs = outputs.flatMap { $0.of ?? [] }.filter { seen.insert($0).inserted }
                return VirtualDefinition(
                    name: sensor, title: title,
                    Derivation(
                        inputs: inputs, window: window ?? "", slide: slide, outputs: outputs))
            }
            guard let file = FileHandle(forReadingAtPath: sensor),
                let data = try? file.read(upToCount: 1 << 20)
            else {
                throw CommandFailure(
                    .noInput, "There is no file \(sensor) that can be read.",
                    hint: "Or give the outputs: nervous sensors define --help")
            }
            guard let known = try? JSONDecoder().decode(VirtualDefinition.self, from: data),
                known.name != nil
            else {
                throw CommandFailure(
                    .badData, "\(sensor) defines no virtual sensor.",
                    hint: "It has name, inputs, window and outputs, and no member that is unknown.")
            }
            return known
        }

        /// Reads `NAME:UNIT=BY(INPUT,…)@SPAN`.
        private static func output(_ text: String) -> Derivation.Output? {
            let form = /([^:=]+)(?::([^=]+))?=([^()]+)\(([^()]+)\)(?:@(.+))?/
            guard let found = text.wholeMatch(of: form)?.output else { return nil }
            return Derivation.Output(
                name: String(found.1), unit: found.2.map(String.init),
                of: found.4.split(separator: ",").map {
                    $0.trimmingCharacters(in: .whitespaces)
                }, by: String(found.3), every: found.5.map(String.init))
        }
    }
}
