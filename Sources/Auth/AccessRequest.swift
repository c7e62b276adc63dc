public import Samples

/// What a caller wants to do with a sensor.
public struct AccessRequest: Hashable, Sendable {
    public let sensor: SensorID
    public let access: Access
    /// What it is for, in the log: `latest`, `samples`, `stats`, `stream`.
    public let operation: String
    /// Whether it goes on with what was granted before, as a stream does: that its token has ended
    /// meanwhile is then no attempt to be told of.
    public let isContinuation: Bool

    public init(
        _ operation: String, of sensor: SensorID, _ access: Access, isContinuation: Bool = false
    ) {
        self.sensor = sensor
        self.access = access
        self.operation = operation
        self.isContinuation = isContinuation
    }

    /// The same wish about another sensor.
    func about(_ sensor: SensorID) -> AccessRequest {
        AccessRequest(operation, of: sensor, access, isContinuation: isContinuation)
    }

    var privilege: PrivilegeID { PrivilegeID(sensor: sensor, access: access) }
}
