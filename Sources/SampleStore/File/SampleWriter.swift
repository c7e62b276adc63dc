import GRDB
import Samples

/// Accepted samples of one sensor that wait to be written.
struct UnwrittenBatch: Sendable {
    let sensor: Int64
    let layout: Layout
    let batch: StoredBatch
    /// The idempotency key of the batch, if any.
    var key: KeyedBatch?
}

/// Writes accepted samples as unsealed rows.
struct SampleWriter: Sendable {
    /// The result of a transaction.
    struct Written: Sendable {
        /// The amount of samples that was written, by layout.
        var sizes: [Int64: UnsealedSize] = [:]
        /// Bytes of the pages in use.
        var used: Int64 = 0
        /// Bytes of the write-ahead log.
        var log: Int64 = 0
        /// Why flushing the log failed, if it was requested.
        var syncFailure: SampleStoreError?
    }

    private let file: SampleFile
    private let rules: ChunkRules

    init(_ file: SampleFile, _ rules: ChunkRules) {
        self.file = file
        self.rules = rules
    }

    /// Writes all batches in one transaction.
    ///
    /// The log is flushed on the thread that wrote it, which saves the caller two thread switches. The order
    /// is safe: SQLite writes the frames of the transaction and its commit record to the log, and then the
    /// log is flushed. Nothing else writes in between, and SQLite flushes frames before it checkpoints them.
    /// SQLite ignores the zeros after the last frame, because frames have a salt and a checksum.
    ///
    /// - Parameters:
    ///   - numbering: marks the session as started; `nil` when it is marked already.
    ///   - step: bytes by which the log grows when it is flushed; `nil` when it is not flushed.
    nonisolated(nonsending) func write(
        _ batches: [UnwrittenBatch], marking numbering: SequenceTable.Numbering?,
        syncedBy step: Int64?
    ) async throws -> Written {
        guard !batches.isEmpty || step != nil else { return Written() }
        return try await withCheckedThrowingContinuation { continuation in
            file.pool.asyncWriteWithoutTransaction { database in
                continuation.resume(
                    with: Result {
                        var written = try write(batches, numbering, database)
                        guard let step else { return written }
                        do throws(SampleStoreError) {
                            try file.syncLog(extendingBy: step)
                        } catch {
                            written.syncFailure = error
                        }
                        return written
                    })
            }
        }
    }

    private func write(
        _ batches: [UnwrittenBatch], _ numbering: SequenceTable.Numbering?, _ database: Database
    ) throws -> Written {
        var written = Written()
        guard !batches.isEmpty else { return written }
        try database.inTransaction(.immediate) {
            if let numbering { try SequenceTable.mark(numbering, database) }
            for batch in batches {
                guard let key = batch.key else { continue }
                try BatchKeyTable.insert(key, batch.sensor, database)
            }
            for (layout, batch) in Self.joined(batches, atMost: rules.chunkSize) {
                let row = UnsealedRow(batch, layout.id)
                try UnsealedTable.insert(row, database)
                written.sizes[layout.id, default: UnsealedSize()] += row.size
            }
            // Inside the transaction this needs no lock of its own.
            written.used = try FileSpace(database).used
            return .commit
        }
        written.log = file.logSize()
        return written
    }

    /// Joins the batches of each layout, and splits the result into parts of at most `limit` samples.
    private static func joined(
        _ entries: [UnwrittenBatch], atMost limit: Int
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
