import API
import ArgumentParser
import Foundation
import Host
import JSApps
import Text

extension SensorsCommand {
    struct Install: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "install",
            abstract: "Install a sensor pack.",
            discussion: """
                A sensor pack is a folder or .zip file with a sensor.json, or that file itself.
                It declares a sensor and the connector that provides its samples. Packs that
                come with Nervous have names; see: nervous sensors packs --available

                Examples:
                  nervous sensors install weather-station
                  nervous sensors install geiger-counter --set device=/dev/ttyUSB1
                  nervous sensors install ./my-pack --as humidity.cellar --yes
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(
            help:
                "The path of a sensor pack, or the name of a bundled one or of one in a catalogue.",
            completion: .names(.bundledPack))
        var pack: String

        @Option(
            name: .customLong("as"),
            help: "Another name for the sensor, such as accelerometer.left.")
        var name: String?

        @Option(
            name: .customLong("set"),
            help: ArgumentHelp(
                "A setting of its source as text, or as JSON with key:=value; may be repeated.",
                valueName: "key=value"))
        var settings: [String] = []

        @Flag(help: "Do not ask for confirmation.")
        var yes = false

        func run() async throws {
            let bundled = BundledContent().item(.sensorPack, namedBy: pack)
            let file = try SensorPackFile(
                path: bundled?.path ?? pack, limits: options.host.configuration.packages)
            let isName =
                bundled == nil && AppName(pack) != nil
                && !FileManager.default.fileExists(atPath: pack)
            let body = isName ? nil : try file.content()
            try await HostSession.with(options.host) { session in
                let check: PackCheck
                if let body {
                    check = try await session.client.checkSensorPack(
                        body, as: name, settings: settings
                    ).value
                } else {
                    check = try await listed(session.client, orElse: file)
                }
                if !yes { try confirm(check.pack) }
                let reply = try await session.client.installSensorPack(check)
                guard !options.json else { return options.console.print(json: reply.json) }
                options.console.print("Installed \(check.pack.id) from \(check.pack.shownPlace).")
                options.console.say("Check it with: nervous sensors show \(check.pack.id)")
            }
        }

        /// Describes the pack of that name in a catalogue.
        ///
        /// - Parameter file: says that there is no such file if no catalogue has it.
        private func listed(
            _ client: APIClient, orElse file: SensorPackFile
        ) async throws -> PackCheck {
            let available = try await AvailablePackages(client)
            guard available.items.contains(where: { $0.name == pack && !$0.isApp }) else {
                _ = try file.content()
                throw CommandFailure(.noInput, "No file or folder at \(pack).")
            }
            let item = try available.package(named: pack, in: nil)
            return try await PackageDownload(package: item.name, of: item.catalogue)
                .use(with: client, options.console, isKept: true) { package in
                    try await client.checkSensorPack(package, as: name, settings: settings).value
                }
        }

        private func confirm(_ pack: PackDescription) throws {
            try Confirmation(
                lines: pack.lines,
                question: pack.installed ? "Replace it?" : "Install it?",
                refusal: "Nothing was installed",
                hint: "Use --yes to install it without confirmation."
            ).ask(options.console)
        }
    }

    struct Packs: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "packs",
            abstract: "List the installed sensor packs.")

        @OptionGroup var options: GlobalOptions

        @Flag(help: "List the bundled sensor packs, which you can install by name.")
        var available = false

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.sensorPacks()
                if available {
                    let installed = Swift.Set(try reply.value.items.map(\.id))
                    return try BundledList(packsInstalledAs: installed).print(to: options.console)
                }
                guard !options.json else { return options.console.print(json: reply.json) }
                let packs = try reply.value.items
                guard !packs.isEmpty else {
                    return options.console.say(
                        "No sensor pack is installed. List bundled ones with: nervous sensors packs --available"
                    )
                }
                var table = Table("SENSOR", "TITLE", "KIND", "SOURCE")
                for pack in packs {
                    table.add(pack.id, pack.title, pack.kind, pack.shownPlace)
                }
                options.console.print(table)
            }
        }
    }

    struct Uninstall: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "uninstall",
            abstract: "Uninstall a sensor pack; the samples of its sensor are kept.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The sensor; see: nervous sensors packs.", completion: .names(.packSensor))
        var sensor: String

        func run() async throws {
            try await HostSession.with(options.host) { session in
                try await session.client.removeSensorPack(sensor)
                if !options.json { options.console.print("Uninstalled \(sensor).") }
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show a sensor and the state of its source.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The sensor.", completion: .names(.sensor))
        var sensor: String

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.sensor(sensor)
                guard !options.json else { return options.console.print(json: reply.json) }
                try reply.value.lines.forEach(options.console.print)
            }
        }
    }
}

/// A sensor pack at a path: an archive, a folder, or the `sensor.json` itself.
struct SensorPackFile {
    let path: String
    let limits: PackageLimits

    /// The bytes of the archive or of the `sensor.json`.
    func content() throws -> Data {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandFailure(
                .noInput, "No file or folder at \(path).",
                hint: "Give the path of a .zip, of a folder with a sensor.json, or of that file"
                    + BundledContent().alternatives(.sensorPack),
                type: "input-missing")
        }
        let file = isFolder.boolValue ? "\(path)/\(SensorPackArchive.file)" : path
        guard let handle = FileHandle(forReadingAtPath: file) else {
            throw CommandFailure(
                .noInput, "Cannot read \(file).",
                hint: "A sensor pack must have a \(SensorPackArchive.file).", type: "input-missing")
        }
        let data = try handle.read(upToCount: limits.archiveBytes + 1) ?? Data()
        guard data.count <= limits.archiveBytes else {
            throw CommandFailure(
                .badData, "\(file) exceeds the limit of a package.", type: "too-large")
        }
        return data
    }
}

extension PackDescription {
    /// The address of its source, escaped.
    var shownPlace: String { place.escapedForDisplay(limit: 200) }

    /// The description before the installation.
    var lines: [String] {
        let version = version.map { " \($0.escapedForDisplay(limit: 40))" } ?? ""
        let fields = fields.map { field in
            let unit = field.unit.map { " (\($0))" } ?? ""
            return "\(field.name)\(unit)"
        }.joined(separator: ", ")
        var lines = [
            "Sensor:  \(id)\(installed ? ", already installed" : "")",
            "Title:   \"\(title.escapedForDisplay(limit: 120))\"\(version)",
            "Fields:  \(fields.escapedForDisplay(limit: 400))",
            "Source:  \(kind), \(shownPlace)",
            "         \(consequence)",
        ]
        if let description { lines.append("Notes:   \(description.escapedForDisplay(limit: 400))") }
        return lines
    }
}
