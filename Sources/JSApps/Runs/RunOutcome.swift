/// How a run ended.
public enum RunOutcome: Hashable, Sendable {
    /// The app has nothing left to do, or ended itself; 1 after an uncaught error.
    case finished(code: UInt8)
    /// It was asked to stop.
    case stopped
    /// It used more than its budget and was ended.
    case exceeded(Budget)
    /// Its process did not answer the host and was ended.
    case unresponsive
    /// It tried what its confinement forbids and was ended by the kernel.
    case sandboxViolation
    /// It sent what no runner sends and was ended.
    case protocolViolation(String)
    /// The process was ended by a signal.
    case crashed(signal: Int32)
    /// The runner could not start, with what it said.
    case failedToStart(String)

    /// A stable word for it, such as `sandbox-violation`.
    public var name: String {
        switch self {
        case .finished: "finished"
        case .stopped: "stopped"
        case .exceeded(let budget): "budget-\(budget.rawValue)"
        case .unresponsive: "unresponsive"
        case .sandboxViolation: "sandbox-violation"
        case .protocolViolation: "protocol-violation"
        case .crashed: "crashed"
        case .failedToStart: "failed-to-start"
        }
    }

    /// The exit code of a command that ran the app.
    public var exitCode: Int32 {
        switch self {
        case .finished(let code): Int32(code)
        case .stopped: 130
        case .exceeded(.memory), .crashed: 137
        case .exceeded, .unresponsive: 124
        case .sandboxViolation, .protocolViolation: 70
        case .failedToStart: 69
        }
    }

    /// Whether it is worth trying again.
    public var isFailure: Bool {
        switch self {
        case .finished(let code): code != 0
        case .stopped: false
        default: true
        }
    }

    /// Whether an honest app ends so; otherwise something may have been tried.
    ///
    /// The end of memory is a crash like any other: who looks for a weakness could fill it first.
    var isOrdinary: Bool {
        switch self {
        case .exceeded(.memory): false
        case .finished, .stopped, .exceeded, .failedToStart: true
        case .unresponsive, .sandboxViolation, .protocolViolation, .crashed: false
        }
    }
}
