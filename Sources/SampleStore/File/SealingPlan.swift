import Foundation
import GRDB
import Samples
import Statistics

/// Which fresh samples of a layout become chunks, and which chunks give way to others.
///
/// Chunks of a layout never overlap. Samples behind the last chunk fill it up and go on in new ones;
/// those that came late are put into the chunks whose time they belong to.
struct SealingPlan: Sendable {
    /// The most samples that one plan takes.
    private static let roundsOfChunks = 4

    private let layout: Layout
    private let rows: [Int64]
    /// Late samples that wait for another time: too many chunks would have to be made anew.
    private let leftOver: PreparedFresh?
    private let replaced: [Int64]
    private let damaged: [Int64]
    private let chunks: [PreparedChunk]
    let sealed: SampleFile.FreshCount

    /// - Returns: `nil` when there is nothing to do.
    init?(_ layout: Layout, _ rules: ChunkRules, _ database: Database) throws {
        self.layout = layout
        var rows: [Int64] = []
        var fresh = BatchBuilder(layout.fields)
        let cursor = try Row.fetchCursor(
            database, sql: "SELECT first, data FROM fresh WHERE layout = ? ORDER BY first",
            arguments: [layout.id])
        var sealed = SampleFile.FreshCount()
        while fresh.count < Self.roundsOfChunks * rules.chunkSize,
            sealed.decoded < 2 * rules.freshDecoded, let row = try cursor.next()
        {
            rows.append(try .stored(row, 0))
            do {
                let batch = try row.withUnsafeData(atIndex: 1) { data in
                    let batch = try SampleFile.decode(data ?? Data(), layout)
                    sealed += SampleFile.FreshCount(of: batch, bytes: data?.count ?? 0)
                    return batch
                }
                fresh.append(batch)
            } catch is ByteReader.Damage {
                // It stays where it is, and is told of by whoever reads.
                rows.removeLast()
            }
        }
        guard !rows.isEmpty else { return nil }
        var work = Work(layout, rules)
        try work.place(fresh.take().ordered(), database)
        self.rows = rows
        leftOver =
            work.leftOver.isEmpty
            ? nil : PreparedFresh(work.leftOver.orderedByArrival(), layout.id)
        replaced = work.replaced
        damaged = work.damaged
        chunks = work.chunks
        if let leftOver { sealed -= leftOver.size }
        self.sealed = sealed
    }

    func carryOut(_ database: Database) throws {
        for row in rows {
            try database.cachedStatement(sql: "DELETE FROM fresh WHERE first = ?")
                .execute(arguments: [row])
        }
        try leftOver?.insert(database)
        for id in damaged {
            try database.execute(
                sql: "UPDATE chunk SET isDamaged = 1 WHERE id = ?", arguments: [id])
        }
        for id in replaced { try SampleFile.removeChunk(id, database) }
        for chunk in chunks {
            try Self.removeGroups(around: chunk, database)
            try SampleFile.insertChunk(chunk, database)
        }
    }

    /// Takes away groups that a new chunk comes to lie in, which would not count it.
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

    /// A plan while it is made.
    private struct Work {
        let layout: Layout
        let rules: ChunkRules
        var leftOver: StoredBatch
        var replaced: [Int64] = []
        var damaged: [Int64] = []
        var chunks: [PreparedChunk] = []

        init(_ layout: Layout, _ rules: ChunkRules) {
            self.layout = layout
            self.rules = rules
            leftOver = StoredBatch(of: layout.fields)
        }

        /// Finds a place for samples that are in order.
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
                    leftOver = leftOver.joined(with: part).ordered()
                    continue
                }
                try add(part, to: target, isLast: next == nil, database)
            }
        }

        /// The chunk that samples at a place belong into, and where the one behind it begins.
        ///
        /// Samples in front of every chunk belong into the first.
        private mutating func neighbours(
            of place: SampleQuery.Position, _ database: Database
        ) throws -> (ChunkEntry?, SampleQuery.Position?) {
            let before = try entry("<=", place, "DESC", database)
            let behind = try entry(">", place, "ASC", database)
            guard before == nil, let behind else { return (before, behind?.from) }
            return (behind, try entry(">", behind.from, "ASC", database)?.from)
        }

        /// The first chunk before or behind a place; rows that say nothing of a chunk are passed over.
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
            // A whole chunk stays as it is when nothing belongs between its samples.
            guard let target, target.count < rules.chunkSize || part.position(0) < target.to else {
                return append(part, isLast: isLast)
            }
            do {
                let old = try SampleFile.withContent(of: target.id, database) { data in
                    try SampleFile.decode(data, layout)
                }
                replaced.append(target.id)
                append(old.joined(with: part).ordered(), isLast: isLast)
            } catch is ByteReader.Damage {
                damaged.append(target.id)
                append(part, isLast: isLast)
            }
        }

        /// - Parameter isLast: whether the last of them may still grow; others get room for late ones.
        private mutating func append(_ samples: StoredBatch, isLast: Bool) {
            let size = rules.chunkSize
            let number = (samples.count + size - 1) / size
            let limit = isLast ? size : (samples.count + number - 1) / max(1, number)
            chunks += samples.parts(ofAtMost: limit).map { PreparedChunk($0, layout) }
        }
    }
}

extension Range<Int> {
    /// The first place from which on `isBehind` holds; the end when it never does.
    func partitioningIndex(where isBehind: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
