public import Samples

/// What a person changes of a session; `nil` stays as it is.
public struct SessionChange: Hashable, Sendable {
    public var name: String?
    public var description: String?
    /// Only before it begins.
    public var sensors: [SensorID]?
    /// The length of its route in metres, in place of what was measured, for good.
    public var distance: Double?

    public init(
        name: String? = nil, description: String? = nil, sensors: [SensorID]? = nil,
        distance: Double? = nil
    ) {
        (self.name, self.description) = (name, description)
        (self.sensors, self.distance) = (sensors, distance)
    }
}
