/// What a run has used.
public struct RunUsage: Hashable, Sendable, Codable {
    /// Processor time, of the runner's process.
    public var cpu = Duration.zero
    /// The most bytes that were resident at once, those shared with other runners included; what is
    /// resident now while the run goes on.
    public var memory = 0
    /// Calls to the host.
    public var calls = 0
    /// Samples that were given to the app, or went into statistics for it.
    public var samples = 0
    /// UTF-8 bytes on the console.
    public var logged = 0

    public init() {}

    /// Counts another process of the same run.
    mutating func add(_ other: RunUsage) {
        cpu += other.cpu
        memory = max(memory, other.memory)
        calls += other.calls
        samples += other.samples
        logged += other.logged
    }
}
