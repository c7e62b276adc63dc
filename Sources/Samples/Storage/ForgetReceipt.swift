/// What was forgotten of a sensor.
public struct ForgetReceipt: Hashable, Sendable {
    public let sensor: SensorID
    public let range: TimeRange
    /// Samples that are gone.
    public let samples: Int
    /// Hours whose summary is gone.
    public let summaries: Int
    /// Samples outside the range that such a summary had told of, and nothing tells of any more.
    public let summarisedOutside: Int
    /// Samples and summaries that could not be read, and went with their whole stretch of time.
    public let unreadable: Int
    /// Bytes that the samples and summaries had taken.
    public let bytes: Int64
    /// Whether the bytes are gone from the files, too; `false` while somebody still reads from a
    /// state of the file before: the next maintenance ends it.
    public let isErased: Bool

    public init(
        sensor: SensorID, range: TimeRange, samples: Int, summaries: Int, summarisedOutside: Int,
        unreadable: Int, bytes: Int64, isErased: Bool
    ) {
        self.sensor = sensor
        self.range = range
        self.samples = samples
        self.summaries = summaries
        self.summarisedOutside = summarisedOutside
        self.unreadable = unreadable
        self.bytes = bytes
        self.isErased = isErased
    }
}
