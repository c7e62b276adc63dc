import API
import Foundation

extension CreatedPhone {
    /// The port that `nervous serve` listens at unless another one is given.
    private static let standardPort = 8080

    /// A phone with the URLs that its apps send to.
    ///
    /// - Parameters:
    ///   - network: the listener for the local network; `nil` for URLs that work on this machine only.
    ///   - port: the port of the host on this machine; `nil` while it does not listen.
    init(
        name: String, token: String, sensors: [String], network: LocalNetworkDescription?,
        port: Int?
    ) {
        let origin = network?.urls.first ?? "http://localhost:\(port ?? Self.standardPort)"
        self.init(
            name: name, token: token, sensors: sensors,
            sensorLogger: "\(origin)\(APIPath.push(.sensorLogger))",
            ownTracks: "\(origin)\(APIPath.push(.ownTracks))",
            // Clients of InfluxDB append the rest of the path.
            influx: "\(origin)/api/v1/push/influx", localNetwork: network)
    }

    /// The text of a QR code with the settings of an app.
    ///
    /// OwnTracks opens the URL in its code and configures itself. The other apps cannot read a
    /// code: for them it contains the settings as text, which a person copies into the app.
    func qrCodeText(for app: PhoneApp) throws -> String {
        switch app {
        case .sensorLogger: return lines(sensorLogger)
        case .influx: return lines(influx)
        case .ownTracks:
            let configuration = OwnTracksConfiguration(
                url: ownTracks, username: name, password: token, deviceId: name,
                tid: String(name.filter(\.isLetter).prefix(2)))
            let data = try JSONText.encode(configuration)
            return "owntracks:///config?inline=\(APIPath.encoded(data.base64EncodedString()))"
        }
    }

    private func lines(_ url: String) -> String {
        let pin = localNetwork.map { ["Pin: \($0.pin)"] } ?? []
        return ([url, "Authorization: Bearer \(token)"] + pin).joined(separator: "\n")
    }
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
