import Foundation
import GRDB
import Samples
import Statistics

/// Which unsealed samples of a layout are sealed, and which chunks are replaced.
///
/// Chunks of a layout never overlap. Samples after the last chunk fill it and continue in new
/// chunks; late samples are merged into the chunks of their time.
struct SealingPlan: Sendable {
    /// The plan is for rows that have changed.
    struct Outdated: Error {}

    /// The maximum number of complete chunks' worth of samples in one plan.
    private static let maximumChunks = 4

    private let layout: Layout
    private let rows: [UnsealedRow.Key]
    /// Late samples that stay unsealed, because too many chunks would have to be rewritten.
    private let deferred: UnsealedRow?
    private let replaced: [Int64]
    private let damaged: [Int64]
    private let chunks: [PreparedChunk]
    let sealed: UnsealedSize

    /// - Returns: `nil` when there is nothing to do.
    init?(_ layout: Layout, _ rules: ChunkRules, _ database: Database) throws {
        self.layout = layout
        var rows: [UnsealedRow.Key] = []
        var unsealed = BatchBuilder(layout.fields)
        let cursor = try Row.fetchCursor(
            database, sql: "SELECT first, last, data FROM fresh WHERE layout = ? ORDER BY first",
            arguments: [layout.id])
        var sealed = UnsealedSize()
        while unsealed.count < Self.maximumChunks * rules.chunkSize,
            sealed.decoded < 2 * rules.unsealedDecoded, let row = try cursor.next()
        {
            // Damaged rows stay; readers report them.
            guard let last = try? Int64.stored(row, 1) else { continue }
            rows.append(UnsealedRow.Key(first: try .stored(row, 0), last: last))
            do {
                let batch = try row.withUnsafeData(atIndex: 2) { data in
                    let batch = try ChunkReader.decode(data ?? Data(), layout)
                    sealed += UnsealedSize(of: batch, bytes: data?.count ?? 0)
                    return batch
                }
                unsealed.append(batch)
            } catch is ByteReader.Damage {
                rows.removeLast()
            }
        }
        guard !rows.isEmpty else { return nil }
        var work = Work(layout, rules)
        try work.place(unsealed.take().ordered(), database)
        self.rows = rows
        deferred =
            work.deferred.isEmpty
            ? nil : UnsealedRow(work.deferred.orderedByArrival(), layout.id)
        replaced = work.replaced
        damaged = work.damaged
        chunks = work.chunks
        if let deferred { sealed -= deferred.size }
        self.sealed = sealed
    }

    /// - Throws: ``Outdated`` when a row was extended after the plan was made.
    func apply(_ database: Database) throws {
        for row in rows {
            guard try UnsealedTable.remove(unchanged: row, database) else { throw Outdated() }
        }
        if let deferred { try UnsealedTable.insert(deferred, database) }
        for id in damaged {
            try database.execute(
                sql: "UPDATE chunk SET isDamaged = 1 WHERE id = ?", arguments: [id])
        }
        for id in replaced { try ChunkTable.remove(id, database) }
        for chunk in chunks {
            try Self.removeGroups(around: chunk, database)
            try ChunkTable.insert(chunk, database)
        }
    }

    /// Removes groups that a new chunk overlaps, because they do not include it.
    private static func removeGroups(around chunk: PreparedChunk, _ database: Database) throws {
        let groups = try Int64.fetchAll(
            database,
            sql: """
                SELECT id FROM chunkGroup
                WHERE layout = ? AND (fromTime, fromSequence) <= (?, ?)
                AND (toTime, toSequence) >= (?, ?)
                """,
            arguments: [
                chunk.layout, chunk.to.time.microseconds, chunk.to.sequence,
                chunk.from.time.microseconds, chunk.from.sequence,
            ])
        for group in groups {
            try database.execute(
                sql: "UPDATE chunk SET groupID = NULL WHERE groupID = ?", arguments: [group])
            try database.execute(sql: "DELETE FROM chunkGroup WHERE id = ?", arguments: [group])
        }
    }

    // MARK: - Placing

    /// A plan under construction.
    private struct Work {
        let layout: Layout
        let rules: ChunkRules
        var deferred: StoredBatch
        var replaced: [Int64] = []
        var damaged: [Int64] = []
        var chunks: [PreparedChunk] = []

        init(_ layout: Layout, _ rules: ChunkRules) {
            self.layout = layout
            self.rules = rules
            deferred = StoredBatch(of: layout.fields)
        }

        /// Distributes samples that are in order.
        mutating func place(_ samples: StoredBatch, _ database: Database) throws {
            var rest = samples
            while !rest.isEmpty {
                let (target, next) = try neighbours(of: rest.position(0), database)
                let end =
                    next.map { next in
                        (0..<rest.count).partitioningIndex { rest.position($0) >= next }
                    } ?? rest.count
                let part = rest[0..<end]
                rest = rest[end..<rest.count]
                guard next == nil || replaced.count < rules.rewrites else {
                    deferred = deferred.joined(with: part).ordered()
                    continue
                }
                try add(part, to: target, isLast: next == nil, database)
            }
        }

        /// The chunk for samples at a position, and the start of the following chunk.
        ///
        /// Samples before all chunks belong to the first one.
        private mutating func neighbours(
            of place: SampleQuery.Position, _ database: Database
        ) throws -> (ChunkEntry?, SampleQuery.Position?) {
            let before = try entry("<=", place, "DESC", database)
            let behind = try entry(">", place, "ASC", database)
            guard before == nil, let behind else { return (before, behind?.from) }
            return (behind, try entry(">", behind.from, "ASC", database)?.from)
        }

        /// The nearest chunk before or after a position; damaged rows are skipped and recorded.
        private mutating func entry(
            _ comparison: String, _ place: SampleQuery.Position, _ order: String,
            _ database: Database
        ) throws -> ChunkEntry? {
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT \(ChunkEntry.columns) FROM chunk
                    WHERE layout = ? AND NOT isDamaged
                    AND (fromTime, fromSequence) \(comparison) (?, ?)
                    ORDER BY fromTime \(order), fromSequence \(order)
                    """,
                arguments: [layout.id, place.time.microseconds, place.sequence])
            while let row = try rows.next() {
                if let entry = try? ChunkEntry(row) { return entry }
                damaged.append(try .stored(row, 0))
            }
            return nil
        }

        private mutating func add(
            _ part: StoredBatch, to target: ChunkEntry?, isLast: Bool, _ database: Database
        ) throws {
            // A complete chunk is not rewritten unless new samples lie between its samples.
            guard let target, target.count < rules.chunkSize || part.position(0) < target.to else {
                return append(part, isLast: isLast)
            }
            do {
                let old = try ChunkTable.withContent(of: target.id, database) { data in
                    try ChunkReader.decode(data, layout)
                }
                replaced.append(target.id)
                append(old.joined(with: part).ordered(), isLast: isLast)
            } catch is ByteReader.Damage {
                damaged.append(target.id)
                append(part, isLast: isLast)
            }
        }

        /// - Parameter isLast: whether the last chunk may still grow. If not, the samples are split
        ///   evenly to leave room for late samples.
        private mutating func append(_ samples: StoredBatch, isLast: Bool) {
            let size = rules.chunkSize
            let number = (samples.count + size - 1) / size
            let limit = isLast ? size : (samples.count + number - 1) / max(1, number)
            chunks += samples.parts(ofAtMost: limit).map { PreparedChunk($0, layout) }
        }
    }
}
