import API
import Provider

extension AppDescription {
    /// A line of the table of what an app may use, and what its last run used of it.
    struct BudgetLine {
        let name: String
        let limit: String
        let used: String
    }

    var budgetLines: [BudgetLine] {
        let usage = lastRun?.usage
        func seconds(_ milliseconds: Double?) -> String {
            milliseconds.map { Format.number($0 / 1000) + " s" } ?? "–"
        }
        func bytes(_ count: Int?) -> String { count.map { Format.bytes(Double($0)) } ?? "–" }
        func count(_ count: Int?) -> String { count.map { "\($0)" } ?? "–" }
        let lasted = lastRun.flatMap { run in run.ended.map { $0 - run.started } }
        return [
            BudgetLine(name: "turn", limit: seconds(budget.turn), used: ""),
            BudgetLine(name: "turn-cpu", limit: seconds(budget.turnCPU), used: ""),
            BudgetLine(name: "cpu", limit: seconds(budget.cpu), used: seconds(usage?.cpu)),
            BudgetLine(name: "cpu-per-minute", limit: seconds(budget.cpuPerMinute), used: ""),
            BudgetLine(
                name: "memory", limit: "\(bytes(budget.memory)) of its own",
                used: usage.map { "\(bytes($0.memory)) resident" } ?? "–"),
            BudgetLine(
                name: "duration", limit: budget.duration.map { seconds($0) } ?? "none",
                used: seconds(lasted)),
            BudgetLine(
                name: "calls-per-minute", limit: count(budget.callsPerMinute),
                used: usage.map { "\($0.calls) in all" } ?? "–"),
            BudgetLine(
                name: "log-per-minute", limit: bytes(budget.logPerMinute),
                used: usage.map { "\(bytes($0.logged)) in all" } ?? "–"),
            BudgetLine(
                name: "fetch",
                limit:
                    "\(budget.fetch.callsPerMinute) a minute, \(budget.fetch.callsAtOnce) at once,"
                    + " \(seconds(budget.fetch.duration))",
                used: ""),
            BudgetLine(
                name: "fetch-bytes",
                limit:
                    "\(bytes(budget.fetch.requestBytes)) out, \(bytes(budget.fetch.answerBytes)) in",
                used: ""),
            BudgetLine(name: "samples", limit: "as granted", used: count(usage?.samples)),
        ]
    }
}
