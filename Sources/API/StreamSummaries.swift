/// What a client has read, and what it was refused, in the last 15 minutes.
public struct AccessSummary: Codable, Sendable {
    /// Its name.
    public let client: String
    /// The sensors that it has read, the last one first.
    public var sensors: [String] = []
    /// How many samples it has read, also as part of statistics.
    public var samples = 0
    /// The sensors that it was refused.
    public var refused: [String] = []
    /// How many of its calls were refused.
    public var refusals = 0

    /// A client that has read nothing.
    public init(client: String) {
        self.client = client
    }
}

/// The storage of all samples.
public struct StorageSummary: Codable, Sendable {
    /// Bytes of the file and its write-ahead log on disk.
    public let bytes: Int64
    /// The bytes that they may use.
    public let budget: Int64
    /// Free bytes on the disk.
    public let free: Int64

    /// Creates a value from its members.
    public init(bytes: Int64, budget: Int64, free: Int64) {
        (self.bytes, self.budget, self.free) = (bytes, budget, free)
    }
}
