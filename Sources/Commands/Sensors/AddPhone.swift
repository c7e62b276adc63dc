import API
import ArgumentParser
import Foundation
import Host
import Ingest
import Samples

extension SensorsCommand {
    struct AddPhone: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add-phone",
            abstract: "Declare the sensors of a phone, and create a token that publishes to them.",
            discussion: """
                The apps Sensor Logger and OwnTracks push the samples of a phone. This declares
                accelerometer.NAME, location.NAME and so on, and prints the settings of the
                apps. The token can only publish to these sensors, and cannot be shown again.
                Existing sensors are unchanged. --app influx shows the settings for programs
                that write to InfluxDB, such as Telegraf.

                If the host listens on the local network (nervous serve --lan 8443), this
                command also shows the settings as a QR code, and the certificate to install on
                the phone.

                Examples:
                  nervous sensors add-phone ann
                  nervous sensors add-phone ann --app owntracks --qr
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "A name for the phone in kebab-case, such as ann or left-wrist.")
        var name: String

        @Option(
            name: [.customLong("for"), .customLong("expires")],
            help: ArgumentHelp(
                "How long the token is valid, such as 30d, or never; 90 days by default.",
                valueName: "duration"))
        var lifetime: String?

        @Option(
            help: ArgumentHelp(
                "Show the settings of this app only.", valueName: "app"))
        var app: PhoneApp?

        @Flag(help: "Require a QR code: fail, and change nothing, if there is none to show.")
        var qr = false

        func validate() throws {
            guard PhoneSensor.all.allSatisfy({ $0.id(of: name) != nil }) else {
                throw ValidationError(
                    "The name must be short and kebab-case, without dots: \(name).")
            }
            if let lifetime, !TokenRequest.isLifetime(lifetime) {
                throw ValidationError("--for takes a duration such as 30m, 8h or 7d, or never.")
            }
        }

        private struct Report: Encodable {
            let name: String
            let token: String
            let sensors: [String]
            let sensorLogger: String
            let ownTracks: String
            let influx: String
            /// The listener for the local network; missing if there is none.
            let localNetwork: LocalNetworkDescription?
            /// The text of the QR code.
            let qr: String?
        }

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let status = try await session.client.status().value
                let network = status.localNetwork
                if qr, network == nil { throw Self.notListening }
                let sensors = try await declareSensors(session)
                let request = TokenRequest(
                    name: name, allow: sensors.map { "sensor:\($0):write" }, lifetime: lifetime)
                let settings = PhoneSettings(
                    name: name, token: try await session.client.createToken(request).value.token,
                    origin: network?.urls.first ?? "http://localhost:\(status.port ?? 8080)",
                    pin: network?.pin)
                try show(settings, sensors: sensors, network)
            }
        }

        /// Declares the sensors that the host does not have; those that the owner declared differently
        /// are unchanged.
        ///
        /// - Returns: all sensors of the phone.
        private func declareSensors(_ session: HostSession) async throws -> [String] {
            let sensors = PhoneSensor.all.compactMap { sensor in
                sensor.id(of: name).map { (sensor: sensor, id: $0.description) }
            }
            let known = try await session.client.sensors().value.items.map(\.id)
            for (sensor, id) in sensors where !known.contains(id) {
                let declaration = SensorDeclaration(
                    title: "\(sensor.title) of \(name)",
                    fields: sensor.fields.map {
                        SensorDeclaration.Field(name: $0.name, unit: $0.unit, kind: $0.kind)
                    })
                _ = try await session.client.setSensor(id, .published(declaration))
            }
            return sensors.map(\.id)
        }

        private func show(
            _ settings: PhoneSettings, sensors: [String], _ network: LocalNetworkDescription?
        ) throws {
            // A QR code holds the settings of one app only.
            let scanned = app ?? .sensorLogger
            let text = try network.map { _ in try settings.scannable(for: scanned) }
            let console = options.console
            guard !options.json else {
                return try console.print(
                    encoding: Report(
                        name: name, token: settings.token, sensors: sensors,
                        sensorLogger: settings.url(of: .sensorLogger),
                        ownTracks: settings.url(of: .ownTracks),
                        influx: settings.url(of: .influx), localNetwork: network, qr: text))
            }
            console.print(
                "Declared \(sensors.count) sensors of \(name), such as \(sensors[0])."
                    + " The token publishes to them and cannot be shown again.")
            for app in app.map({ [$0] }) ?? [.sensorLogger, .ownTracks] {
                for line in [""] + settings.lines(of: app) { console.print(line) }
            }
            console.print("")
            if let network, let text {
                try show(network, text, of: scanned)
            } else {
                console.print(
                    """
                    The host listens on this machine only. To let phones of the local network send to
                    it, and get a QR code: nervous serve --lan 8443. Otherwise a phone needs a tunnel;
                    see docs/sending-from-a-phone.md.
                    """)
            }
            console.print("To revoke the token: nervous token revoke \(name)")
        }

        private func show(
            _ network: LocalNetworkDescription, _ text: String, of app: PhoneApp
        ) throws {
            let console = options.console
            console.print("Install this certificate on the phone, or let a program check the pin:")
            for (name, value) in [
                ("Certificate", network.authority), ("SHA-256", network.fingerprint),
                ("Pin", network.pin),
            ] { console.print(PhoneSettings.row(name, value)) }
            if network.urls.count > 1 {
                let others = network.urls.dropFirst().joined(separator: ", ")
                console.print("The host can also be reached at \(others)")
            }
            console.print("")
            let style = QRText(
                environment: ProcessInfo.processInfo.environment,
                isTerminal: Console.outputIsTerminal)
            style.lines(of: try QRCode(text)).forEach(console.print)
            console.print(
                app == .ownTracks
                    ? "Scan the code with the camera: OwnTracks opens with these settings."
                    : "Scan the code with the camera to copy the settings into the app.")
            console.print("Do not show the code to others: it contains the token.")
        }

        private static let notListening = CommandFailure(
            .unavailable, "The host does not listen on the local network.",
            hint: #"Start it with: nervous serve --lan 8443, or set "lan": {} in config.json."#,
            type: "not-listening")
    }
}
