import Foundation
import GRDB
import Samples

extension SampleFile {
    /// Samples on their way to the file.
    struct Entry: Sendable {
        let sensor: Int64
        let layout: Layout
        let batch: StoredBatch
        /// What the client that published them calls them.
        var named: NamedBatch?
    }

    /// How much of a layout has come since its last chunk was made.
    struct FreshCount: Sendable {
        var rows = 0
        var samples = 0
    }

    /// One transaction: all of the entries or none.
    ///
    /// - Returns: the rows that were written, by layout, and the bytes of the file that hold something.
    func write(
        _ entries: [Entry], _ numbering: Numbering
    ) async throws -> (counts: [Int64: FreshCount], used: Int64) {
        guard !entries.isEmpty else { return ([:], 0) }
        return try await pool.writeWithoutTransaction { database in
            var counts: [Int64: FreshCount] = [:]
            try database.inTransaction(.immediate) {
                try Self.note(numbering, database)
                for entry in entries {
                    guard let named = entry.named else { continue }
                    try Self.insertKey(named, entry.sensor, database)
                }
                for (layout, batch) in Self.joined(entries, atMost: rules.chunkSize) {
                    try Self.insertFresh(batch, layout.id, database)
                    counts[layout.id, default: FreshCount()].rows += 1
                    counts[layout.id, default: FreshCount()].samples += batch.count
                }
                return .commit
            }
            return (counts, try FileSpace(database).used)
        }
    }

    /// The layouts that have fresh samples, and how many.
    func freshCounts() async throws -> [Int64: FreshCount] {
        try await pool.read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: "SELECT layout, count(*), coalesce(sum(count), 0) FROM fresh GROUP BY layout")
            var counts: [Int64: FreshCount] = [:]
            while let row = try rows.next() {
                counts[try .stored(row, 0)] = FreshCount(
                    rows: try .stored(row, 1), samples: try .stored(row, 2))
            }
            return counts
        }
    }

    static func insertFresh(
        _ batch: StoredBatch, _ layout: Int64, _ database: Database
    ) throws {
        try database.cachedStatement(
            sql: "INSERT INTO fresh (first, last, layout, count, data) VALUES (?, ?, ?, ?, ?)"
        ).execute(arguments: [
            batch.sequences[0], batch.sequences[batch.count - 1], layout, batch.count,
            Data(ChunkEncoder.encode(batch)),
        ])
    }

    /// One batch of each layout, or several of them where there are many samples.
    private static func joined(
        _ entries: [Entry], atMost limit: Int
    ) -> [(layout: Layout, batch: StoredBatch)] {
        guard entries.count > 1 else {
            return entries.flatMap { entry in
                entry.batch.parts(ofAtMost: limit).map { (entry.layout, $0) }
            }
        }
        var builders: [Int64: (layout: Layout, builder: BatchBuilder)] = [:]
        var order: [Int64] = []
        for entry in entries {
            let id = entry.layout.id
            if builders[id] == nil {
                builders[id] = (entry.layout, BatchBuilder(entry.layout.fields))
                order.append(id)
            }
            builders[id]?.builder.append(entry.batch)
        }
        return order.flatMap { id -> [(layout: Layout, batch: StoredBatch)] in
            guard let layout = builders[id]?.layout, let all = builders[id]?.builder.take() else {
                return []
            }
            return all.parts(ofAtMost: limit).map { (layout, $0) }
        }
    }
}
