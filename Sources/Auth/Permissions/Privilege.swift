public import Addresses
public import Health
public import Samples
public import Sealing

/// One entry of the `privileges` in an app's `package.json`.
public struct Privilege: Hashable, Sendable {
    /// The resources that an app can ask for.
    public enum Resource: Hashable, Sendable {
        /// A sensor, or every sensor of a kind.
        case sensor(SensorID, Access)
        /// Calls to an origin such as `https://api.example.org`; with a pin, the server must present the
        /// certificate that matches it.
        case net(WebOrigin, pin: CertificatePin?)
        /// The use of a secret of the owner in calls to an origin; the app does not see the secret.
        case secret(SecretName, WebOrigin)
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
            switch id {
            case .sensor(let sensor, let access): self = .sensor(sensor, access)
            case .server(let origin): self = .net(origin, pin: pin)
            case .net: return nil
            case .secret(let name, let origin): self = .secret(name, origin)
            case .storage: self = .storage
            case .notify: self = .notify
            case .identity: self = .identity
            case .sessions(let access): self = .sessions(access)
            case .health(let type, let access): self = .health(type, access)
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
        case .sensor(let sensor, let access): .sensor(sensor, access)
        case .net(let origin, _): PrivilegeID(reaching: origin) ?? .net
        case .secret(let name, let origin): .secret(name, origin)
        case .storage: .storage
        case .notify: .notify
        case .identity: .identity
        case .sessions(let access): .sessions(access)
        case .health(let type, let access): .health(type, access)
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
/// `net:ORIGIN` for calls to one server, `net` for calls to all servers; `secret:NAME:ORIGIN` for the use of a
/// secret in calls to one server; `sessions` for seeing all sessions,
/// `sessions:write` for creating sessions and changing an app's own; `health:TYPE` for reading a type of
/// health data, `health:TYPE:write` for saving it. The other names are `storage`, `notify` and `identity`.
///
/// ```swift
/// let privilege = PrivilegeID("sensor:temperature:stats")
/// privilege?.access  // .stats
/// ```
public enum PrivilegeID: Hashable, Sendable, LosslessStringConvertible {
    /// The use of a sensor, or of every sensor of a kind.
    case sensor(SensorID, Access)
    /// Calls to a server; see ``init(reaching:)``.
    case server(WebOrigin)
    /// Calls to every server: they can be denied together, but granted only for single servers.
    case net
    /// The use of a secret in calls to a server.
    case secret(SecretName, WebOrigin)
    /// Key-value storage.
    case storage
    /// Messages to the owner.
    case notify
    /// The device number.
    case identity
    /// Seeing all sessions, or creating sessions and seeing, changing and deleting those that the client
    /// created.
    case sessions(SessionAccess)
    /// Health data of a type. ``isGrantable`` is false for a type that cannot be accessed so.
    case health(HealthType, HealthAccess)

    /// The grantable privileges that are neither for a sensor nor for a server nor for health data.
    public static let others: [PrivilegeID] = [
        .storage, .notify, .identity, .sessions(.read), .sessions(.write),
    ]

    private static let netPrefix = "net:"
    private static let secretPrefix = "secret:"

    /// Calls to a server.
    ///
    /// - Returns: `nil` for a server that no app may reach.
    public init?(reaching origin: WebOrigin) {
        guard origin.host.reach != .forbidden else { return nil }
        self = .server(origin)
    }

    /// Reads a name in the form of `description`; `sensor:ID:raw` also means `sensor:ID`,
    /// `sessions:read` means `sessions`, and `health:TYPE:read` means `health:TYPE`.
    public init?(_ text: String) {
        if text.hasPrefix(Self.netPrefix) {
            guard let origin = WebOrigin(String(text.dropFirst(Self.netPrefix.count))) else {
                return nil
            }
            self.init(reaching: origin)
            return
        }
        if text.hasPrefix(Self.secretPrefix) {
            let parts = text.dropFirst(Self.secretPrefix.count).split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = SecretName(String(parts[0])),
                let origin = WebOrigin(String(parts[1])), origin.host.reach != .forbidden
            else { return nil }
            self = .secret(name, origin)
            return
        }
        if let other = (Self.others + [.net]).first(where: { $0.description == text }) {
            self = other
            return
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let suffix = parts.count == 3 ? parts[2] : nil
        switch (parts[0], parts.count) {
        case ("sensor", 2...3):
            guard let id = SensorID(parts[1]),
                let access = suffix.map(Access.init(rawValue:)) ?? .raw
            else { return nil }
            self = .sensor(id, access)
        case ("health", 2...3):
            guard let type = HealthType(parts[1]),
                let access = suffix.map(HealthAccess.init(rawValue:)) ?? .read
            else { return nil }
            self = .health(type, access)
            guard isGrantable else { return nil }
        case ("sessions", 2) where parts[1] == SessionAccess.read.rawValue: self = .sessions(.read)
        default: return nil
        }
    }

    /// The name.
    public var description: String {
        switch self {
        case .sensor(let id, .raw): "sensor:\(id)"
        case .sensor(let id, let access): "sensor:\(id):\(access.rawValue)"
        case .server(let origin): "\(Self.netPrefix)\(origin)"
        case .net: "net"
        case .secret(let name, let origin): "\(Self.secretPrefix)\(name):\(origin)"
        case .storage: "storage"
        case .notify: "notify"
        case .identity: "identity"
        case .sessions(.read): "sessions"
        case .sessions(.write): "sessions:write"
        case .health(let type, .read): "health:\(type)"
        case .health(let type, .write): "health:\(type):write"
        }
    }

    /// The sensor; `nil` for the other privileges.
    public var sensor: SensorID? {
        if case .sensor(let id, _) = self { id } else { nil }
    }

    /// The access to the sensor; `nil` for the other privileges.
    public var access: Access? {
        if case .sensor(_, let access) = self { access } else { nil }
    }

    /// The server that is called, or receives a secret; `nil` for the other privileges.
    public var origin: WebOrigin? {
        switch self {
        case .server(let origin), .secret(_, let origin): origin
        case .sensor, .net, .storage, .notify, .identity, .sessions, .health: nil
        }
    }

    /// Whether the owner can grant it, and so is asked for it.
    public var isGrantable: Bool {
        switch self {
        case .sensor, .storage, .notify, .identity, .sessions: true
        case .server(let origin), .secret(_, let origin): origin.host.reach != .forbidden
        case .net: false
        case .health(let type, .read): type.isReadable
        case .health(let type, .write): type.isWritable
        }
    }

    /// Whether a denial is hidden from the app: not to be allowed to read a type of health data says
    /// something about the owner.
    public var hidesDenial: Bool {
        if case .health(_, .read) = self { true } else { false }
    }

    /// Whether permission for this includes permission for `other`.
    public func covers(_ other: PrivilegeID) -> Bool {
        guard case .sensor(let id, let access) = self,
            case .sensor(let otherID, let otherAccess) = other
        else { return self == other }
        return id.covers(otherID) && access.includes(otherAccess)
    }

    /// Whether a decision about `other` can apply to this: a decision about `net` applies to every server.
    func isDecided(by other: PrivilegeID) -> Bool {
        self == other || origin != nil && other == .net
    }
}
