import Samples

/// The sensors that the owner has declared: their samples are published by clients, or made of those
/// of other sensors.
struct DeclaredSensors: SensorDriver {
    static let source = "published by clients"
    static let virtualSource = "virtual"
    /// The most that may be declared.
    static let limit = 1000

    var sensors: [SensorID: Sensor] = [:]

    func discover() -> [DiscoveredSensor] {
        sensors.values.map { DiscoveredSensor($0, .published) }
    }
}
