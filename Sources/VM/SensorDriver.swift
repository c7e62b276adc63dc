public import Samples

/// A family of sensors that are read in the same way, such as the network interfaces.
///
/// To add one, write a driver in `Drivers/` and name it in `DriverCatalogue.swift`.
public protocol SensorDriver: Sendable {
    /// Everything of this family that the machine has now, and what it lacks.
    ///
    /// Called at start and again at intervals, so hardware may come and go. A family without any
    /// hardware returns one sensor with `.unavailable`, so that a person sees what is missing.
    /// Does not throw: what cannot be read is unavailable, with the reason.
    func discover() -> [DiscoveredSensor]

    /// Yields when what there is may have changed, so that it is looked for at once; `nil` for a family
    /// that is looked for at intervals only.
    ///
    /// What has to be listened for is listened for as long as this is consumed, by one at a time.
    func changes() -> AsyncStream<Void>?
}

extension SensorDriver {
    public func changes() -> AsyncStream<Void>? { nil }
}

/// One sensor that a driver found, or knows to be missing.
public struct DiscoveredSensor: Sendable {
    public let sensor: Sensor
    public let availability: Availability

    public init(_ sensor: Sensor, _ availability: Availability) {
        self.sensor = sensor
        self.availability = availability
    }

    /// Whether no samples can come from it.
    public var isUnavailable: Bool { availability.isUnavailable }
}

/// Whether a sensor can be read and, if so, how.
public enum Availability: Sendable {
    /// The virtual machine asks for each sample.
    case polled(any SampleReader)
    /// The source sends samples when it has them.
    case pushed(any SampleSource)
    /// Its samples follow from their time; the virtual machine takes them when it is told that time
    /// has passed.
    case timed(any TimedSource)
    /// Its samples are made of those of another sensor that the virtual machine accepts.
    case derived(from: SensorID, any SampleDeriver)
    /// Clients publish its samples; the virtual machine reads nothing.
    case published
    /// The hardware or the permission is missing.
    ///
    /// - `reason`: one clause without a full stop, such as `no battery under /sys/class/power_supply`.
    /// - `remedy`: what a person can do about it, or `nil` when nothing helps.
    case unavailable(reason: String, remedy: String?)

    var isUnavailable: Bool {
        if case .unavailable = self { true } else { false }
    }
}

/// Reads one sample at a time; keeps what it needs between reads, such as the last counters.
///
/// A reader is a value owned by the one task that collects its sensor.
public protocol SampleReader: Sendable {
    /// The values of all fields now, in the order of the sensor's fields.
    ///
    /// - Returns: `nil` when there is nothing to say yet, as on the first read of a rate.
    /// - Throws: `SensorError` when the source cannot be read or says what cannot be understood.
    mutating func read() throws(SensorError) -> [Value]?
}

/// Sends samples of its own accord.
///
/// An object, so that one that was found before is known again and not disturbed.
public protocol SampleSource: AnyObject, Sendable {
    /// The samples from now on; ends when the source goes away. Cancelling the consumer stops it.
    func samples() -> AsyncThrowingStream<Sample, any Error>
    /// How it is doing; `nil` where there is nothing to tell.
    var report: SourceReport? { get }
}

extension SampleSource {
    public var report: SourceReport? { nil }
}
