import API
import ArgumentParser
import Foundation
import Host
import Samples

extension SensorsCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Declare or change a sensor that apps or programs publish to.",
            discussion: """
                A field is NAME, NAME:UNIT or NAME:UNIT:TYPE. TYPE is number, integer, state or
                text; UNIT is a UCUM code, empty for states and texts.

                Examples:
                  nervous sensors add visitors --field count:1:integer
                  nervous sensors add my.accelerometer --field x:m/s2 --field y:m/s2
                  nervous sensors add door --title 'Front door' --field position::state
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The sensor's name in kebab-case, such as visitors or my.accelerometer.")
        var sensor: String

        @Option(help: "The title.")
        var title: String?

        @Option(
            name: .customLong("field"),
            help: ArgumentHelp("A field; may be repeated.", valueName: "name:unit:type"))
        var fields: [String] = []

        func validate() throws {
            guard !fields.isEmpty else {
                throw ValidationError("A sensor needs a field, such as --field x:m/s2.")
            }
            if let wrong = fields.first(where: { Self.field($0) == nil }) {
                throw ValidationError("\(wrong) is not a field, such as x:m/s2 or on::state.")
            }
        }

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let declaration = SensorDeclaration(
                    title: title, fields: fields.compactMap(Self.field))
                let reply = try await session.client.setSensor(sensor, .published(declaration))
                if options.json {
                    options.console.print(json: reply.json)
                } else {
                    options.console.print(
                        "Declared \(sensor). To let an app publish to it:"
                            + " nervous permissions grant APP sensor:\(sensor):write")
                }
            }
        }

        private static func field(_ text: String) -> SensorDeclaration.Field? {
            let parts = text.split(
                separator: ":", maxSplits: 2, omittingEmptySubsequences: false
            ).map(String.init)
            guard !parts[0].isEmpty,
                let kind = Field.Kind(rawValue: parts.count > 2 ? parts[2] : "number")
            else { return nil }
            let unit = parts.count > 1 && !parts[1].isEmpty ? parts[1] : nil
            return SensorDeclaration.Field(name: parts[0], unit: unit, kind: kind)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a declared or virtual sensor; its samples are kept.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The sensor.", completion: .names(.sensor))
        var sensor: String

        func run() async throws {
            try await HostSession.with(options.host) { session in
                try await session.client.removeSensor(sensor)
                if !options.json { options.console.print("Removed \(sensor).") }
            }
        }
    }
}

extension SensorsCommand {
    struct Define: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "define",
            abstract: "Define or change a virtual sensor, computed from others when it is read.",
            discussion: """
                An output is NAME=FUNCTION(INPUT) or NAME:UNIT=FUNCTION(INPUT). FUNCTION is a
                statistic (such as mean, rms or p95) or an analysis: correlation, trend (slope
                per second) or entropy (bits). With @DURATION at the end, as in @1m, the window
                is first divided into intervals of this length, and the analysis is applied to
                the mean of each interval instead of to the samples.
                Without --output, the argument is a JSON file.

                Examples:
                  nervous sensors define shake.json
                  nervous sensors define virtual.shake --window 1m --slide 10s \\
                    --output 'strength:m/s2=rms(accelerometer.x)'
                  nervous sensors define virtual.heat --window 1h \\
                    --output 'together=correlation(cpu.busy,temperature.cpu.value)@1m'
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The sensor's name, such as virtual.shake, or a JSON file.")
        var sensor: String

        @Option(help: "The title.")
        var title: String?

        @Option(help: "The length of a window, such as 1m.")
        var window: String?

        @Option(help: "The interval between windows; by default the length of a window.")
        var slide: String?

        @Option(
            name: .customLong("output"),
            help: ArgumentHelp("A field; may be repeated.", valueName: "name:unit=function(input)"))
        var outputs: [String] = []

        func validate() throws {
            guard !outputs.isEmpty else {
                guard title == nil, window == nil, slide == nil else {
                    throw ValidationError("--title, --window and --slide require --output.")
                }
                return
            }
            guard window != nil else {
                throw ValidationError("--output requires --window, such as --window 1m.")
            }
            if let wrong = outputs.first(where: { Self.output($0) == nil }) {
                throw ValidationError("\(wrong) is not an output, such as load:%=mean(cpu.busy).")
            }
        }

        func run() async throws {
            let definition = try definition()
            let name = definition.name ?? ""
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.setSensor(name, .virtual(definition))
                if options.json {
                    options.console.print(json: reply.json)
                } else {
                    options.console.print(
                        "Defined \(name). To let an app read it:"
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
                    name: sensor, title: title, inputs: inputs, window: window ?? "", slide: slide,
                    outputs: outputs)
            }
            guard let file = FileHandle(forReadingAtPath: sensor),
                let data = try? file.read(upToCount: 1 << 20)
            else {
                throw CommandFailure(
                    .noInput, "Cannot read the file \(sensor).",
                    hint:
                        "To define it without a file, use --output; see: nervous sensors define --help"
                )
            }
            guard let known = try? JSONDecoder().decode(VirtualDefinition.self, from: data),
                known.name != nil
            else {
                throw CommandFailure(
                    .badData, "\(sensor) is not the definition of a virtual sensor.",
                    hint: "It must have name, inputs, window and outputs, and no unknown members.")
            }
            return known
        }

        /// Parses `NAME:UNIT=FUNCTION(INPUT,…)@DURATION`.
        private static func output(_ text: String) -> VirtualDefinition.Output? {
            let form = /([^:=]+)(?::([^=]+))?=([^()]+)\(([^()]+)\)(?:@(.+))?/
            guard let found = text.wholeMatch(of: form)?.output else { return nil }
            return VirtualDefinition.Output(
                name: String(found.1), unit: found.2.map(String.init),
                of: found.4.split(separator: ",").map {
                    $0.trimmingCharacters(in: .whitespaces)
                }, by: String(found.3), every: found.5.map(String.init))
        }
    }
}
