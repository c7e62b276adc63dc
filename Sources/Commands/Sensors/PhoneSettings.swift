import API
import ArgumentParser
import Foundation
import Host

/// An app that pushes the samples of a phone.
enum PhoneApp: String, CaseIterable, ExpressibleByArgument {
    case sensorLogger = "sensor-logger"
    case ownTracks = "owntracks"
    case influx
}

/// The settings that a person enters in an app of a phone, or that the phone scans.
struct PhoneSettings {
    /// The phone.
    let name: String
    let token: String
    /// The origin of the host, such as `https://192.168.1.7:8443`.
    let origin: String
    /// The pin of the host's key; `nil` without TLS.
    let pin: String?

    func url(of app: PhoneApp) -> String {
        switch app {
        case .sensorLogger: "\(origin)\(APIPath.push(.sensorLogger))"
        case .ownTracks: "\(origin)\(APIPath.push(.ownTracks))"
        // Clients of InfluxDB append the path.
        case .influx: "\(origin)/api/v1/push/influx"
        }
    }

    /// The settings as lines: a heading, then each setting with its name in the app.
    func lines(of app: PhoneApp) -> [String] {
        let (heading, rows): (String, [(String, String)]) =
            switch app {
            case .sensorLogger:
                (
                    "Sensor Logger, HTTP Push:",
                    [("Push URL", url(of: app)), ("Header Authorization", "Bearer \(token)")]
                )
            case .ownTracks:
                (
                    "OwnTracks, mode HTTP:",
                    [("URL", url(of: app)), ("User", name), ("Password", token)]
                )
            case .influx:
                ("Clients of InfluxDB:", [("URL", url(of: app)), ("Token", token)])
            }
        return [heading] + rows.map { Self.row($0, $1) }
    }

    /// One setting, aligned with the others.
    static func row(_ name: String, _ value: String) -> String {
        "  " + name.padding(toLength: 22, withPad: " ", startingAt: 0) + value
    }

    /// The text of the QR code.
    ///
    /// OwnTracks opens the URL in its code and configures itself. The other apps cannot read a
    /// code: for them it contains the settings as text, which a person copies into the app.
    func scannable(for app: PhoneApp) throws -> String {
        guard app == .ownTracks else {
            return
                ([url(of: app), "Authorization: Bearer \(token)"]
                + (pin.map { ["Pin: \($0)"] } ?? [])).joined(separator: "\n")
        }
        let configuration = OwnTracksConfiguration(
            url: url(of: app), username: name, password: token, deviceId: name,
            tid: String(name.filter(\.isLetter).prefix(2)))
        let data = try JSONEncoder.sorted.encode(configuration)
        return "owntracks:///config?inline=\(APIPath.encoded(data.base64EncodedString()))"
    }

    /// The settings of OwnTracks, in the form in which the app exports them.
    private struct OwnTracksConfiguration: Encodable {
        private enum CodingKeys: String, CodingKey {
            case type = "_type"
            case mode, url, auth, username, password, deviceId, tid
        }

        let type = "configuration"
        /// HTTP.
        let mode = 3
        let url: String
        let auth = true
        let username: String
        let password: String
        let deviceId: String
        /// The two letters that maps show.
        let tid: String
    }
}
