import Addresses
import Health
import Samples
import Sealing
public import Text

/// The `privileges` of a `package.json`, valid or rejected as a whole.
///
/// ```swift
/// let list = try PrivilegeList(parsing: manifest["privileges"])
/// for privilege in list.privileges { print(privilege.id, privilege.reason) }
/// ```
public struct PrivilegeList: Sendable, Hashable {
    /// The maximum number of privileges that one app may declare.
    public static let limit = 64
    /// The maximum number of origins of one privilege.
    fileprivate static let originLimit = 16
    /// The longest reason, in characters.
    public static let reasonLimit = 200

    /// In the order of the manifest; one for each origin of a `net` entry and each type of a `health` entry.
    public let privileges: [Privilege]

    /// Reads a list of sensor names and of objects such as
    /// `{ "sensor": "cpu", "access": "stats", "reason": "Shows the load" }`.
    ///
    /// - Throws: `PrivilegeSyntaxError` with the position of the first invalid entry.
    public init(parsing list: JSONValue) throws(PrivilegeSyntaxError) {
        guard let entries = list.array else {
            throw PrivilegeSyntaxError(at: list.position, "privileges must be a list")
        }
        guard entries.count <= Self.limit else {
            throw PrivilegeSyntaxError(
                at: list.position, "an app may declare at most \(Self.limit) privileges")
        }
        var found: [Privilege] = []
        for entry in entries {
            for privilege in try Self.privileges(entry) {
                guard !found.contains(where: { $0.id == privilege.id }) else {
                    throw PrivilegeSyntaxError(
                        at: entry.position, "\(privilege.id) is declared twice")
                }
                found.append(privilege)
            }
        }
        guard found.count <= Self.limit else {
            throw PrivilegeSyntaxError(
                at: list.position, "an app may declare at most \(Self.limit) privileges")
        }
        privileges = found
    }

    private static func privileges(
        _ entry: JSONValue
    ) throws(PrivilegeSyntaxError) -> [Privilege] {
        if let name = entry.string {
            return [Privilege(.sensor(try sensor(name, entry.position), .raw), reason: "")]
        }
        guard let members = entry.object else {
            throw PrivilegeSyntaxError(
                at: entry.position, "a privilege is a sensor's name or an object")
        }
        var fields = PrivilegeFields(members)
        let privileges = try fields.privileges(at: entry.position)
        try fields.finish()
        return privileges
    }

    fileprivate static func sensor(
        _ name: String, _ position: JSONPosition
    ) throws(PrivilegeSyntaxError) -> SensorID {
        guard let id = SensorID(name) else {
            throw PrivilegeSyntaxError(
                at: position, "\(name.quotedForDisplay) is not the name of a sensor")
        }
        return id
    }
}

/// The members of one entry; `finish` rejects those that were not taken.
private struct PrivilegeFields {
    private var rest: [JSONMember]

    init(_ members: [JSONMember]) {
        rest = members
    }

    /// The privileges of the entry: one, or one for each origin of `net` or type of `health`.
    mutating func privileges(
        at position: JSONPosition
    ) throws(PrivilegeSyntaxError) -> [Privilege] {
        let isSensor = rest.contains { $0.key == "sensor" }
        if !isSensor, let health = take("health") {
            let (types, access) = (try types(health), try healthAccess())
            try check(access, of: types, health.position)
            let reason = try reason(health.position)
            return types.map { Privilege(.health($0, access), reason: reason) }
        }
        guard !isSensor, let net = take("net") else { return [try privilege(at: position)] }
        let origins = try origins(net)
        let pins = try pins(take("pin"), of: origins)
        let reason = try reason(net.position)
        return origins.map { Privilege(.net($0, pin: pins[$0]), reason: reason) }
    }

    private mutating func privilege(
        at position: JSONPosition
    ) throws(PrivilegeSyntaxError) -> Privilege {
        if let sensor = take("sensor") {
            return try sensorPrivilege(sensor)
        }
        if let storage = take("storage") {
            try expectTrue(storage, "storage")
            return Privilege(.storage, reason: try optionalReason() ?? "")
        }
        if let secret = take("secret") {
            return try secretPrivilege(secret)
        }
        if let notify = take("notify") {
            try expectTrue(notify, "notify")
            return Privilege(.notify, reason: try reason(notify.position))
        }
        if let identity = take("identity") {
            try expectTrue(identity, "identity")
            return Privilege(.identity, reason: try reason(identity.position))
        }
        if let sessions = take("sessions") {
            let access = try sessionAccess(sessions)
            return Privilege(.sessions(access), reason: try reason(sessions.position))
        }
        let names = rest.map(\.key.quotedForDisplay).joined(separator: ", ")
        throw PrivilegeSyntaxError(
            at: rest.first?.position ?? position,
            names.isEmpty
                ? "a privilege names a sensor, net, secret, storage, notify, identity, sessions or health"
                : "unknown privilege \(names); known are sensor, net, secret, storage, notify,"
                    + " identity, sessions and health")
    }

    /// - Throws: when a member was not taken.
    func finish() throws(PrivilegeSyntaxError) {
        guard let unknown = rest.first else { return }
        throw PrivilegeSyntaxError(
            at: unknown.position,
            "\(unknown.key.quotedForDisplay) is not a member of this privilege")
    }

    // MARK: - Private

    private mutating func sensorPrivilege(
        _ sensor: JSONValue
    ) throws(PrivilegeSyntaxError) -> Privilege {
        guard let name = sensor.string else {
            throw PrivilegeSyntaxError(at: sensor.position, "sensor must be a name")
        }
        let id = try PrivilegeList.sensor(name, sensor.position)
        var access = Access.raw
        if let given = take("access") {
            guard let known = given.string.flatMap(Access.init(rawValue:)) else {
                throw PrivilegeSyntaxError(
                    at: given.position, "access must be \"raw\", \"stats\" or \"write\"")
            }
            access = known
        }
        return Privilege(.sensor(id, access), reason: try reason(sensor.position))
    }

    private func sessionAccess(
        _ value: JSONValue
    ) throws(PrivilegeSyntaxError) -> SessionAccess {
        guard value.string != Access.stats.rawValue else {
            throw PrivilegeSyntaxError(
                at: value.position,
                "sessions have no statistics; declare those of sensors, with the access \"stats\"")
        }
        guard let access = value.string.flatMap(SessionAccess.init(rawValue:)) else {
            throw PrivilegeSyntaxError(
                at: value.position, "sessions must be \"read\" or \"write\"")
        }
        return access
    }

    /// The types of a `health` entry: one name, or a list of different names.
    private func types(_ value: JSONValue) throws(PrivilegeSyntaxError) -> [HealthType] {
        let entries = value.array ?? [value]
        guard !entries.isEmpty else {
            throw PrivilegeSyntaxError(
                at: value.position, "health must be a type such as heart-rate, or a list of types")
        }
        var types: [HealthType] = []
        for entry in entries {
            guard let name = entry.string else {
                throw PrivilegeSyntaxError(
                    at: entry.position,
                    "health must be a type such as heart-rate, or a list of types")
            }
            guard let type = HealthType(name) else {
                let similar = HealthType.all.map(\.description).filter {
                    $0.utf8.editDistance(to: name.utf8.prefix(64), countsExchanges: true) <= 2
                }
                let hint = similar.first.map { "; did you mean \($0)?" } ?? ""
                throw PrivilegeSyntaxError(
                    at: entry.position,
                    "unknown type of health data \(name.quotedForDisplay)\(hint)")
            }
            types.append(type)
        }
        return types
    }

    private mutating func secretPrivilege(
        _ secret: JSONValue
    ) throws(PrivilegeSyntaxError) -> Privilege {
        guard let name = secret.string.flatMap({ SecretName($0) }) else {
            throw PrivilegeSyntaxError(
                at: secret.position,
                "secret must be a name of lower-case letters, digits and hyphens")
        }
        guard let server = take("server"),
            let origin = server.string.flatMap({ WebOrigin($0) }), origin.host.reach != .forbidden
        else {
            throw PrivilegeSyntaxError(
                at: secret.position,
                "a secret needs the \"server\" that receives it, such as https://example.org")
        }
        return Privilege(.secret(name, origin), reason: try reason(secret.position))
    }

    private mutating func healthAccess() throws(PrivilegeSyntaxError) -> HealthAccess {
        guard let given = take("access") else { return .read }
        guard let access = given.string.flatMap(HealthAccess.init(rawValue:)) else {
            throw PrivilegeSyntaxError(
                at: given.position, "access to health data must be \"read\" or \"write\"")
        }
        return access
    }

    private func check(
        _ access: HealthAccess, of types: [HealthType], _ position: JSONPosition
    ) throws(PrivilegeSyntaxError) {
        for type in types where !PrivilegeID.health(type, access).isGrantable {
            throw PrivilegeSyntaxError(
                at: position,
                type.kind == .correlation
                    ? "\(type) is read and saved with the privileges of the types in it"
                    : "apps cannot save \(type): the owner sets it")
        }
    }

    private func origins(_ value: JSONValue) throws(PrivilegeSyntaxError) -> [WebOrigin] {
        guard let entries = value.array, !entries.isEmpty else {
            throw PrivilegeSyntaxError(
                at: value.position, "net must be a list of origins such as https://example.org")
        }
        guard entries.count <= PrivilegeList.originLimit else {
            throw PrivilegeSyntaxError(
                at: value.position, "net takes at most \(PrivilegeList.originLimit) origins")
        }
        var origins: [WebOrigin] = []
        for entry in entries {
            guard let origin = entry.string.flatMap({ WebOrigin($0) }) else {
                throw PrivilegeSyntaxError(
                    at: entry.position,
                    "net takes origins such as https://example.org, without path or wildcard")
            }
            guard origin.host.reach != .forbidden else {
                throw PrivilegeSyntaxError(at: entry.position, "no app may call \(origin)")
            }
            origins.append(origin)
        }
        return origins
    }

    /// The certificates that origins must present.
    private func pins(
        _ value: JSONValue?, of origins: [WebOrigin]
    ) throws(PrivilegeSyntaxError) -> [WebOrigin: CertificatePin] {
        guard let value else { return [:] }
        guard let members = value.object else {
            throw PrivilegeSyntaxError(
                at: value.position, "pin must be an object of origins and their certificates")
        }
        var pins: [WebOrigin: CertificatePin] = [:]
        for member in members {
            guard let origin = WebOrigin(member.key), origins.contains(origin),
                origin.scheme == .https, pins[origin] == nil
            else {
                throw PrivilegeSyntaxError(
                    at: member.position,
                    "pin names https origins of the same net, each once")
            }
            guard let pin = member.value.string.flatMap({ CertificatePin($0) }) else {
                throw PrivilegeSyntaxError(
                    at: member.value.position,
                    "a pin is sha256/ and the Base64 of a certificate's or public key's SHA-256")
            }
            pins[origin] = pin
        }
        return pins
    }

    private mutating func reason(
        _ position: JSONPosition
    ) throws(PrivilegeSyntaxError) -> String {
        guard let reason = try optionalReason() else {
            throw PrivilegeSyntaxError(
                at: position, "a privilege needs a \"reason\" for the owner to read")
        }
        return reason
    }

    private mutating func optionalReason() throws(PrivilegeSyntaxError) -> String? {
        guard let value = take("reason") else { return nil }
        guard let text = value.string, text.contains(where: { !$0.isWhitespace }) else {
            throw PrivilegeSyntaxError(at: value.position, "reason must be a text and not empty")
        }
        guard text.count <= PrivilegeList.reasonLimit else {
            throw PrivilegeSyntaxError(
                at: value.position,
                "reason must have at most \(PrivilegeList.reasonLimit) characters")
        }
        return text
    }

    private func expectTrue(
        _ value: JSONValue, _ name: String
    ) throws(PrivilegeSyntaxError) {
        guard value.bool == true else {
            throw PrivilegeSyntaxError(at: value.position, "\(name) must be true")
        }
    }

    private mutating func take(_ key: String) -> JSONValue? {
        guard let index = rest.firstIndex(where: { $0.key == key }) else { return nil }
        return rest.remove(at: index).value
    }
}

/// An invalid privilege in a manifest.
public struct PrivilegeSyntaxError: Error, Sendable, Hashable {
    /// Where it is.
    public let position: JSONPosition
    /// A clause without a full stop; texts of the app are escaped.
    public let message: String

    fileprivate init(at position: JSONPosition, _ message: String) {
        self.position = position
        self.message = message
    }
}

extension String {
    /// Untrusted text in quotes, escaped and cut to 60 columns.
    fileprivate var quotedForDisplay: String { "\"\(escapedForDisplay(limit: 60))\"" }
}
