/// What was forgotten of a sensor.
public struct ForgetReceipt: Hashable, Sendable {
    public let sensor: SensorID
    public let range: TimeRange
    public let time: Timestamp
    /// Samples that are gone.
    public var samples = 0
    /// Hours whose summary is gone; their samples were gone before.
    public var summaries = 0
    /// Samples that those summaries told of.
    public var summarised = 0
    /// Those of the hours that reach beyond the range: a summary cannot be cut.
    public var hoursBeyond = 0
    /// Stretches of samples that could not be read, and went whole.
    public var unreadable = 0
    /// Bytes that samples and summaries had taken in the file.
    public var bytes: Int64 = 0
    /// Whether the bytes are overwritten or cut off in the files, too.
    ///
    /// `false` while somebody reads from an earlier state of the file; maintenance then ends it.
    public var isErased = false

    public init(sensor: SensorID, range: TimeRange, time: Timestamp) {
        self.sensor = sensor
        self.range = range
        self.time = time
    }
}
