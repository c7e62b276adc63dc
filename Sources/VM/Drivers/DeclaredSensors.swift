import Samples

/// The sensors that the owner has declared, whose samples clients publish.
struct DeclaredSensors: SensorDriver {
    static let source = "published by clients"
    /// The most that may be declared.
    static let limit = 1000

    var sensors: [SensorID: Sensor] = [:]

    func discover() -> [DiscoveredSensor] {
        sensors.values.map { DiscoveredSensor($0, .published) }
    }
}
