import Glibc
import RunnerProtocol

/// How a run ended.
public enum RunOutcome: Hashable, Sendable {
    /// The app had nothing left to do, or ended itself; 1 after an uncaught error.
    case finished(code: UInt8)
    /// The run was stopped.
    case stopped
    /// The run exceeded a budget and was killed.
    case exceeded(Budget)
    /// The process did not answer the host and was killed.
    case unresponsive
    /// The process attempted what its sandbox forbids and was killed by the kernel.
    case sandboxViolation
    /// The process sent invalid frames and was killed.
    case protocolViolation(String)
    /// A signal ended the process.
    case crashed(signal: Int32)
    /// The process could not start; the value is its output or another reason.
    case failedToStart(String)

    /// A stable name, such as `sandbox-violation`.
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
        case .exceeded(.memory), .exceeded(.totalMemory), .crashed: 137
        case .exceeded, .unresponsive: 124
        case .sandboxViolation, .protocolViolation: 70
        case .failedToStart: 69
        }
    }

    /// Whether a background run is restarted.
    public var isFailure: Bool {
        switch self {
        case .finished(let code): code != 0
        case .stopped: false
        default: true
        }
    }

    /// Whether the ending is no sign of an attack; after any other, the next runners come from a new zygote.
    ///
    /// Exhausted memory is a sign, too: a crash with full memory is reported as such, so an attacker could
    /// fill the memory to disguise a crash.
    var isOrdinary: Bool {
        switch self {
        case .exceeded(.memory): false
        case .finished, .stopped, .exceeded, .failedToStart: true
        case .unresponsive, .sandboxViolation, .protocolViolation, .crashed: false
        }
    }
}

/// How a run ended, as it is stored and shown.
public struct RunEnding: Hashable, Sendable, Codable {
    /// A stable name, such as `sandbox-violation` or `budget-turn`.
    public let name: String
    /// The exit code of a command that ran the app.
    public let exitCode: Int32
    /// The uncaught error, the exit code, the signal, or what the process printed; from the app, so
    /// escape it.
    public let detail: String?

    /// - Parameter error: the uncaught error because of which the app finished.
    init(_ outcome: RunOutcome, error: String? = nil) {
        name = outcome.name
        exitCode = outcome.exitCode
        detail =
            switch outcome {
            case .finished(let code):
                code != 0 && error != nil
                    ? error.map { String($0.prefix(400)) } : "exit code \(code)"
            case .crashed(let signal): "signal \(signal)"
            case .protocolViolation(let what), .failedToStart(let what): String(what.prefix(400))
            default: nil
            }
    }
}

/// Determines the outcome of a run from the events of its process.
struct OutcomeTracker {
    /// The error that the engine throws when memory is exhausted.
    private static let outOfMemory = "RangeError: Out of memory"

    /// The outcome that the host decided; the first decision is final.
    private(set) var verdict: RunOutcome?
    private(set) var isReady = false
    private var ranOutOfMemory = false
    /// Resident bytes before the app's code was loaded.
    private var memoryAtStart = 0

    /// - Parameter memory: resident bytes.
    mutating func becomeReady(memory: Int) {
        isReady = true
        memoryAtStart = memory
    }

    mutating func noteUncaught(_ message: String) {
        ranOutOfMemory = ranOutOfMemory || message == Self.outOfMemory
    }

    /// - Returns: `false` when the outcome has been decided before.
    mutating func decide(_ outcome: RunOutcome) -> Bool {
        guard verdict == nil else { return false }
        verdict = outcome
        return true
    }

    /// The outcome after the process has ended.
    ///
    /// - Parameter output: the output of the process.
    func outcome(
        _ ending: ProcessEnding, _ budget: RunBudget, output: () -> String
    ) -> RunOutcome {
        // When memory is exhausted the engine throws, or crashes if it cannot. Growing a table may
        // fail long before the whole budget is in use.
        let isFull = isReady && ending.peakMemory - memoryAtStart > budget.memory / 8
        if case .finished(let code) = verdict, code != 0, ranOutOfMemory, isFull {
            return .exceeded(.memory)
        }
        if let verdict { return verdict }
        switch ending.kind {
        case .signalled(SIGSYS): return .sandboxViolation
        case .signalled(SIGXCPU): return .exceeded(.cpu)
        // The kernel sends SIGKILL after SIGXCPU was ignored.
        case .signalled(SIGKILL) where ending.cpu >= budget.cpu: return .exceeded(.cpu)
        case .signalled(let signal):
            return isFull ? .exceeded(.memory) : .crashed(signal: signal)
        case .exited(RunnerExit.turn) where isReady: return .exceeded(.turn)
        case .exited(RunnerExit.turnCPU) where isReady: return .exceeded(.turnCPU)
        case .exited(let code):
            return isReady
                ? .protocolViolation("The process exited with \(code) without finishing the run.")
                : .failedToStart(output())
        }
    }
}
