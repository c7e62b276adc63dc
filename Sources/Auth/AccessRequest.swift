public import Samples

/// What a caller wants to do with a sensor.
public struct AccessRequest: Hashable, Sendable {
    public let sensor: SensorID
    public let access: Access
    /// What it is for, in the log: `latest`, `samples`, `stats`, `stream`.
    public let operation: String

    public init(_ operation: String, of sensor: SensorID, _ access: Access) {
        self.sensor = sensor
        self.access = access
        self.operation = operation
    }

    var privilege: PrivilegeID { PrivilegeID(sensor: sensor, access: access) }
}
