public import Samples

/// The state of a sensor.
public struct SensorStatus: Hashable, Sendable {
    /// Whether samples can come from it.
    public enum State: Hashable, Sendable {
        /// The sensor can be collected or published to.
        case available
        /// Hardware or permission is missing; see ``Availability/unavailable(reason:remedy:)``.
        case unavailable(reason: String, remedy: String?)
    }

    /// The sensor.
    public let sensor: Sensor
    /// Whether samples can come from it.
    public let state: State
    /// The level at which it is collected.
    public let level: CollectionLevel
    /// The last failure to read it, until a read succeeds.
    public let failure: String?
    /// A remark about how it is read, such as why its device captures no samples.
    public let note: String?
    /// Failed reads since start.
    public let failures: Int
    /// The sample with the latest timestamp that is not in the future; see ``future``.
    public let newest: StoredSample?
    /// The latest timestamp, if it is more than 5 minutes in the future; see
    /// ``SampleReading/isFuture(_:at:)``.
    ///
    /// A clock that was wrong leaves samples with such timestamps. They do not count as the newest
    /// and are read by range only.
    public let future: Timestamp?
    /// The expected interval between two samples: the interval of the level for a sensor that the
    /// host reads, else the longest of the last intervals in which samples came; `nil` when it is
    /// unknown.
    public let interval: Duration?
    /// The age of the newest sample; `nil` when there is none.
    public let freshness: Freshness?
    /// The report of the source; `nil` unless the sensor is pushed.
    public let source: SourceReport?
    /// How far the clock of the source differs from the host's; `nil` while no sample came with a time of its
    /// own.
    public let clock: ClockOffset?
    /// The intervals between its reads, at the level `auto`; `nil` at other levels, and for sensors that the host
    /// does not read.
    public let adaptive: AdaptiveRange?

    /// Whether samples of the sensor are stored, whatever their timestamps.
    public var hasSamples: Bool { newest != nil || future != nil }
}

/// The intervals between reads of a sensor at the level `auto`.
public struct AdaptiveRange: Hashable, Sendable {
    /// From the shortest to the longest.
    public let bounds: ClosedRange<Duration>
    /// The interval until the next read; `nil` while nothing is collected.
    public let current: Duration?
}

/// The state of a source that delivers samples without being asked.
public struct SourceReport: Hashable, Sendable {
    /// The state of the connection to the source.
    public enum Link: String, Hashable, Sendable {
        /// No connection was attempted yet.
        case unknown
        /// The source is being searched for, for example by radio.
        case scanning
        /// The source was found, and the connection is being established.
        case connecting
        /// The source is connected.
        case connected
        /// The connection ended or could not be made; it is tried again later.
        case disconnected
    }

    /// The state of the connection.
    public var link = Link.unknown
    /// How often it became connected.
    public var connections = 0
    /// Messages, lines or readings received.
    public var received = 0
    /// How many of them were stored as samples.
    public var accepted = 0
    /// How many of them were dropped, by reason.
    public var dropped = Dropped()
    /// Samples older than one received before; they are stored.
    public var late = 0
    /// How far the source's clock differs from the host's; `nil` if its messages have no times.
    public var clock: ClockOffset?
    /// The last error, one sentence.
    public var problem: String?

    /// Counts of dropped samples.
    public struct Dropped: Hashable, Sendable {
        /// Not in the format, or without a valid value of a field.
        public var malformed = 0
        /// Without one of the fields.
        public var incomplete = 0
        /// With an invalid timestamp, or without a required one.
        public var invalidTimestamp = 0
        /// With the timestamp and values of a sample received before or, if the source stores only
        /// changes, with unchanged values.
        public var repeated = 0
        /// Above the maximum rate of the source, or more than could be stored in time.
        public var excess = 0

        /// Creates counts of zero.
        public init() {}

        /// The sum of all counts.
        public var total: Int { malformed + incomplete + invalidTimestamp + repeated + excess }
    }

    /// Creates a report without a connection.
    public init() {}
}

/// The state of the virtual machine.
public struct VirtualMachineStatus: Hashable, Sendable {
    /// When the virtual machine started.
    public let started: Timestamp
    /// Whether samples are being collected.
    public let collecting: Bool
    /// Samples accepted since the data directory was created, including pruned and forgotten ones.
    public let samples: Int64
    /// Samples accepted and not yet on disk.
    public let buffered: Int
    /// Samples accepted and not yet counted in the storage report: those that are not on disk, and those in the
    /// journal of the store.
    public let unwritten: Int
    /// Samples dropped since start because nothing could be written.
    public let dropped: Int
    /// Bytes of the store and its write-ahead log.
    public let bytes: Int64
    /// The last failed write, until one succeeds.
    public let failure: String?
    /// The time ranges in which samples are damaged and are not read, in order; all of time where
    /// that cannot be determined.
    public let damage: [SensorID: [TimeRange]]
}
