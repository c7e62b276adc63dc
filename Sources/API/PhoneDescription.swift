/// An app that pushes the samples of a phone.
public enum PhoneApp: String, CaseIterable, Codable, Sendable {
    /// Sensor Logger.
    case sensorLogger = "sensor-logger"
    /// OwnTracks.
    case ownTracks = "owntracks"
    /// Telegraf and other clients of InfluxDB.
    case influx
}

/// A request to add a phone.
public struct PhoneRequest: Codable, Sendable {
    /// The name of the phone and of its token: kebab-case, without dots.
    public let name: String
    /// How long the token is valid: a duration or ``TokenRequest/never``;
    /// ``TokenRequest/standardLifetime`` if missing.
    public let lifetime: String?
    /// The app that the QR code is for; Sensor Logger if missing.
    public let app: PhoneApp?
    /// Whether to fail, and change nothing, if the host has no listener for the local network; `false` if
    /// missing.
    public let requiresNetwork: Bool?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case name, lifetime, app, requiresNetwork
    }

    /// Creates a value from its members.
    public init(
        name: String, lifetime: String? = nil, app: PhoneApp? = nil, requiresNetwork: Bool? = nil
    ) {
        (self.name, self.lifetime) = (name, lifetime)
        (self.app, self.requiresNetwork) = (app, requiresNetwork)
    }

    /// - Throws: `DecodingError`, also for an unknown member.
    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: CodingKeys.allCases.map(\.stringValue))
        let members = try decoder.container(keyedBy: CodingKeys.self)
        name = try members.decode(String.self, forKey: .name)
        lifetime = try members.decodeIfPresent(String.self, forKey: .lifetime)
        app = try members.decodeIfPresent(PhoneApp.self, forKey: .app)
        requiresNetwork = try members.decodeIfPresent(Bool.self, forKey: .requiresNetwork)
    }
}

/// A phone that was added, with what a person enters in its app.
public struct CreatedPhone: Codable, Sendable {
    /// The name of the phone and of its token.
    public let name: String
    /// The token, which may publish to the sensors; it is returned only here.
    public let token: String
    /// The sensors of the phone.
    public let sensors: [String]
    /// Where Sensor Logger sends to.
    public let sensorLogger: String
    /// Where OwnTracks sends to.
    public let ownTracks: String
    /// The URL that clients of InfluxDB take, to which they append a path.
    public let influx: String
    /// The listener for the local network; missing if there is none.
    public let localNetwork: LocalNetworkDescription?
    /// The settings of one app as a QR code; missing without the listener.
    public var qr: QRCodeDescription?

    /// Creates a value from its members.
    public init(
        name: String, token: String, sensors: [String], sensorLogger: String, ownTracks: String,
        influx: String, localNetwork: LocalNetworkDescription? = nil, qr: QRCodeDescription? = nil
    ) {
        (self.name, self.token, self.sensors) = (name, token, sensors)
        (self.sensorLogger, self.ownTracks, self.influx) = (sensorLogger, ownTracks, influx)
        (self.localNetwork, self.qr) = (localNetwork, qr)
    }
}

/// A QR code (ISO/IEC 18004).
public struct QRCodeDescription: Codable, Sendable {
    /// What the code contains.
    public let text: String
    /// The modules, row by row from the top; `#` is dark, and `.` is light.
    ///
    /// All rows have as many modules as there are rows. The light margin of four modules that scanners need
    /// is not included.
    public let rows: [String]

    /// Creates a value from its members.
    public init(text: String, rows: [String]) {
        (self.text, self.rows) = (text, rows)
    }
}
