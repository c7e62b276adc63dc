public import Addresses
public import Samples

/// The name of a privilege in flags, in answers and in the database.
///
/// `sensor:ID` is raw reading; `sensor:ID:stats` and `sensor:ID:write` are the other accesses;
/// `net:ORIGIN` is calls to another server; `storage`, `notify` and `identity` stand for themselves.
public struct PrivilegeID: Hashable, Sendable, LosslessStringConvertible {
    public let description: String
    /// The sensor and the access it is about; `nil` for the other privileges.
    public let sensor: SensorID?
    public let access: Access?
    /// The other server it is about; `nil` for the other privileges.
    public let origin: WebOrigin?

    /// Calls to any other server: they can be denied together, and are given one by one.
    public static let net = PrivilegeID(other: "net")
    public static let storage = PrivilegeID(other: "storage")
    public static let notify = PrivilegeID(other: "notify")
    public static let identity = PrivilegeID(other: "identity")

    private static let others = [net, storage, notify, identity]
    private static let netPrefix = "net:"

    public init(sensor: SensorID, access: Access) {
        self.sensor = sensor
        self.access = access
        origin = nil
        description = access == .raw ? "sensor:\(sensor)" : "sensor:\(sensor):\(access.rawValue)"
    }

    /// Calls to another server.
    ///
    /// - Returns: `nil` for one that no app may reach.
    public init?(reaching origin: WebOrigin) {
        guard origin.host.reach != .nowhere else { return nil }
        self.origin = origin
        sensor = nil
        access = nil
        description = Self.netPrefix + origin.description
    }

    /// Whether this version of the host can give it, and so asks for it.
    public var isGivable: Bool {
        sensor != nil || origin != nil || [.identity, .storage, .notify].contains(self)
    }

    /// Reads a name as `description` writes it; `sensor:ID:raw` also means `sensor:ID`.
    public init?(_ text: String) {
        if let other = Self.others.first(where: { $0.description == text }) {
            self = other
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
    }
}
