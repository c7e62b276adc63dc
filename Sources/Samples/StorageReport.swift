/// The storage that a sensor uses, and how long its samples will be kept.
public struct SensorStorage: Hashable, Sendable {
    /// The sensor.
    public let sensor: SensorID
    /// The retention rule that applies to it.
    public let rule: RetentionRule
    /// The number of samples.
    public let samples: Int64
    /// Bytes of samples and summaries.
    public let bytes: Int64
    /// The number of pruned samples that a summary covers.
    public let summarised: Int64
    /// The number of hourly summaries; an hour in which the fields changed has one for each layout.
    public let summaries: Int64
    /// The time of the oldest sample in a chunk; `nil` without chunks.
    public let oldest: Timestamp?
    /// The recent growth in bytes per day; `nil` while too few samples exist to estimate it.
    public let bytesPerDay: Double?
    /// The estimated days until samples are pruned by the sensor's rule or the budget; `nil` when unknown,
    /// 0 when they are being pruned already.
    public let daysLeft: Double?

    /// Combines the figures of a sensor.
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

/// The storage that the samples of a client use.
public struct ClientStorage: Hashable, Sendable {
    /// The name of the client that published them.
    public let client: String
    /// Bytes of samples and summaries.
    public let bytes: Int64
    /// The bytes beyond which its samples are the first to be pruned for the budget.
    public let share: Int64

    /// Combines the figures of a client.
    public init(client: String, bytes: Int64, share: Int64) {
        self.client = client
        self.bytes = bytes
        self.share = share
    }
}

/// The storage that the store uses and may use, in total and for each sensor.
public struct StorageReport: Hashable, Sendable {
    /// The sensors, sorted by identifier.
    public let sensors: [SensorStorage]
    /// The clients that published samples, sorted by name.
    public let clients: [ClientStorage]
    /// The rule of sensors that have no rule of their own.
    public let standard: RetentionRule
    /// Bytes of the file and its write-ahead log on disk.
    public let bytes: Int64
    /// Free bytes inside the file, reused for new samples.
    public let reusable: Int64
    /// The bytes that the file and its log may use.
    public let budget: Int64
    /// Free bytes on the disk.
    public let free: Int64
    /// Whether the file shrinks when samples are pruned.
    ///
    /// A file of an older version keeps its size, and its
    /// free pages are reused.
    public let canShrink: Bool

    /// Combines the figures of the store.
    public init(
        sensors: [SensorStorage], clients: [ClientStorage], standard: RetentionRule, bytes: Int64,
        reusable: Int64, budget: Int64, free: Int64, canShrink: Bool
    ) {
        self.sensors = sensors
        self.clients = clients
        self.standard = standard
        self.bytes = bytes
        self.reusable = reusable
        self.budget = budget
        self.free = free
        self.canShrink = canShrink
    }
}
