import API
import ArgumentParser
import Foundation
import Provider

extension SensorsCommand {
    struct Install: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Install a sensor outside this machine from its sensor pack.",
            discussion: """
                A pack is a folder or .zip file with a sensor.json, or that file itself. It says what is
                measured, where, and how the device speaks.

                Examples:
                  nervous sensors install sensorpacks/weather-station
                  nervous sensors install sensorpacks/geiger-counter --set device=/dev/ttyUSB1
                  nervous sensors install sensorpacks/dht --as humidity.cellar --yes
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The pack.", completion: .file())
        var pack: String

        @Option(
            name: .customLong("as"),
            help: "Another name for the sensor, such as accelerometer.left.")
        var name: String?

        @Option(
            name: .customLong("set"),
            help: ArgumentHelp(
                "Another value of its source, or key:=JSON; may be repeated.",
                valueName: "key=value"))
        var settings: [String] = []

        @Flag(help: "Install it without a question.")
        var yes = false

        func run() async throws {
            let file = try SensorPackFile(path: pack, limits: options.configuration.packages)
            let body = try file.content()
            try await HostSession.with(options) { session in
                let checked = try await session.client.data(
                    .post, "/api/v1/sensor-packs",
                    query: [("as", name)] + settings.map { ("set", $0) }, body: body,
                    type: "application/octet-stream")
                let check = try JSONDecoder().decode(PackCheck.self, from: checked)
                if !yes { try confirm(check.pack) }
                let data = try await session.client.data(
                    .put, "/api/v1/sensor-packs/\(ControlClient.segment(check.pack.id))",
                    body: Data(check.text.utf8))
                guard !options.json else { return options.console.print(json: data) }
                options.console.print("Installed \(check.pack.id), of \(check.pack.shownPlace).")
                options.console.say("See how it does with: nervous sensors show \(check.pack.id)")
            }
        }

        private func confirm(_ pack: PackDescription) throws {
            try Confirmation(
                lines: pack.lines,
                question: pack.installed ? "Replace it?" : "Install it?",
                refusal: "Nothing was installed",
                hint: "Say --yes to install it without a question."
            ).ask(options.console)
        }
    }

    struct Packs: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the sensor packs that are installed.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await HostSession.with(options) { session in
                let data = try await session.client.data(.get, "/api/v1/sensor-packs")
                guard !options.json else { return options.console.print(json: data) }
                let packs = try JSONDecoder().decode(ItemList<PackDescription>.self, from: data)
                guard !packs.items.isEmpty else {
                    return options.console.say(
                        "None is installed; install one with: nervous sensors install PACK")
                }
                var table = Table("SENSOR", "TITLE", "KIND", "WHERE")
                for pack in packs.items {
                    table.add(pack.id, pack.title, pack.kind, pack.shownPlace)
                }
                table.lines.forEach(options.console.print)
            }
        }
    }

    struct Uninstall: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a sensor pack away; the samples of its sensor stay.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The sensor; see: nervous sensors packs.")
        var sensor: String

        func run() async throws {
            try await HostSession.with(options) { session in
                let path = "/api/v1/sensor-packs/\(ControlClient.segment(sensor))"
                _ = try await session.client.data(.delete, path)
                if !options.json { options.console.print("\(sensor) is uninstalled.") }
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show what a sensor is and how its source is doing.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The sensor.")
        var sensor: String

        func run() async throws {
            try await HostSession.with(options) { session in
                let data = try await session.client.data(
                    .get, "/api/v1/sensors/\(ControlClient.segment(sensor))")
                guard !options.json else { return options.console.print(json: data) }
                let sensor = try JSONDecoder().decode(SensorDescription.self, from: data)
                sensor.lines.forEach(options.console.print)
            }
        }
    }
}
