/// The rules of every sensor.
public struct RetentionRules: Hashable, Sendable {
    /// For sensors without a rule of their own.
    public var standard: RetentionRule
    /// By sensor, or by a kind whose instances it is for.
    public var bySensor: [SensorID: RetentionRule]

    public init(
        standard: RetentionRule = .standard, bySensor: [SensorID: RetentionRule] = [:]
    ) {
        self.standard = standard
        self.bySensor = bySensor
    }

    /// The rule of the sensor itself, else of the nearest kind, else the one for all others.
    public func rule(for sensor: SensorID) -> RetentionRule {
        bySensor[sensor] ?? bySensor.filter { $0.key.covers(sensor) }.max { $0.key < $1.key }?.value
            ?? standard
    }
}
