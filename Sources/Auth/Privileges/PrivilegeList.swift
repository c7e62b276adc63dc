import Samples
public import Text

/// The `privileges` of a `package.json`, understood or refused as a whole.
public struct PrivilegeList: Sendable, Hashable {
    /// The most privileges that one app may declare.
    public static let limit = 64
    /// The most origins of one privilege.
    static let originLimit = 16
    /// The longest reason, in characters.
    public static let reasonLimit = 200

    public let privileges: [Privilege]

    /// Reads a list of sensor names and of objects such as
    /// `{ "sensor": "cpu", "access": "stats", "reason": "Shows the load" }`.
    ///
    /// - Throws: `PrivilegeSyntaxError` with the place of the first entry that is not a privilege.
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
                        at: entry.position, "\(privilege.id) stands here twice")
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

    static func sensor(
        _ name: String, _ position: JSONPosition
    ) throws(PrivilegeSyntaxError) -> SensorID {
        guard let id = SensorID(name) else {
            throw PrivilegeSyntaxError(
                at: position, "\(name.quotedForDisplay) is not the name of a sensor")
        }
        return id
    }
}
