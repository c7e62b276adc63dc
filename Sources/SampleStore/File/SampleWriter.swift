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

/// Writes accepted samples to the journal and as unsealed rows.
struct SampleWriter: Sendable {
    /// The result of a transaction.
    struct Written: Sendable {
        /// The size of the samples that were written, by layout.
        var sizes: [Int64: UnsealedSize] = [:]
        /// Bytes of the pages in use.
        var used: Int64 = 0
        /// Bytes of the write-ahead log.
        var log: Int64 = 0
        /// The row of each layout that the next transaction may extend.
        var open: [Int64: UnsealedRow.Key] = [:]
        /// Where the next samples are appended to the journal.
        var journal: SampleJournal.End?
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
    /// The last row of a layout is extended while it is small: a row of its own for each transaction would take
    /// more space, and another page of the index. It is extended only while it is among the newest rows of the
    /// table, so that the rows of all sensors share few pages.
    ///
    /// The log is flushed on the thread that wrote it, which saves the caller two thread switches. The order
    /// is safe: SQLite writes the frames of the transaction and its commit record to the log, and then the
    /// log is flushed. Nothing else writes in between, and SQLite flushes frames before it checkpoints them.
    /// SQLite ignores the zeros after the last frame, because frames have a salt and a checksum.
    ///
    /// - Parameters:
    ///   - open: the rows that may be extended, as the transaction before returned them.
    ///   - journal: the end of the journal, all of whose samples are among the batches.
    ///   - numbering: marks the session as started; `nil` when it is marked already.
    ///   - step: bytes by which the log grows when it is flushed; `nil` when it is not flushed.
    nonisolated(nonsending) func write(
        _ batches: [UnwrittenBatch], extending open: [Int64: UnsealedRow.Key],
        ending journal: SampleJournal.End,
        marking numbering: SequenceTable.Numbering?, syncedBy step: Int64?
    ) async throws -> Written {
        guard !batches.isEmpty || step != nil else { return Written(open: open, journal: journal) }
        return try await withCheckedThrowingContinuation { continuation in
            file.pool.asyncWriteWithoutTransaction { database in
                continuation.resume(
                    with: Result {
                        var written = try write(batches, open, journal, numbering, database)
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
        _ batches: [UnwrittenBatch], _ open: [Int64: UnsealedRow.Key],
        _ journal: SampleJournal.End, _ numbering: SequenceTable.Numbering?, _ database: Database
    ) throws -> Written {
        var written = Written(open: open, journal: journal)
        guard !batches.isEmpty else { return written }
        try database.inTransaction(.immediate) {
            if let numbering { try SequenceTable.mark(numbering, database) }
            for batch in batches {
                guard let key = batch.key else { continue }
                try BatchKeyTable.insert(key, batch.sensor, database)
            }
            for (layout, batch) in Self.joined(batches, atMost: rules.chunkSize) {
                let (row, growth) =
                    try extended(written.open[layout.id], with: batch, layout, database)
                    ?? inserted(batch, layout, database)
                written.sizes[layout.id, default: UnsealedSize()] += growth
                written.open[layout.id] = row.size.bytes < rules.rowBytes ? row.key : nil
            }
            let last = batches.compactMap(\.batch.sequences.last).max()
            if !journal.isEmpty, let last {
                written.journal = try SampleJournal.begin(after: last, journal, database)
            }
            // Inside the transaction this needs no lock of its own.
            written.used = try FileSpace(database).used
            return .commit
        }
        written.log = file.logSize()
        return written
    }

    // MARK: - Journal

    /// Appends batches to the journal in one transaction.
    ///
    /// - Returns: `nil` when they do not fit.
    func append(
        _ batches: [UnwrittenBatch], to journal: SampleJournal.End,
        marking numbering: SequenceTable.Numbering?
    ) async throws -> Written? {
        let rows = self.rows(batches)
        var written = try await file.pool.write { database -> Written? in
            guard let end = try SampleJournal.append(rows, to: journal, database) else {
                return nil
            }
            if let numbering { try SequenceTable.mark(numbering, database) }
            return Written(used: try FileSpace(database).used, journal: end)
        }
        written?.log = file.logSize()
        return written
    }

    /// Overwrites the journal with batches.
    ///
    /// - Parameter isForgetting: whether traces of other samples have to be erased.
    /// - Returns: the end of the journal, and whether the batches fit.
    func replaceJournal(
        by batches: [UnwrittenBatch], _ journal: SampleJournal.End, isForgetting: Bool
    ) async throws -> (end: SampleJournal.End, isWritten: Bool) {
        let rows = self.rows(batches)
        return try await file.pool.write { database in
            if isForgetting { try TraceEraser.markDue(database) }
            return try SampleJournal.replace(by: rows, journal, database)
        }
    }

    private func rows(_ batches: [UnwrittenBatch]) -> [UnsealedRow] {
        Self.joined(batches.filter { !$0.batch.isEmpty }, atMost: rules.chunkSize)
            .map { UnsealedRow($0.batch, $0.layout.id) }
    }

    // MARK: - Rows

    private func inserted(
        _ batch: StoredBatch, _ layout: Layout, _ database: Database
    ) throws -> (row: UnsealedRow, growth: UnsealedSize) {
        let row = UnsealedRow(batch, layout.id)
        try UnsealedTable.insert(row, database)
        return (row, row.size)
    }

    /// - Returns: `nil` when the row would become too large, is too old, or was sealed, changed or damaged
    ///   meanwhile.
    private func extended(
        _ key: UnsealedRow.Key?, with batch: StoredBatch, _ layout: Layout, _ database: Database
    ) throws -> (row: UnsealedRow, growth: UnsealedSize)? {
        let addition = batch.decodedSize
        guard let key, batch.sequences[0] - key.first < rules.rowSpan, addition < rules.rowDecoded,
            let (former, size) = try UnsealedTable.row(key, of: layout, database),
            size.decoded + addition <= rules.rowDecoded
        else { return nil }
        let row = UnsealedRow(former.joined(with: batch), layout.id)
        try UnsealedTable.replace(row, database)
        var growth = row.size
        growth -= size
        return (row, growth)
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
