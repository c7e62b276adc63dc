/// The values of all fields of a sensor at one moment, in the order of the sensor's fields.
public struct Sample: Hashable, Sendable {
    public let time: Timestamp
    public let values: [Value]

    public init(time: Timestamp, values: [Value]) {
        self.time = time
        self.values = values
    }
}

/// A sample as the store holds it.
public struct StoredSample: Hashable, Sendable {
    /// The place in the order of arrival, over all sensors; starts at 1, never reused.
    public let sequence: Int64
    public let sample: Sample

    public init(sequence: Int64, sample: Sample) {
        self.sequence = sequence
        self.sample = sample
    }

    public var time: Timestamp { sample.time }
    public var values: [Value] { sample.values }
}
