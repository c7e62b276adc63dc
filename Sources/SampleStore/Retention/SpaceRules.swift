/// How much room the file takes beside its samples, and how maintenance goes about it.
struct SpaceRules: Sendable {
    /// Where no budget has been kept yet: at most this, and at most a tenth of the free disk.
    var budget: Int64 = 10 << 30
    /// Beyond this the write-ahead log is cut.
    var log: Int64 = 64 << 20
    /// Bytes held back on the disk, so that samples can be removed when it is full.
    var reserve: Int64 = 4 << 20
    /// Hours that one step makes summaries of.
    var hoursPerStep = 64
    /// Pages that one step gives back.
    var pagesPerStep = 256

    static let standard = SpaceRules()

    /// The log's share of a budget.
    func log(within budget: Int64) -> Int64 { min(log, budget / 8) }

    /// What of a budget is left for the file.
    func file(within budget: Int64) -> Int64 { budget - log(within: budget) }
}
