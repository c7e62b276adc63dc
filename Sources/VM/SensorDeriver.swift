public import Samples

/// A family of sensors that are made of samples of others, such as steps of acceleration.
///
/// What it finds is `.derived` or `.unavailable`; it is made of no other derived sensor, so there are
/// no circles.
public protocol SensorDeriver: Sendable {
    /// Everything that can be made of what the drivers found, and what it lacks.
    ///
    /// Called whenever hardware was looked for. A sensor of a driver that is there goes before one of
    /// its name that is derived, and that before one of a driver that is missing.
    func discover(among sensors: [DiscoveredSensor]) -> [DiscoveredSensor]
}

/// Makes samples of one sensor of those of another.
///
/// A value owned by the one task that makes them, in bounded memory; begun anew whenever its sensor is
/// switched on.
public protocol SampleDeriver: Sendable {
    /// The fields of the input that it takes; samples without one of them are passed over.
    var inputs: [Field] { get }

    /// Goes on from the last sample of its sensor that is there, before it takes any.
    mutating func resume(after last: Sample)

    /// Takes a sample of the input, in the order of arrival.
    ///
    /// - Returns: `nil` while there is nothing new to say.
    mutating func take(_ sample: Sample) -> Sample?
}
