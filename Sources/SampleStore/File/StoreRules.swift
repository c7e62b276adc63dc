/// When unsealed rows are sealed into chunks, and chunks are grouped.
package struct ChunkRules: Sendable {
    /// Samples of a complete chunk.
    package var chunkSize: Int
    /// The number of unsealed rows of one layout that are sealed without waiting for a complete chunk.
    package var unsealedRows: Int
    /// The number of chunks in a group.
    package var groupSize: Int
    /// The maximum number of chunks that late samples rewrite in one transaction.
    package var rewrites: Int

    /// The size of unsealed rows in the file that are sealed without waiting for a complete chunk, because
    /// only chunks can be pruned.
    package var unsealedBytes = 4 << 20
    /// Like ``unsealedBytes``, but measured in decoded bytes; one sealing plan takes about twice as many.
    package var unsealedDecoded = 32 << 20
    /// The bytes that an unsealed row has to have before the next transaction begins another row; 0
    /// if each transaction begins a row.
    package var rowBytes = 0
    /// The maximum of decoded bytes to which a transaction extends an unsealed row.
    package var rowDecoded = 16 << 10
    /// The distance from the first sequence number of an unsealed row within which it is extended.
    ///
    /// Rows are stored in the order of that number, so this bounds the number of pages that a transaction
    /// writes, however many sensors there are.
    package var rowSpan: Int64 = .max

    /// The number of chunks that unsealed rows may amount to before writes wait for the sealer.
    package var backlog: Int

    /// The defaults are those of ``standard``, except that rows are not extended.
    package init(
        chunkSize: Int = 32_768, unsealedRows: Int = 512, groupSize: Int = 64, rewrites: Int = 16,
        backlog: Int = 8
    ) {
        self.chunkSize = chunkSize
        self.unsealedRows = unsealedRows
        self.groupSize = groupSize
        self.rewrites = rewrites
        self.backlog = backlog
    }

    /// Three quarters of these limits; rows beyond them will soon reach the whole limits.
    var soonDue: Self {
        var rules = self
        rules.chunkSize = (3 * chunkSize + 3) / 4
        rules.unsealedRows = (3 * unsealedRows + 3) / 4
        rules.unsealedBytes = (3 * unsealedBytes + 3) / 4
        rules.unsealedDecoded = (3 * unsealedDecoded + 3) / 4
        return rules
    }

    /// The rules of a host.
    package static let standard = {
        var rules = ChunkRules()
        rules.rowBytes = 1024
        rules.rowSpan = 512
        return rules
    }()
}

/// Limits of the file, its log, and the steps of maintenance.
package struct SpaceRules: Sendable {
    /// The upper bound of the initial budget, which is also at most a tenth of the free disk.
    package var budget: Int64
    /// The size above which the write-ahead log is truncated.
    package var log: Int64
    /// Bytes reserved on the disk, so that samples can be removed when it is full.
    package var reserve: Int64
    /// The maximum number of hours summarised in one step.
    package var hoursPerStep: Int
    /// The maximum number of pages released in one step.
    package var pagesPerStep: Int

    /// The rules of a host.
    package static let standard = SpaceRules()

    /// The defaults are those of ``standard``.
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

    /// Bytes by which the log grows, a negligible part of its share.
    func logStep(within budget: Int64) -> Int64 { max(4096, min(1 << 20, log(within: budget) / 8)) }

    /// The file's share of a budget.
    func file(within budget: Int64) -> Int64 { budget - log(within: budget) }
}
