import ArgumentParser
import Foundation
import Host
import JSApps
import API
import Text

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
            let file = try SensorPackFile(path: pack, limits: options.host.configuration.packages)
            let body = try file.content()
            try await HostSession.with(options.host) { session in
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
            try await HostSession.with(options.host) { session in
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
            try await HostSession.with(options.host) { session in
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
            try await HostSession.with(options.host) { session in
                let data = try await session.client.data(
                    .get, "/api/v1/sensors/\(ControlClient.segment(sensor))")
                guard !options.json else { return options.console.print(json: data) }
                let sensor = try JSONDecoder().decode(SensorDescription.self, from: data)
                sensor.lines.forEach(options.console.print)
            }
        }
    }
}

/// A sensor pack that a person named: an archive, a folder, or the `sensor.json` itself.
struct SensorPackFile {
    let path: String
    let limits: PackageLimits

    /// The bytes of the archive or of the description.
    func content() throws -> Data {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandFailure(
                .noInput, "There is no file or folder \(path).",
                hint:
                    "Give the path of a sensor pack: a .zip, a folder with a sensor.json, or that file.",
                type: "input-missing")
        }
        let file = isFolder.boolValue ? "\(path)/\(SensorArchive.file)" : path
        guard let handle = FileHandle(forReadingAtPath: file) else {
            throw CommandFailure(
                .noInput, "\(file) cannot be read.",
                hint: "A sensor pack has a \(SensorArchive.file).", type: "input-missing")
        }
        let data = try handle.read(upToCount: limits.archiveBytes + 1) ?? Data()
        guard data.count <= limits.archiveBytes else {
            throw CommandFailure(
                .badData, "\(file) is larger than a package may be.", type: "too-large")
        }
        return data
    }
}

extension PackDescription {
    /// Where its source is, as it may be shown.
    var shownPlace: String { place.escapedForDisplay(limit: 200) }

    /// What a person is told before it is installed.
    var lines: [String] {
        let version = version.map { " \($0.escapedForDisplay(limit: 40))" } ?? ""
        let fields = fields.map { field in
            let unit = field.unit.map { " (\($0))" } ?? ""
            return "\(field.name)\(unit)"
        }.joined(separator: ", ")
        var lines = [
            "Sensor:  \(id)\(installed ? ", which is installed already" : "")",
            "Title:   \"\(title.escapedForDisplay(limit: 120))\"\(version)",
            "Fields:  \(fields.escapedForDisplay(limit: 400))",
            "Source:  \(kind), \(shownPlace)",
            "         \(consequence)",
        ]
        if let description { lines.append("Says:    \(description.escapedForDisplay(limit: 400))") }
        return lines
    }
}
