import Samples

/// A privilege that a policy keeps from everybody on this machine.
public struct Restriction: Hashable, Sendable {
    /// As the policy writes it, such as `sensor:camera` or `net`.
    public let privilege: String
    /// The file that says so.
    public let file: String

    private let id: PrivilegeID
    private let isWholeSensor: Bool

    /// Reads one line of a policy.
    ///
    /// `sensor:ID` restricts all that can be done with a sensor and, where it is a kind, with its
    /// instances. With an access it restricts as a denial does: `:stats` the samples too, `:raw` the
    /// samples alone. `net` restricts every other server.
    ///
    /// - Returns: `nil` for a text that is no privilege.
    public init?(_ text: String, file: String) {
        guard let id = PrivilegeID(text) else { return nil }
        self.id = id
        self.file = file
        privilege = text
        isWholeSensor = id.sensor.map { text == "sensor:\($0)" } ?? false
    }

    /// Whether a privilege cannot be given while this holds.
    func covers(_ other: PrivilegeID) -> Bool {
        guard let sensor = id.sensor, let access = id.access else {
            return id == other || id == .net && other.origin != nil
        }
        guard let wanted = other.sensor, let use = other.access, sensor.covers(wanted) else {
            return false
        }
        return isWholeSensor || use.includes(access)
    }
}
