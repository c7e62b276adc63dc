/// How much room the file takes beside its samples, and how maintenance goes about it.
package struct SpaceRules: Sendable {
    /// Where no budget has been kept yet: at most this, and at most a tenth of the free disk.
    package var budget: Int64
    /// Beyond this the write-ahead log is cut.
    package var log: Int64
    /// Bytes held back on the disk, so that samples can be removed when it is full.
    package var reserve: Int64
    /// Hours that one step makes summaries of.
    package var hoursPerStep: Int
    /// Pages that one step gives back.
    package var pagesPerStep: Int

    package static let standard = SpaceRules()

    package init(
        budget: Int64 = 10 << 30, log: Int64 = 64 << 20, reserve: Int64 = 4 << 20,
        hoursPerStep: Int = 64, pagesPerStep: Int = 256
    ) {
        self.budget = budget
        self.log = log
        self.reserve = reserve
        self.hoursPerStep = hoursPerStep
        self.pagesPerStep = pagesPerStep
    }

    /// The log's share of a budget.
    func log(within budget: Int64) -> Int64 { min(log, budget / 8) }

    /// Bytes by which the log grows; a part of its share that does not matter.
    func logStep(within budget: Int64) -> Int64 { max(4096, min(1 << 20, log(within: budget) / 8)) }

    /// What of a budget is left for the file.
    func file(within budget: Int64) -> Int64 { budget - log(within: budget) }
}
