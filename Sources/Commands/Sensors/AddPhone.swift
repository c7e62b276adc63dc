import ArgumentParser
import Foundation
import Host
import Ingest
import API
import Samples

extension SensorsCommand {
    struct AddPhone: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add-phone",
            abstract: "Declare the sensors of a phone, and make a token that publishes to them.",
            discussion: """
                The apps Sensor Logger and OwnTracks push what a phone senses. This declares
                accelerometer.NAME, location.NAME and so on, and prints what to enter into the apps.
                The token publishes to these sensors, reads nothing, and is shown only now. Sensors
                that are there already stay as they are.

                Example:
                  nervous sensors add-phone ann
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "What the phone is called, in kebab-case, such as ann or left-wrist.")
        var name: String

        @Option(
            name: .customLong("for"),
            help: ArgumentHelp("How long the token works, such as 90d.", valueName: "span"))
        var lifetime: String?

        func validate() throws {
            guard PhoneSensor.all.allSatisfy({ $0.id(of: name) != nil }) else {
                throw ValidationError(
                    "\(name) is no name of a phone; it is kebab-case, without dots, and not long.")
            }
            if let lifetime, Duration(span: lifetime) == nil {
                throw ValidationError("--for takes a span such as 30m, 8h or 7d.")
            }
        }

        private struct Declaration: Encodable {
            let title: String
            let fields: [SensorDescription.FieldDescription]
        }

        private struct TokenWish: Encodable {
            let name: String
            let allow: [String]
            let lifetime: String?
        }

        private struct Created: Decodable {
            let token: String
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
                // One that the owner has declared in another way stays as it is.
                let known = try await session.client.get(
                    ItemList<SensorDescription>.self, "/api/v1/sensors"
                ).items.map(\.id)
                for (sensor, id) in sensors where !known.contains(id) {
                    let body = Declaration(
                        title: "\(sensor.title) of \(name)",
                        fields: sensor.fields.map {
                            SensorDescription.FieldDescription(
                                name: $0.name, unit: $0.unit, kind: $0.kind.rawValue)
                        })
                    _ = try await session.client.data(
                        .put, "/api/v1/sensors/\(ControlClient.segment(id))",
                        body: try JSONEncoder().encode(body))
                }
                let wish = TokenWish(
                    name: name, allow: sensors.map { "sensor:\($0.id):write" }, lifetime: lifetime)
                let token = try await session.client.send(
                    .post, "/api/v1/tokens", wish, as: Created.self
                ).token
                let status = try await session.client.get(HostStatus.self, "/api/v1/status")
                let base = "http://localhost:\(status.port ?? 8080)/api/v1/push"
                try show(
                    Report(
                        name: name, token: token, sensors: sensors.map(\.id),
                        sensorLogger: "\(base)/sensor-logger", ownTracks: "\(base)/owntracks"))
            }
        }

        private func show(_ report: Report) throws {
            guard !options.json else { return try options.console.print(encoding: report) }
            let text = """
                \(report.sensors.count) sensors of \(name) are declared, such as \
                \(report.sensors[0]). The token publishes to them and is shown only now.

                Sensor Logger, HTTP Push:
                  Push URL              \(report.sensorLogger)
                  Header Authorization  Bearer \(report.token)

                OwnTracks, mode HTTP:
                  URL                   \(report.ownTracks)
                  User                  \(name)
                  Password              \(report.token)

                This host listens on this machine only: a phone needs a tunnel to it, as
                docs/sending-from-a-phone.md says. To end it: nervous token revoke \(name)
                """
            text.split(separator: "\n", omittingEmptySubsequences: false)
                .forEach { options.console.print(String($0)) }
        }
    }
}
