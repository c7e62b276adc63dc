/// Which samples of one sensor to read.
public struct SampleQuery: Hashable, Sendable {
    /// By time, then by arrival.
    public enum Order: String, Hashable, Sendable {
        case ascending, descending
    }

    /// A place in the order of samples, which no two samples share.
    public struct Position: Hashable, Comparable, Sendable {
        public let time: Timestamp
        public let sequence: Int64

        public init(time: Timestamp, sequence: Int64) {
            self.time = time
            self.sequence = sequence
        }

        public init(of sample: StoredSample) {
            self.init(time: sample.time, sequence: sample.sequence)
        }

        public static func < (left: Self, right: Self) -> Bool {
            (left.time, left.sequence) < (right.time, right.sequence)
        }
    }

    public var sensor: SensorID
    /// The fields to see the samples with; `nil` for those the sensor has now.
    ///
    /// Samples that were stored with others are matched by name and unit; one that lacks a field is
    /// left out.
    public var fields: [Field]?
    public var range: TimeRange
    public var order: Order
    /// Only what stands behind this place in the chosen order.
    public var after: Position?
    /// The most samples to return, at least 1.
    public var limit: Int
    /// Bytes of text behind which the answer ends early, with one sample at least; `nil` for no such end.
    ///
    /// Whoever sets it has read everything when an answer is empty, not when it has fewer than `limit`.
    public var textBytes: Int?

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
