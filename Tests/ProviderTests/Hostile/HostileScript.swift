import AppRuns
import Foundation

/// A hostile or faulty script, and the expected end of its run.
struct HostileScript: Sendable {
    /// The budget that is small enough to be exceeded quickly.
    enum Limit: Sendable {
        case turn
        case memory
        case minute
        case log
        case calls
    }

    let name: String
    let limit: Limit
    /// The names of correct endings; several if it depends on the machine which
    /// limit is reached first.
    let endings: Set<String>
    let source: String

    init(_ name: String, _ limit: Limit, _ endings: Set<String>, _ source: String) {
        self.name = name
        self.limit = limit
        self.endings = endings
        self.source = source
    }

    static let isLong = ProcessInfo.processInfo.environment["NERVOUS_LONG_TESTS"] == "1"
    static let all = loops + patterns + bombs + depths + tricks + floods

    /// The endings of an endless turn: its time on a busy machine, or its processor time.
    static let turn: Set = ["budget-turn-cpu", "budget-turn"]
    /// The endings of a script that exhausts memory: the engine throws or crashes, or a time limit.
    static let memory: Set = turn.union(["budget-memory", "finished"])
    static let finished: Set = ["finished"]
}

extension HostileScript.Limit {
    /// Small, for a quick test; the long tests allow more time.
    var budget: RunBudget {
        let isLong = HostileScript.isLong
        var budget = RunBudget()
        budget.duration = .seconds(8)
        budget.turn = .seconds(1)
        budget.turnCPU = .milliseconds(isLong ? 500 : 150)
        switch self {
        case .turn: break
        case .memory:
            budget.turn = .seconds(isLong ? 4 : 2)
            budget.turnCPU = .milliseconds(isLong ? 2000 : 500)
        case .minute: budget.cpuPerMinute = .milliseconds(isLong ? 500 : 200)
        case .log: budget.logPerMinute = 64 << 10
        case .calls:
            budget.callsPerMinute = 40
            budget.duration = .seconds(1)
        }
        return budget
    }

    /// The maximum duration of a run on an otherwise idle machine.
    var longest: Duration {
        switch self {
        case .turn, .memory, .log: budget.turn
        // Timers leave pauses without usage.
        case .minute: .seconds(5)
        case .calls: .seconds(1)
        }
    }

    /// The maximum processor time of a run.
    var cpu: Duration {
        switch self {
        case .minute: budget.cpuPerMinute
        case .calls: .seconds(1)
        case .turn, .memory, .log: budget.turnCPU
        }
    }
}
