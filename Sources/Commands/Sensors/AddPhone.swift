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
                Existing sensors are unchanged.

                Example:
                  nervous sensors add-phone ann
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "A name for the phone in kebab-case, such as ann or left-wrist.")
        var name: String

        @Option(
            name: [.customLong("for"), .customLong("expires")],
            help: ArgumentHelp(
                "How long the token is valid, such as 30d, or never; 90 days by default.",
                valueName: "span"))
        var lifetime: String?

        func validate() throws {
            guard PhoneSensor.all.allSatisfy({ $0.id(of: name) != nil }) else {
                throw ValidationError(
                    "The name must be short and kebab-case, without dots: \(name).")
            }
            if let lifetime, !TokenRequest.isLifetime(lifetime) {
                throw ValidationError("--for takes a span such as 30m, 8h or 7d, or never.")
            }
        }

        private struct Report: Encodable {
            let name: String
            let token: String
            let sensors: [String]
            let sensorLogger: String
            let ownTracks: String
        }

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let sensors = PhoneSensor.all.compactMap { sensor in
                    sensor.id(of: name).map { (sensor: sensor, id: $0.description) }
                }
                // Sensors that the owner declared differently are unchanged.
                let known = try await session.client.sensors().value.items.map(\.id)
                for (sensor, id) in sensors where !known.contains(id) {
                    let declaration = SensorDeclaration(
                        title: "\(sensor.title) of \(name)",
                        fields: sensor.fields.map {
                            SensorDeclaration.Field(name: $0.name, unit: $0.unit, kind: $0.kind)
                        })
                    _ = try await session.client.setSensor(id, .published(declaration))
                }
                let request = TokenRequest(
                    name: name, allow: sensors.map { "sensor:\($0.id):write" }, lifetime: lifetime)
                let token = try await session.client.createToken(request).value.token
                let status = try await session.client.status().value
                let base = "http://localhost:\(status.port ?? 8080)"
                try show(
                    Report(
                        name: name, token: token, sensors: sensors.map(\.id),
                        sensorLogger: "\(base)\(APIPath.push(.sensorLogger))",
                        ownTracks: "\(base)\(APIPath.push(.ownTracks))"))
            }
        }

        private func show(_ report: Report) throws {
            guard !options.json else { return try options.console.print(encoding: report) }
            let text = """
                Declared \(report.sensors.count) sensors of \(name), such as \(report.sensors[0]). \
                The token publishes to them and cannot be shown again.

                Sensor Logger, HTTP Push:
                  Push URL              \(report.sensorLogger)
                  Header Authorization  Bearer \(report.token)

                OwnTracks, mode HTTP:
                  URL                   \(report.ownTracks)
                  User                  \(name)
                  Password              \(report.token)

                The host listens on this machine only: a phone needs a tunnel, see
                docs/sending-from-a-phone.md. To revoke the token: nervous token revoke \(name)
                """
            text.split(separator: "\n", omittingEmptySubsequences: false)
                .forEach { options.console.print(String($0)) }
        }
    }
}
