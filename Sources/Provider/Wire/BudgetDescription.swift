import AppRuns

/// What an app may use.
public struct BudgetDescription: Codable, Sendable {
    /// Milliseconds that one turn of it may take.
    public let turn: Double
    /// Milliseconds of processor time that one turn may take.
    public let turnCPU: Double
    /// Milliseconds of processor time of a run.
    public let cpu: Double
    /// Milliseconds of processor time within a minute.
    public let cpuPerMinute: Double
    /// Bytes beyond what its engine takes.
    public let memory: Int
    /// Milliseconds that a run may last; not there where it may last for ever.
    public let duration: Double?
    public let callsPerMinute: Int
    /// UTF-8 bytes on the console within a minute.
    public let logPerMinute: Int
    /// Of calls to other servers.
    public let fetch: Fetch

    /// What it may use of other servers.
    public struct Fetch: Codable, Sendable {
        /// Milliseconds that a call may take.
        public let duration: Double
        public let callsPerMinute: Int
        /// Calls that may be under way at once.
        public let callsAtOnce: Int
        /// Bytes of the body that is sent.
        public let requestBytes: Int
        /// Bytes of the body that comes.
        public let answerBytes: Int

        init(_ budget: FetchBudget) {
            duration = budget.duration / .milliseconds(1)
            callsPerMinute = budget.callsPerMinute
            callsAtOnce = budget.callsAtOnce
            requestBytes = budget.requestBytes
            answerBytes = budget.answerBytes
        }
    }

    init(_ budget: RunBudget) {
        turn = budget.turn / .milliseconds(1)
        turnCPU = budget.turnCPU / .milliseconds(1)
        cpu = budget.cpu / .milliseconds(1)
        cpuPerMinute = budget.cpuPerMinute / .milliseconds(1)
        memory = budget.memory
        duration = budget.duration.map { $0 / .milliseconds(1) }
        callsPerMinute = budget.callsPerMinute
        logPerMinute = budget.logPerMinute
        fetch = Fetch(budget.fetch)
    }
}
