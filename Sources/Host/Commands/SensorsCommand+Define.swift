import API
import ArgumentParser
import Foundation
import Provider
import VM

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
            try await HostSession.with(options) { session in
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
