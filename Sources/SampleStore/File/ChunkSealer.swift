import Foundation
import GRDB
import Samples
import Statistics

/// Seals unsealed rows into chunks, and groups chunks.
struct ChunkSealer: Sendable {
    private let pool: DatabasePool
    private let rules: ChunkRules

    init(_ pool: DatabasePool, _ rules: ChunkRules) {
        self.pool = pool
        self.rules = rules
    }

    /// Seals unsealed samples of a layout.
    ///
    /// Samples are decoded and encoded concurrently with writes; one transaction then replaces the
    /// rows by chunks. If a write has extended a row in between, it is done again in one transaction. Nothing
    /// else may modify chunks until this returns.
    /// - Returns: the size of the samples that were sealed.
    func seal(_ layout: Layout) async throws -> UnsealedSize {
        let plan = try await pool.read { database in
            try SealingPlan(layout, rules, database)
        }
        guard let plan else { return UnsealedSize() }
        do {
            try await pool.write { database in try plan.apply(database) }
            return plan.sealed
        } catch is SealingPlan.Outdated {
            // In one transaction, so that the rows cannot change again.
            return try await pool.write { database in
                guard let plan = try SealingPlan(layout, rules, database) else {
                    return UnsealedSize()
                }
                try plan.apply(database)
                return plan.sealed
            }
        }
    }

    /// Seals unsealed samples of several layouts in one transaction, which rewrites the pages that their
    /// rows share once.
    ///
    /// As ``seal(_:)``, except that nothing is sealed when a write has extended a row meanwhile.
    /// - Returns: the amount of samples that was sealed, by layout.
    func seal(_ layouts: [Layout]) async throws -> [Int64: UnsealedSize] {
        var plans: [(layout: Int64, plan: SealingPlan)] = []
        for layout in layouts {
            // One after the other, because each decodes all rows of a layout.
            let plan = try await pool.read { try SealingPlan(layout, rules, $0) }
            if let plan { plans.append((layout.id, plan)) }
        }
        try await pool.write { [plans] database in
            for (_, plan) in plans { try plan.apply(database) }
        }
        return Dictionary(plans.map { ($0.layout, $0.plan.sealed) }) { first, _ in first }
    }

    /// Groups runs of adjacent complete chunks.
    func group(_ layout: Layout) async throws {
        let groups = try await pool.read { database in
            try Self.runs(layout, rules.groupSize, database).map { run in
                try run.map { id in try Self.summarised(id, layout, database) }
            }
        }
        // A run that contains a damaged summary stays ungrouped.
        let whole = groups.compactMap { run in
            let known = run.compactMap { $0 }
            return known.count == run.count ? known : nil
        }
        guard !whole.isEmpty else { return }
        try await pool.write { database in
            for run in whole { try Self.insertGroup(run, layout, database) }
        }
    }

    /// Runs of adjacent chunks that are in no group, each run long enough for a group.
    private static func runs(
        _ layout: Layout, _ size: Int, _ database: Database
    ) throws -> [[Int64]] {
        let count = try Int.fetchOne(
            database,
            sql: """
                SELECT count(*) FROM chunk WHERE layout = ? AND groupID IS NULL AND NOT isDamaged
                """, arguments: [layout.id])
        guard count ?? 0 > size else { return [] }
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT id, groupID FROM chunk WHERE layout = ? AND NOT isDamaged
                ORDER BY fromTime, fromSequence
                """, arguments: [layout.id])
        var run: [Int64] = []
        var runs: [[Int64]] = []
        while let row = try rows.next() {
            guard try Int64?.stored(row, 1) == nil else {
                run = []
                continue
            }
            run.append(try .stored(row, 0))
            // The last chunk may still grow.
            guard run.count > size else { continue }
            runs.append(run.dropLast())
            run = run.suffix(1)
        }
        return runs
    }

    private typealias SummarisedChunk = (entry: ChunkEntry, summary: ChunkSummary)

    /// - Returns: `nil` when the chunk's row or summary is damaged.
    private static func summarised(
        _ id: Int64, _ layout: Layout, _ database: Database
    ) throws -> SummarisedChunk? {
        let statement = try database.cachedStatement(
            sql: "SELECT \(ChunkEntry.columns), summary FROM chunk WHERE id = ?")
        let rows = try Row.fetchCursor(statement, arguments: [id])
        guard let row = try rows.next(), let entry = try? ChunkEntry(row) else { return nil }
        guard
            var summary = try? row.withUnsafeData(
                atIndex: 6,
                { data in
                    try ChunkSummary(data ?? Data(), layout.fields, entry)
                })
        else { return nil }
        // Summaries of version 1 have no spacing.
        if summary.spacing == nil {
            summary.spacing = try? ChunkTable.spacing(of: entry, layout, database)
        }
        return (entry, summary)
    }

    private static func insertGroup(
        _ chunks: [SummarisedChunk], _ layout: Layout,
        _ database: Database
    ) throws {
        guard let first = chunks.first, let last = chunks.last else { return }
        var summary = first.summary
        for chunk in chunks.dropFirst() { summary.merge(chunk.summary) }
        try database.execute(
            sql: """
                INSERT INTO chunkGroup
                    (layout, fromTime, fromSequence, toTime, toSequence, count, summary)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                layout.id, first.entry.from.time.microseconds, first.entry.from.sequence,
                last.entry.to.time.microseconds, last.entry.to.sequence,
                chunks.reduce(0) { $0 + $1.entry.count }, summary.encoded(),
            ])
        let group = database.lastInsertedRowID
        for chunk in chunks {
            try database.execute(
                sql: "UPDATE chunk SET groupID = ? WHERE id = ?",
                arguments: [group, chunk.entry.id])
        }
    }
}
