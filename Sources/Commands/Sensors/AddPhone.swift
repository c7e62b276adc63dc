import API
public import ArgumentParser
import Foundation
import Host
import Ingest

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

            init(_ phone: CreatedPhone) {
                (name, token, sensors) = (phone.name, phone.token, phone.sensors)
                (sensorLogger, ownTracks) = (phone.sensorLogger, phone.ownTracks)
                (influx, localNetwork, qr) = (phone.influx, phone.localNetwork, phone.qr?.text)
            }
        }

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let request = PhoneRequest(
                    name: name, lifetime: lifetime, app: app, requiresNetwork: qr ? true : nil)
                try show(try await session.client.addPhone(request).value)
            }
        }

        private func show(_ phone: CreatedPhone) throws {
            let console = options.console
            guard !options.json else { return try console.print(encoding: Report(phone)) }
            console.print(
                "Declared \(phone.sensors.count) sensors of \(name), such as \(phone.sensors[0])."
                    + " The token publishes to them and cannot be shown again.")
            for app in app.map({ [$0] }) ?? [.sensorLogger, .ownTracks] {
                for line in [""] + phone.lines(of: app) { console.print(line) }
            }
            console.print("")
            if let network = phone.localNetwork, let code = phone.qr {
                show(network, code)
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

        private func show(_ network: LocalNetworkDescription, _ code: QRCodeDescription) {
            let console = options.console
            console.print("Install this certificate on the phone, or let a program check the pin:")
            for (name, value) in [
                ("Certificate", network.authority), ("SHA-256", network.fingerprint),
                ("Pin", network.pin),
            ] { console.print(setting(name, value)) }
            if network.urls.count > 1 {
                let others = network.urls.dropFirst().joined(separator: ", ")
                console.print("The host can also be reached at \(others)")
            }
            console.print("")
            let style = QRText(
                environment: ProcessInfo.processInfo.environment,
                isTerminal: Console.outputIsTerminal)
            style.lines(of: code).forEach(console.print)
            console.print(
                app == .ownTracks
                    ? "Scan the code with the camera: OwnTracks opens with these settings."
                    : "Scan the code with the camera to copy the settings into the app.")
            console.print("Do not show the code to others: it contains the token.")
        }
    }
}

extension PhoneApp: ExpressibleByArgument {}

extension CreatedPhone {
    /// The settings of an app as lines: a heading, then each setting with its name in the app.
    fileprivate func lines(of app: PhoneApp) -> [String] {
        let (heading, settings): (String, [(String, String)]) =
            switch app {
            case .sensorLogger:
                (
                    "Sensor Logger, HTTP Push:",
                    [("Push URL", sensorLogger), ("Header Authorization", "Bearer \(token)")]
                )
            case .ownTracks:
                (
                    "OwnTracks, mode HTTP:",
                    [("URL", ownTracks), ("User", name), ("Password", token)]
                )
            case .influx:
                ("Clients of InfluxDB:", [("URL", influx), ("Token", token)])
            }
        return [heading] + settings.map { setting($0, $1) }
    }
}

/// One setting, aligned with the others.
private func setting(_ name: String, _ value: String) -> String {
    "  " + name.padding(toLength: 22, withPad: " ", startingAt: 0) + value
}
