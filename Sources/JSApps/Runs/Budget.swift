/// What an app may use only so much of.
public enum Budget: String, Hashable, Sendable, CaseIterable, Codable {
    /// The time that one turn of the app takes.
    case turn
    /// The processor time that one turn of the app takes.
    case turnCPU = "turn-cpu"
    /// Processor time of the run.
    case cpu
    /// Processor time within a minute.
    case cpuPerMinute = "cpu-per-minute"
    /// Memory.
    case memory
    /// How long the run takes.
    case duration
    /// Calls to the host within a minute.
    case callsPerMinute = "calls-per-minute"
    /// Bytes on the console within a minute.
    case logPerMinute = "log-per-minute"
}
