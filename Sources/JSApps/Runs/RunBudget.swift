/// How much a run may use.
///
/// A turn is a script, or a callback with the microtasks that follow it.
public struct RunBudget: Hashable, Sendable {
    public var turn = Duration.seconds(10)
    public var turnCPU = Duration.seconds(5)
    public var cpu = Duration.seconds(24 * 3600)
    public var cpuPerMinute = Duration.seconds(45)
    /// Bytes beyond what the engine takes when it has started.
    public var memory = 104 << 20
    /// `nil` for as long as it likes.
    public var duration: Duration?
    public var callsPerMinute = 30_000
    /// UTF-8 bytes.
    public var logPerMinute = 4 << 20
    /// Of calls to other servers.
    public var fetch = FetchBudget()

    public init() {}

    /// Whether a process that was made before anyone knew for which app will do.
    var isOrdinaryProcess: Bool {
        let ordinary = RunBudget()
        return cpu == ordinary.cpu && memory == ordinary.memory
    }
}
