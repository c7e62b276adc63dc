public import Foundation

/// What is known of a run, while it goes on and afterwards.
public struct RunReport: Hashable, Sendable, Codable {
    public enum State: String, Hashable, Sendable, Codable {
        /// It has its permissions and no process yet.
        case prepared
        case running
        /// It failed and will be started again.
        case waiting
        case ended
    }

    public let id: String
    public let app: String
    /// Whether a person watches it: it was not started in the background.
    public let isWatched: Bool
    public internal(set) var state = State.prepared
    public let started: Date
    public internal(set) var ended: Date?
    /// How it, or its last process, ended.
    public internal(set) var ending: RunEnding?
    /// How often its process was started again.
    public internal(set) var restarts = 0
    /// Whether it failed too often and was left alone.
    public internal(set) var hasGivenUp = false
    public internal(set) var usage = RunUsage()
    /// What confines it; empty where nothing does, `nil` before it has started.
    public internal(set) var layers: [String]?

    init(id: String, app: String, isWatched: Bool, started: Date) {
        self.id = id
        self.app = app
        self.isWatched = isWatched
        self.started = started
    }
}

/// How a run ended, in words that last.
public struct RunEnding: Hashable, Sendable, Codable {
    /// A stable word, such as `sandbox-violation` or `budget-turn`.
    public let name: String
    /// That of a command that ran the app.
    public let exitCode: Int32
    /// What more is known: the exit code, the signal, or what the process said; from the app, so
    /// escape it.
    public let detail: String?

    init(_ outcome: RunOutcome) {
        name = outcome.name
        exitCode = outcome.exitCode
        detail =
            switch outcome {
            case .finished(let code): "exit code \(code)"
            case .crashed(let signal): "signal \(signal)"
            case .protocolViolation(let what), .failedToStart(let what): String(what.prefix(400))
            default: nil
            }
    }
}
