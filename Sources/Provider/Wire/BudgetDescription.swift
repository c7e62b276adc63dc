import JSApps

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

    init(_ budget: RunBudget) {
        turn = budget.turn / .milliseconds(1)
        turnCPU = budget.turnCPU / .milliseconds(1)
        cpu = budget.cpu / .milliseconds(1)
        cpuPerMinute = budget.cpuPerMinute / .milliseconds(1)
        memory = budget.memory
        duration = budget.duration.map { $0 / .milliseconds(1) }
        callsPerMinute = budget.callsPerMinute
        logPerMinute = budget.logPerMinute
    }
}
