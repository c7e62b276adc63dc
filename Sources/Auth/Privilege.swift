public import Addresses
public import Health
public import Samples

/// One entry of the `privileges` in an app's `package.json`.
public struct Privilege: Hashable, Sendable {
    /// The resources that an app can ask for.
    public enum Resource: Hashable, Sendable {
        /// A sensor, or every sensor of a kind.
        case sensor(SensorID, Access)
        /// Calls to an origin such as `https://api.example.org`; with a pin, the server must present the
        /// certificate that matches it.
        case net(WebOrigin, pin: CertificatePin?)
        /// Key-value storage of its own.
        case storage
        /// Messages to the owner.
        case notify
        /// A random number that identifies this machine to this app only.
        case identity
        /// Sessions: workouts, trips and measurements, without their samples.
        case sessions(SessionAccess)
        /// Data of one type in the health store.
        case health(HealthType, HealthAccess)

        /// The use that an identifier names; `nil` for calls to all servers, which no app can declare.
        public init?(_ id: PrivilegeID, pin: CertificatePin? = nil) {
            if let sensor = id.sensor, let access = id.access {
                self = .sensor(sensor, access)
            } else if let origin = id.origin {
                self = .net(origin, pin: pin)
            } else if let type = id.health, let access = id.healthAccess {
                self = .health(type, access)
            } else {
                let others: [PrivilegeID: Self] = [
                    .storage: .storage, .notify: .notify, .identity: .identity,
                    .sessions: .sessions(.read), .writeSessions: .sessions(.write),
                ]
                guard let other = others[id] else { return nil }
                self = other
            }
        }
    }

    /// The resource that the app asks for.
    public let resource: Resource
    /// The app's explanation: untrusted, to be displayed as a claim.
    public let reason: String

    /// - Parameter reason: the app's explanation.
    public init(_ resource: Resource, reason: String) {
        self.resource = resource
        self.reason = reason
    }

    /// Its name: `sensor:cpu`, `sensor:cpu:stats`, `net:https://api.example.org`.
    public var id: PrivilegeID {
        switch resource {
        case .sensor(let sensor, let access): PrivilegeID(sensor: sensor, access: access)
        case .net(let origin, _): PrivilegeID(reaching: origin) ?? .net
        case .storage: .storage
        case .notify: .notify
        case .identity: .identity
        case .sessions(.read): .sessions
        case .sessions(.write): .writeSessions
        case .health(let type, let access): PrivilegeID(health: type, access)
        }
    }

    /// Whether permission for this includes permission for `other`.
    func covers(_ other: Privilege) -> Bool {
        if case .net = resource { return resource == other.resource }
        return id.covers(other.id)
    }
}

/// The kinds of access to a sensor.
public enum Access: String, Hashable, Sendable, Codable, CaseIterable {
    /// Read single samples, and every statistic of them.
    case raw
    /// Read aggregates of many samples only.
    case stats
    /// Publish samples.
    case write

    /// Whether permission for this includes permission for `other`.
    public func includes(_ other: Access) -> Bool {
        self == other || self == .raw && other == .stats
    }
}

/// What may be done with sessions.
public enum SessionAccess: String, Hashable, Sendable, CaseIterable {
    /// See all sessions of the owner.
    case read
    /// Create sessions; see, change and delete those that the app itself created.
    case write
}

/// What may be done with data of one type in the health store.
public enum HealthAccess: String, Hashable, Sendable, CaseIterable {
    /// Read all of it.
    case read
    /// Save more of it, and remove what the app itself saved; no reading.
    case write
}

/// The name of a privilege in flags, in the API and in the database.
///
/// `sensor:ID` stands for reading samples, `sensor:ID:stats` and `sensor:ID:write` for the other accesses;
/// `net:ORIGIN` for calls to one server, `net` for calls to all servers; `sessions` for seeing all sessions,
/// `sessions:write` for creating sessions and changing an app's own; `health:TYPE` for reading a type of
/// health data, `health:TYPE:write` for saving it. The other names are `storage`, `notify` and `identity`.
///
/// ```swift
/// let privilege = PrivilegeID("sensor:temperature:stats")
/// privilege?.access  // .stats
/// ```
public struct PrivilegeID: Hashable, Sendable, LosslessStringConvertible {
    public let description: String
    /// The sensor; `nil` for the other privileges.
    public let sensor: SensorID?
    /// The access to the sensor; `nil` for the other privileges.
    public let access: Access?
    /// The server; `nil` for the other privileges.
    public let origin: WebOrigin?
    /// The type of health data; `nil` for the other privileges.
    public let health: HealthType?
    /// The access to the health data; `nil` for the other privileges.
    public let healthAccess: HealthAccess?

    /// Calls to every server: they can be denied together, but granted only for single servers.
    public static let net = PrivilegeID(other: "net")
    /// Key-value storage.
    public static let storage = PrivilegeID(other: "storage")
    /// Messages to the owner.
    public static let notify = PrivilegeID(other: "notify")
    /// The device number.
    public static let identity = PrivilegeID(other: "identity")

    /// Seeing all sessions.
    public static let sessions = PrivilegeID(other: "sessions")
    /// Creating sessions, and seeing, changing and deleting those that the client created.
    public static let writeSessions = PrivilegeID(other: "sessions:write")

    /// The grantable privileges that are neither for a sensor nor for a server nor for health data.
    public static let others = [storage, notify, identity, sessions, writeSessions]

    private static let netPrefix = "net:"
    private static let healthPrefix = "health:"

    /// The use of a sensor.
    public init(sensor: SensorID, access: Access) {
        self.sensor = sensor
        self.access = access
        origin = nil
        health = nil
        healthAccess = nil
        description = access == .raw ? "sensor:\(sensor)" : "sensor:\(sensor):\(access.rawValue)"
    }

    /// Calls to a server.
    ///
    /// - Returns: `nil` for a server that no app may reach.
    public init?(reaching origin: WebOrigin) {
        guard origin.host.reach != .forbidden else { return nil }
        self.origin = origin
        sensor = nil
        access = nil
        health = nil
        healthAccess = nil
        description = Self.netPrefix + origin.description
    }

    /// The use of health data of a type.
    ///
    /// - Returns: a privilege that no app can have for a type that cannot be accessed so; see
    ///   ``isGrantable``.
    public init(health type: HealthType, _ access: HealthAccess) {
        health = type
        healthAccess = access
        sensor = nil
        self.access = nil
        origin = nil
        let suffix = access == .write ? ":write" : ""
        description = "\(Self.healthPrefix)\(type)\(suffix)"
    }

    /// Reads a name in the form of `description`; `sensor:ID:raw` also means `sensor:ID`,
    /// `sessions:read` means `sessions`, and `health:TYPE:read` means `health:TYPE`.
    public init?(_ text: String) {
        if let other = (Self.others + [.net]).first(where: { $0.description == text }) {
            self = other
            return
        }
        if text == "sessions:read" {
            self = .sessions
            return
        }
        if text.hasPrefix(Self.netPrefix) {
            guard let origin = WebOrigin(String(text.dropFirst(Self.netPrefix.count))) else {
                return nil
            }
            self.init(reaching: origin)
            return
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        if text.hasPrefix(Self.healthPrefix) {
            guard (2...3).contains(parts.count), let type = HealthType(parts[1]),
                let access = parts.count == 3 ? HealthAccess(rawValue: parts[2]) : .read
            else { return nil }
            self.init(health: type, access)
            guard isGrantable else { return nil }
            return
        }
        guard (2...3).contains(parts.count), parts[0] == "sensor", let id = SensorID(parts[1]),
            let access = parts.count == 3 ? Access(rawValue: parts[2]) : .raw
        else { return nil }
        self.init(sensor: id, access: access)
    }

    private init(other: String) {
        description = other
        sensor = nil
        access = nil
        origin = nil
        health = nil
        healthAccess = nil
    }

    /// Whether the owner can grant it, and so is asked for it.
    public var isGrantable: Bool {
        switch (health, healthAccess) {
        case (let type?, .read): type.isReadable
        case (let type?, .write): type.isWritable
        default: sensor != nil || origin != nil || Self.others.contains(self)
        }
    }

    /// Whether a denial is hidden from the app: not to be allowed to read a type of health data says
    /// something about the owner.
    public var hidesDenial: Bool { healthAccess == .read }

    /// Whether permission for this includes permission for `other`.
    func covers(_ other: PrivilegeID) -> Bool {
        guard let sensor, let access, let otherSensor = other.sensor, let otherAccess = other.access
        else { return self == other }
        return sensor.covers(otherSensor) && access.includes(otherAccess)
    }

    /// Whether a decision about `other` can apply to this: a decision about `net` applies to every server.
    func isDecided(by other: PrivilegeID) -> Bool {
        self == other || origin != nil && other == .net
    }
}
