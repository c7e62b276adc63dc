import Addresses
import Text

/// The members of one declared privilege; each must be taken, so that none is silently ignored.
struct PrivilegeFields {
    private var rest: [JSONMember]

    init(_ members: [JSONMember]) {
        rest = members
    }

    /// The privileges that the members describe: one, or one for each origin of `net`.
    mutating func privileges(
        at position: JSONPosition
    ) throws(PrivilegeSyntaxError) -> [Privilege] {
        let isSensor = rest.contains { $0.key == "sensor" }
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
        if let notify = take("notify") {
            try expectTrue(notify, "notify")
            return Privilege(.notify, reason: try reason(notify.position))
        }
        if let identity = take("identity") {
            try expectTrue(identity, "identity")
            return Privilege(.identity, reason: try reason(identity.position))
        }
        let names = rest.map(\.key.quotedForDisplay).joined(separator: ", ")
        throw PrivilegeSyntaxError(
            at: rest.first?.position ?? position,
            names.isEmpty
                ? "a privilege names a sensor, net, storage, notify or identity"
                : "unknown privilege \(names); known are sensor, net, storage, notify and identity")
    }

    /// - Throws: when a member was not taken.
    func finish() throws(PrivilegeSyntaxError) {
        guard let unknown = rest.first else { return }
        throw PrivilegeSyntaxError(
            at: unknown.position, "\(unknown.key.quotedForDisplay) means nothing in this privilege")
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
            guard origin.host.reach != .nowhere else {
                throw PrivilegeSyntaxError(at: entry.position, "no app may call \(origin)")
            }
            origins.append(origin)
        }
        return origins
    }

    /// The certificates that some of the origins must show.
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
                at: position, "a privilege needs a \"reason\" that tells the person why")
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
