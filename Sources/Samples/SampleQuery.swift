/// Selects samples of one sensor.
///
/// ```swift
/// // The ten samples before a position, newest first:
/// let query = SampleQuery(sensor: "cpu", order: .descending, after: position, limit: 10)
/// ```
public struct SampleQuery: Hashable, Sendable {
    /// The order of samples: by time, then by sequence number.
    public enum Order: String, Hashable, Sendable {
        /// Oldest first.
        case ascending
        /// Newest first.
        case descending
    }

    /// The position of a sample in the order by time, then sequence number; unique.
    public struct Position: Hashable, Comparable, Sendable {
        /// The sample's time.
        public let time: Timestamp
        /// The sample's sequence number.
        public let sequence: Int64

        /// The position of a sample with this time and sequence number.
        public init(time: Timestamp, sequence: Int64) {
            self.time = time
            self.sequence = sequence
        }

        /// The position of a stored sample.
        public init(of sample: StoredSample) {
            self.init(time: sample.time, sequence: sample.sequence)
        }

        /// Compares times, then sequence numbers.
        public static func < (left: Self, right: Self) -> Bool {
            (left.time, left.sequence) < (right.time, right.sequence)
        }
    }

    /// The sensor whose samples are read.
    public var sensor: SensorID
    /// The fields to return; `nil` for the sensor's current fields.
    ///
    /// Samples that were stored with other fields are matched by name and unit; samples that lack a field
    /// are excluded.
    public var fields: [Field]?
    /// The time range.
    public var range: TimeRange
    /// The order of the result.
    public var order: Order
    /// Excludes samples up to and including this position, in the chosen order.
    public var after: Position?
    /// The maximum number of samples to return, at least 1.
    public var limit: Int
    /// UTF-8 bytes of text after which the result ends early, with at least one sample; `nil` for no limit.
    ///
    /// With this limit only an empty result means that there are no more samples; a result shorter than
    /// `limit` does not.
    public var textBytes: Int?

    /// - Parameter limit: taken as 1 when it is less.
    public init(
        sensor: SensorID, fields: [Field]? = nil, range: TimeRange = .all,
        order: Order = .ascending, after: Position? = nil, limit: Int
    ) {
        self.sensor = sensor
        self.fields = fields
        self.range = range
        self.order = order
        self.after = after
        self.limit = max(1, limit)
    }
}

/// Samples in the order of their sequence numbers, and the time ranges in which some are damaged.
public struct ArrivalPage: Sendable {
    /// The samples, by ascending sequence number.
    public let samples: [StoredSample]
    /// The ranges in which damaged samples follow the requested sequence number; ``TimeRange/all`` when
    /// their times are unknown.
    public let damage: [TimeRange]

    /// Combines samples and damaged ranges.
    public init(samples: [StoredSample], damage: [TimeRange]) {
        self.samples = samples
        self.damage = damage
    }
}

/// Upper bounds of the sequence numbers of accepted samples.
public struct ArrivalProgress: Hashable, Sendable {
    /// The last sequence number of all sensors.
    public let last: Int64
    /// For each of some sensors, a number that no sequence number of its samples exceeds.
    public let sensors: [Int64]

    /// Creates a value from its members.
    public init(last: Int64, sensors: [Int64]) {
        self.last = last
        self.sensors = sensors
    }
}
