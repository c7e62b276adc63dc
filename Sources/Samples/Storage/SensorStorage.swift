/// What a sensor's samples take, and how long there is room for them.
public struct SensorStorage: Hashable, Sendable {
    public let sensor: SensorID
    public let rule: RetentionRule
    /// Samples that can be read.
    public let samples: Int64
    /// Bytes of samples and summaries.
    public let bytes: Int64
    /// Samples that only a summary tells of.
    public let summarised: Int64
    /// Hours, of each layout of fields, that have a summary.
    public let summaries: Int64
    /// The time of the oldest sample in a chunk; `nil` while there is no chunk.
    public let oldest: Timestamp?
    /// Bytes that samples of one day take lately; `nil` while that cannot be told.
    public let bytesPerDay: Double?
    /// Days until samples begin to go by the sensor's rule or the budget; `nil` while that cannot be
    /// told, 0 when they do already.
    public let daysLeft: Double?

    public init(
        sensor: SensorID, rule: RetentionRule, samples: Int64, bytes: Int64, summarised: Int64,
        summaries: Int64, oldest: Timestamp?, bytesPerDay: Double?, daysLeft: Double?
    ) {
        self.sensor = sensor
        self.rule = rule
        self.samples = samples
        self.bytes = bytes
        self.summarised = summarised
        self.summaries = summaries
        self.oldest = oldest
        self.bytesPerDay = bytesPerDay
        self.daysLeft = daysLeft
    }
}

/// What the store takes, what it may take, and what each sensor has of it.
public struct StorageReport: Hashable, Sendable {
    /// By identifier.
    public let sensors: [SensorStorage]
    /// The rule of sensors that have none of their own.
    public let standard: RetentionRule
    /// Bytes of the file and its write-ahead log on disk.
    public let bytes: Int64
    /// Bytes of the file that are free for new samples.
    public let reusable: Int64
    /// Bytes that file and log may take.
    public let budget: Int64
    /// Bytes that are free on the disk.
    public let free: Int64
    /// Whether the file gets smaller when samples go; one of an older version stays as large as it
    /// is, and what is free in it is used again.
    public let canShrink: Bool

    public init(
        sensors: [SensorStorage], standard: RetentionRule, bytes: Int64, reusable: Int64,
        budget: Int64, free: Int64, canShrink: Bool
    ) {
        self.sensors = sensors
        self.standard = standard
        self.bytes = bytes
        self.reusable = reusable
        self.budget = budget
        self.free = free
        self.canShrink = canShrink
    }
}
