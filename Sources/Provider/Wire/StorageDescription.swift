import Samples

/// What the samples take, as the API tells it.
public struct StorageDescription: Codable, Sendable {
    /// What one sensor has of it.
    public struct Sensor: Codable, Sendable {
        public let sensor: String
        public let rule: RetentionDescription
        public let samples: Int64
        /// Bytes of samples and summaries.
        public let bytes: Int64
        /// Samples that only a summary tells of.
        public let summarised: Int64
        public let summaries: Int64
        /// Milliseconds since 1970; not there while nothing is packed.
        public let oldest: Double?
        public let bytesPerDay: Double?
        /// Days until samples begin to go; not there while that cannot be told.
        public let daysLeft: Double?

        init(_ sensor: SensorStorage) {
            self.sensor = sensor.sensor.description
            rule = RetentionDescription(sensor.rule)
            (samples, bytes) = (sensor.samples, sensor.bytes)
            (summarised, summaries) = (sensor.summarised, sensor.summaries)
            oldest = sensor.oldest?.milliseconds
            (bytesPerDay, daysLeft) = (sensor.bytesPerDay, sensor.daysLeft)
        }
    }

    public let sensors: [Sensor]
    /// The rule of sensors without one of their own.
    public let standard: RetentionDescription
    /// Bytes of the sample file and its log on disk.
    public let bytes: Int64
    /// Bytes of these that are free for new samples.
    public let reusable: Int64
    public let budget: Int64
    /// Bytes that the disk has left.
    public let free: Int64
    /// Whether the file gets smaller when samples go.
    public let shrinks: Bool

    init(_ report: StorageReport) {
        sensors = report.sensors.map(Sensor.init)
        standard = RetentionDescription(report.standard)
        (bytes, reusable, budget) = (report.bytes, report.reusable, report.budget)
        (free, shrinks) = (report.free, report.canShrink)
    }
}
