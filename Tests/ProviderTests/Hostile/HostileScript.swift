import AppRuns
import Foundation

/// A script that an attacker, or a mistake, wrote, and how the run of it must end.
struct HostileScript: Sendable {
    /// Which budget is small enough to be met within a moment.
    enum Limit: Sendable {
        case turn
        case memory
        case minute
        case log
        case calls
    }

    let name: String
    let limit: Limit
    /// The names of endings that are right; more than one where it depends on the machine which
    /// limit is met first.
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

    /// What ends a turn that does not: its time where the machine is busy with others.
    static let turn: Set = ["budget-turn-cpu", "budget-turn"]
    /// What ends a script that takes all memory: the engine throws or crashes, or it takes too long.
    static let memory: Set = turn.union(["budget-memory", "finished"])
    static let finished: Set = ["finished"]
}

extension HostileScript.Limit {
    /// Small enough for a table that is quick; the long tests leave more time.
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

    /// The longest that a run may take on a machine that does nothing else.
    var longest: Duration {
        switch self {
        case .turn, .memory, .log: budget.turn
        // Timers leave pauses, in which nothing is used.
        case .minute: .seconds(5)
        case .calls: .seconds(1)
        }
    }

    /// The most processor time that a run may use before something ends it.
    var cpu: Duration {
        switch self {
        case .minute: budget.cpuPerMinute
        case .calls: .seconds(1)
        case .turn, .memory, .log: budget.turnCPU
        }
    }
}
