public import Samples
public import Scheduling

/// A family of sensors that are read in the same way, such as the network interfaces.
///
/// To add one, write a driver in `Drivers/` and list it in `DriverCatalogue.swift`:
///
/// ```swift
/// struct OpenFilesDriver: SensorDriver {
///     func discover() -> [DiscoveredSensor] {
///         let sensor = Sensor(
///             id: "open-files", title: "Open files",
///             fields: [Field("open", unit: "{file}")], source: "/proc/sys/fs/file-nr")
///         return [DiscoveredSensor(sensor, .polled(Reader()))]
///     }
/// }
/// ```
public protocol SensorDriver: Sendable {
    /// The sensors of this family that the machine has now.
    ///
    /// Called at start and at intervals, so hardware may come and go. A family without hardware
    /// returns one sensor with `.unavailable`, so that the owner sees what is missing. A sensor
    /// that cannot be read is also `.unavailable`, with the reason.
    func discover() -> [DiscoveredSensor]

    /// Yields when the sensors may have changed, to trigger discovery at once; `nil` when discovery
    /// at intervals is enough.
    ///
    /// The driver listens for changes while the stream is consumed. It has one consumer at a time.
    func changes() -> AsyncStream<Void>?
}

extension SensorDriver {
    public func changes() -> AsyncStream<Void>? { nil }
}

/// A family of sensors that are computed sample by sample from other sensors, such as steps from
/// acceleration.
///
/// Its sensors are `.derived` or `.unavailable`. Their inputs are not derived sensors, so there are
/// no cycles.
public protocol SensorDeriver: Sendable {
    /// The sensors that can be derived from the sensors that the drivers found.
    ///
    /// Called after each discovery. A driver's available sensor has precedence over a derived
    /// sensor of the same name, which has precedence over a driver's unavailable sensor.
    func discover(among sensors: [DiscoveredSensor]) -> [DiscoveredSensor]
}

/// A sensor that a driver found, or knows to be missing.
public struct DiscoveredSensor: Sendable {
    /// The sensor.
    public let sensor: Sensor
    /// Whether and how it can be collected.
    public let availability: Availability

    /// Pairs a sensor with its availability.
    public init(_ sensor: Sensor, _ availability: Availability) {
        self.sensor = sensor
        self.availability = availability
    }

    /// Whether the sensor is unavailable.
    public var isUnavailable: Bool { availability.isUnavailable }
}

/// Whether a sensor can be collected and, if so, how.
public enum Availability: Sendable {
    /// The virtual machine reads each sample.
    case polled(any SampleReader)
    /// The source delivers samples without being asked.
    case pushed(any SampleSource)
    /// Its samples are a function of time; see ``VirtualMachine/play(after:through:)``.
    case timed(any TimedSource)
    /// Its samples are computed from the samples of another sensor, as they are accepted.
    case derived(from: SensorID, any SampleDeriver)
    /// Clients publish its samples; the virtual machine reads nothing.
    case published
    /// The hardware or the permission is missing.
    ///
    /// - `reason`: one clause without a full stop, such as `no battery under
    ///   /sys/class/power_supply`.
    /// - `remedy`: what the owner can do about it; `nil` when nothing helps.
    case unavailable(reason: String, remedy: String?)

    var isUnavailable: Bool {
        if case .unavailable = self { true } else { false }
    }
}

/// Reads one sample at a time; keeps its state between reads, such as the last counters.
///
/// A value that is owned by the task that collects its sensor.
public protocol SampleReader: Sendable {
    /// The values of all fields now, in the order of the sensor's fields.
    ///
    /// - Returns: `nil` when there is no value yet, as on the first read of a rate.
    /// - Throws: `SensorError` when the source cannot be read or parsed.
    mutating func read() throws(SensorError) -> [Value]?

    /// A remark for the owner about what it reads, such as what it had to leave out; `nil` for none.
    var remark: String? { get }
}

extension SampleReader {
    public var remark: String? { nil }
}

/// A reader whose device can also capture samples in a buffer.
///
/// The virtual machine uses the buffer at intervals so short that reading each sample would cost
/// too much or be too late.
public protocol BufferedReader: SampleReader {
    /// Begins to capture samples.
    ///
    /// - Parameters:
    ///   - interval: the wanted interval between samples; excess samples are dropped.
    ///   - time: the host's clock.
    /// - Returns: `nil` when the device cannot capture.
    /// - Throws: `SensorError` when it can, but this user may not use it; the device is then
    ///   unchanged and can be read sample by sample.
    func capture(
        every interval: Duration, time: any TimeSource
    ) throws(SensorError) -> (any SampleCapture)?
}

/// Samples that a device captures, owned by the task that collects its sensor.
public protocol SampleCapture: AnyObject {
    /// The samples since the last call, the oldest first; waits at most 100 ms for some.
    func next() throws(SensorError) -> [Sample]
    /// Stops capturing and restores the device's settings.
    func end()
}

/// Delivers samples without being asked.
///
/// A class, so that discovery recognises a source that it found before and does not restart it.
public protocol SampleSource: AnyObject, Sendable {
    /// Tells it the newest stored sample of its sensor, before its samples are consumed.
    func resume(after last: Sample)
    /// The samples from now on; ends when the source goes away. Cancelling the consumer stops it.
    func samples() -> AsyncThrowingStream<Sample, any Error>
    /// The state of the connection; `nil` where there is none.
    var report: SourceReport? { get }
}

extension SampleSource {
    public func resume(after last: Sample) {}
    public var report: SourceReport? { nil }
}

/// Samples that are a function of time, because they are simulated or recorded.
///
/// Such a source reads neither hardware nor a clock, so time can pass at any speed.
public protocol TimedSource: Sendable {
    /// The time of the first sample after `time`; `nil` when there is none.
    ///
    /// - Parameter interval: the interval that the collection level asks for.
    func next(after time: Timestamp, every interval: Duration) -> Timestamp?

    /// The samples after `start` and up to and including `end`, in order.
    ///
    /// - Parameter limit: the maximum number of samples to return; the rest are returned by later
    ///   calls.
    func samples(
        after start: Timestamp, through end: Timestamp, every interval: Duration, limit: Int
    ) -> SampleBatch
}

/// Computes samples of one sensor from the samples of another, in bounded memory.
///
/// A value owned by one task; a new one is used whenever its sensor is switched on.
public protocol SampleDeriver: Sendable {
    /// The fields of the input that it uses; samples without one of them are skipped.
    var inputs: [Field] { get }
    /// The longest interval between samples of the input from which it computes correct samples;
    /// `nil` if every interval is short enough. At the level `auto` the input is read at least as
    /// often.
    var longestInterval: Duration? { get }

    /// Continues after the last stored sample of its sensor; called before it takes any input.
    mutating func resume(after last: Sample)

    /// Takes a sample of the input, in the order in which they were accepted.
    ///
    /// - Returns: the next sample of its sensor; `nil` when there is none yet.
    mutating func take(_ sample: Sample) -> Sample?
}

extension SampleDeriver {
    public var longestInterval: Duration? { nil }
}

/// Why a sensor gave no sample.
public struct SensorError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Hashable, Sendable {
        /// The source exists and cannot be read.
        case unreadable
        /// The source does not have the expected format.
        case malformed
        /// The hardware is no longer there.
        case gone
    }

    /// The kind of failure.
    public let code: Code
    /// One sentence that names the source.
    public let message: String

    /// Creates an error with one sentence that names the source.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
