import AppRuns
import Auth
import JSApps
import Text

/// The budgets of apps: a common budget, and budgets of single apps.
///
/// ```json
/// "budgets": { "memoryMiB": 128, "apps": { "load-watch": { "cpuPerMinuteSeconds": 5 } } }
/// ```
package struct BudgetTable: Sendable, Equatable {
    /// The budget of every app that has none of its own.
    private(set) var common = RunBudget()
    /// The budget of all apps together.
    private(set) var total = TotalBudget()
    /// Bytes of memory of all apps together, if the owner has set them.
    private(set) var totalMemory: Int?
    private var apps: [String: RunBudget] = [:]

    init() {}

    /// Reads the section `budgets`.
    init(_ section: JSONValue) throws(ConfigurationError) {
        var fields = try ConfigurationFields(section, of: "budgets")
        let single = fields.take("apps")
        if let section = fields.take("total") {
            var fields = try ConfigurationFields(section, of: "total")
            if let count = try fields.take("memoryMiB", RunBudget.leastMemory >> 20...1_048_576) {
                total.memory = count << 20
                totalMemory = total.memory
            }
            if let count = try fields.take("runs", 1...4096) { total.runs = count }
            if let count = try fields.take("diskMiB", 128...1_048_576) { total.disk = count << 20 }
            try fields.end()
        }
        try common.set(&fields)
        try fields.end()
        guard let single else { return }
        guard let members = single.object else {
            throw ConfigurationError(position: single.position, message: "apps must be an object")
        }
        for member in members {
            guard let name = AppName(member.key) else {
                throw ConfigurationError(
                    position: member.position,
                    message:
                        "“\(member.key.escapedForDisplay(limit: 60))” is not a valid app name")
            }
            var budget = common
            var fields = try ConfigurationFields(member.value, of: "the budget of \(name)")
            try budget.set(&fields)
            try fields.end()
            apps[name.text] = budget
        }
    }

    subscript(app: String) -> RunBudget { apps[app] ?? common }
}

extension RunBudget {
    fileprivate mutating func set(_ fields: inout ConfigurationFields) throws(ConfigurationError) {
        if let count = try fields.take("turnMilliseconds", 100...600_000) {
            turn = .milliseconds(count)
        }
        if let count = try fields.take("turnCPUMilliseconds", 100...600_000) {
            turnCPU = .milliseconds(count)
        }
        if let count = try fields.take("cpuSeconds", 1...100_000_000) { cpu = .seconds(count) }
        if let count = try fields.take("cpuPerMinuteSeconds", 1...60) {
            cpuPerMinute = .seconds(count)
        }
        if let count = try fields.take(
            "memoryMiB", Self.leastMemory >> 20...4096,
            reason: "less may not suffice to start the JavaScript engine"
        ) {
            memory = count << 20
        }
        if let count = try fields.take("durationSeconds", 1...100_000_000) {
            duration = .seconds(count)
        }
        if let count = try fields.take("callsPerMinute", 1...10_000_000) { callsPerMinute = count }
        if let count = try fields.take("logKiBPerMinute", 1...1_000_000) {
            logPerMinute = count << 10
        }
        if let section = fields.take("fetch") { try fetch.set(section) }
    }
}

extension FetchBudget {
    fileprivate mutating func set(_ section: JSONValue) throws(ConfigurationError) {
        var fields = try ConfigurationFields(section, of: "fetch")
        if let count = try fields.take("durationSeconds", 1...600) { duration = .seconds(count) }
        if let count = try fields.take("callsPerMinute", 1...100_000) { callsPerMinute = count }
        if let count = try fields.take("callsAtOnce", 1...16) { callsAtOnce = count }
        if let count = try fields.take("requestKiB", 1...1024) { requestBytes = count << 10 }
        if let count = try fields.take("answerMiB", 1...64) { answerBytes = count << 20 }
        try fields.end()
    }
}
