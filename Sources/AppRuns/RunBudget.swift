import Glibc

/// The limits of a run.
///
/// A turn is a script, or a callback with the microtasks that follow it.
///
/// ```swift
/// var budget = RunBudget()
/// budget.memory = 64 << 20
/// ```
public struct RunBudget: Hashable, Sendable {
    /// The least ``memory``: with much less, the engine crashes while it starts an app that has a page.
    ///
    /// The limit is already in force when heap, document and SDK are set up. Measured with
    /// JavaScriptCoreGTK 4.1: the bundled apps start with 72 MiB and crash with 64 MiB; the rest is a
    /// margin.
    public static let leastMemory = 96 << 20

    /// Time of one turn.
    public var turn = Duration.seconds(10)
    /// Processor time of one turn.
    public var turnCPU = Duration.seconds(5)
    /// Processor time of the run.
    public var cpu = Duration.seconds(24 * 3600)
    /// Processor time within any minute.
    public var cpuPerMinute = Duration.seconds(45)
    /// Bytes that the run may use in addition to those that the engine uses after its start.
    public var memory = 104 << 20
    /// Time of the run; `nil` for no limit.
    public var duration: Duration?
    /// Calls to the host within any minute; above zero.
    public var callsPerMinute = 30_000
    /// UTF-8 bytes on the console within any minute; above zero.
    public var logPerMinute = 4 << 20
    /// Calls to other servers.
    public var fetch = FetchBudget()

    /// The default limits.
    public init() {}

    /// Whether a process made with the default limits can be used.
    var isOrdinaryProcess: Bool {
        let ordinary = RunBudget()
        return cpu == ordinary.cpu && memory == ordinary.memory
    }
}

/// The limits of an app's calls to other servers, over all its runs and pages.
public struct FetchBudget: Hashable, Sendable {
    /// Time of one call, including redirects.
    public var duration = Duration.seconds(30)
    /// Calls within any minute.
    public var callsPerMinute = 120
    /// Concurrent calls.
    public var callsAtOnce = 4
    /// Bytes of a request's body.
    public var requestBytes = 1 << 20
    /// Bytes of a response's body.
    public var answerBytes = 10 << 20

    /// The default limits.
    public init() {}
}

/// The limits of all runs together.
public struct TotalBudget: Hashable, Sendable {
    /// Bytes that all runs together may use in addition to those that their engines use after the start.
    public var memory: Int
    /// The most runs at one time.
    public var runs = 64
    /// Bytes on the disk: half of them for installed packages, half for what apps store.
    public var disk = 4 << 30

    /// The default limits: a quarter of the memory of the machine, and at least 512 MiB.
    public init() {
        let pages = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        memory = max(512 << 20, pages / 4)
    }
}

/// A budget that a run can exceed.
public enum Budget: String, Hashable, Sendable, CaseIterable, Codable {
    /// Time of one turn.
    case turn
    /// Processor time of one turn.
    case turnCPU = "turn-cpu"
    /// Processor time of the run.
    case cpu
    /// Processor time within a minute.
    case cpuPerMinute = "cpu-per-minute"
    /// Memory.
    case memory
    /// Memory of all runs together.
    case totalMemory = "total-memory"
    /// Time of the run.
    case duration
    /// Calls to the host within a minute.
    case callsPerMinute = "calls-per-minute"
    /// Bytes on the console within a minute.
    case logPerMinute = "log-per-minute"
}
