/// How a run ended.
public enum RunOutcome: Hashable, Sendable {
    /// The app has nothing left to do, or ended itself; 1 after an uncaught error.
    case finished(code: UInt8)
    /// It was asked to stop.
    case stopped
    /// It did not answer for longer than its limit and was ended.
    case unresponsive
    /// It tried what its confinement forbids and was ended by the kernel.
    case sandboxViolation
    /// It sent what no runner sends and was ended.
    case protocolViolation(String)
    /// The process was ended by a signal, as when its memory limit is reached.
    case crashed(signal: Int32)
    /// The runner could not start, with what it said.
    case failedToStart(String)

    /// The exit code of a command that ran the app.
    public var exitCode: Int32 {
        switch self {
        case .finished(let code): Int32(code)
        case .stopped: 130
        case .unresponsive: 124
        case .crashed: 137
        case .sandboxViolation, .protocolViolation: 70
        case .failedToStart: 69
        }
    }
}
