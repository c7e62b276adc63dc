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

    /// What came of a transaction.
    struct Written: Sendable {
        /// The rows that were written, by layout.
        var counts: [Int64: FreshCount] = [:]
        /// Bytes of the file that hold something.
        var used: Int64 = 0
        /// Bytes of the write-ahead log.
        var log: Int64 = 0
        /// Why the disk did not keep it, where it was to.
        var notKept: SampleStoreError?
    }

    /// One transaction: all of the entries or none.
    ///
    /// It is synchronised where it was written, so that whoever waits for it changes threads but once
    /// each way. The order stays: SQLite writes the frames of the transaction and its commit to the log,
    /// and after that the log reaches the disk. Nothing else writes in between, and frames that SQLite
    /// moved to the file itself it had synchronised there before. Zeros behind the last frame are no frame:
    /// SQLite knows frames by salt and checksum, as it does where an earlier round of the log was longer.
    ///
    /// - Parameters:
    ///   - numbering: what is noted of the session; `nil` when that is in the file.
    ///   - step: bytes by which the log grows when it is synchronised; `nil` when it is not.
    nonisolated(nonsending) func write(
        _ entries: [Entry], noting numbering: Numbering?, synchronisedBy step: Int64?
    ) async throws -> Written {
        guard !entries.isEmpty || step != nil else { return Written() }
        return try await withCheckedThrowingContinuation { continuation in
            pool.asyncWriteWithoutTransaction { database in
                continuation.resume(
                    with: Result {
                        var written = try write(entries, numbering, database)
                        guard let step else { return written }
                        log.extend(toMultipleOf: step)
                        do throws(SampleStoreError) {
                            try log.synchronise()
                        } catch {
                            written.notKept = error
                        }
                        return written
                    })
            }
        }
    }

    private func write(
        _ entries: [Entry], _ numbering: Numbering?, _ database: Database
    ) throws -> Written {
        var written = Written()
        guard !entries.isEmpty else { return written }
        try database.inTransaction(.immediate) {
            if let numbering { try Self.note(numbering, database) }
            for entry in entries {
                guard let named = entry.named else { continue }
                try Self.insertKey(named, entry.sensor, database)
            }
            for (layout, batch) in Self.joined(entries, atMost: rules.chunkSize) {
                let fresh = PreparedFresh(batch, layout.id)
                try fresh.insert(database)
                written.counts[layout.id, default: FreshCount()] += fresh.size
            }
            // Asked for in the transaction, it needs no lock of its own.
            written.used = try FileSpace(database).used
            return .commit
        }
        written.log = log.size
        return written
    }

    /// The layouts that have fresh samples, and how many.
    func freshCounts() async throws -> [Int64: FreshCount] {
        try await pool.read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT layout, count(*), coalesce(sum(count), 0),
                        coalesce(sum(length(data)), 0)
                    FROM fresh GROUP BY layout
                    """)
            var counts: [Int64: FreshCount] = [:]
            while let row = try rows.next() {
                let bytes: Int = try .stored(row, 3)
                counts[try .stored(row, 0)] = FreshCount(
                    rows: try .stored(row, 1), samples: try .stored(row, 2), bytes: bytes,
                    decoded: bytes)
            }
            return counts
        }
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
