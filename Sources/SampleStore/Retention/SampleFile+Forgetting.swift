import GRDB
import Samples

extension SampleFile {
    /// One step of taking fresh samples out.
    func forget(
        fresh layout: Layout, _ range: TimeRange, through last: Int64, behind row: Int64
    ) async throws -> ForgetPlan {
        try await pool.write { database in
            let plan = try ForgetPlan(fresh: layout, range, through: last, behind: row, database)
            try plan.carryOut(database)
            return plan
        }
    }

    /// One step of taking chunks out, or of making them anew without what is forgotten.
    ///
    /// Nothing else may change chunks meanwhile.
    func forget(
        chunks layout: Layout, _ range: TimeRange, through last: Int64, behind id: Int64
    ) async throws -> ForgetPlan {
        let plan = try await pool.read { database in
            try ForgetPlan(chunks: layout, range, through: last, behind: id, database)
        }
        try await pool.write { try plan.carryOut($0) }
        return plan
    }

    /// Takes out the summaries of hours that have samples in the range.
    func forget(summaries layout: Layout, _ receipt: ForgetReceipt) async throws -> ForgetReceipt {
        try await pool.write { database in
            var receipt = receipt
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT \(ChunkEntry.columns), length(summary) FROM rollup
                    WHERE layout = ? AND (fromTime < ? AND toTime >= ? OR \(ChunkEntry.isUnreadable))
                    ORDER BY hour LIMIT 256
                    """,
                arguments: [
                    layout.id, receipt.range.to.microseconds, receipt.range.from.microseconds,
                ])
            if !rows.isEmpty { try Self.noteErasure(database) }
            for row in rows {
                receipt.summaries += 1
                receipt.bytes += try .stored(row, 6)
                if let entry = try? ChunkEntry(row) {
                    receipt.summarised += entry.count
                    if !entry.isWithin(receipt.range) { receipt.hoursBeyond += 1 }
                }
                try database.execute(
                    sql: "DELETE FROM rollup WHERE id = ?", arguments: [try Int64.stored(row, 0)])
            }
            return receipt
        }
    }

    // MARK: - Traces

    /// Leaves nothing of rows that were removed, now or earlier: no free page and no unused part of
    /// a page keeps what it held.
    ///
    /// - Returns: `false` when the log still has some of it, because somebody reads from there.
    /// - Throws: `damaged` when pages could not be gone through; the others were.
    func eraseTraces() async throws -> Bool {
        if try await measure().canShrink {
            while try await shrink(to: 0) {}
        } else {
            try await blankFreePages()
        }
        guard try await cutLog() else { return false }
        return try await scrubPages()
    }

    /// - Returns: `false` when something came into the log meanwhile.
    private func scrubPages() async throws -> Bool {
        try await pool.writeWithoutTransaction { database in
            var isDone = false
            var damaged: [UInt32] = []
            try database.inTransaction(.immediate) {
                guard logSize() == 0 else { return .rollback }
                let space = try FileSpace(database)
                let roots = try Int64.fetchAll(
                    database, sql: "SELECT rootpage FROM sqlite_schema WHERE rootpage > 0")
                damaged = try PageScrub(
                    pages.descriptor, pageSize: space.pageSize, pages: space.pages
                )
                .run(roots: roots)
                isDone = true
                return .rollback
            }
            // What is kept of pages in memory is as they were.
            try database.execute(sql: "PRAGMA shrink_memory")
            if let page = damaged.min() {
                throw SampleStoreError(
                    .damaged,
                    "\(damaged.count) pages of the sample store are damaged, first page \(page).")
            }
            return isDone
        }
    }

    /// Writes over every free page of a file that cannot give them back: they are taken, and freed
    /// again while what is freed is overwritten.
    private func blankFreePages() async throws {
        try await takeFreePages()
        try await giveBackBlank()
    }

    /// Puts every free page into the table `blank`.
    func takeFreePages() async throws {
        try await giveBackBlank()
        try await pool.write { try $0.execute(sql: "CREATE TABLE blank (data BLOB)") }
        var isDone = false
        while !isDone {
            isDone = try await pool.write { database in
                let space = try FileSpace(database)
                guard space.freePages > 0 else { return true }
                // The last value fills a page of rows, so that it takes a page.
                let pages = min(space.freePages, Int64(self.space.pagesPerStep))
                try database.execute(
                    sql: "INSERT INTO blank VALUES (zeroblob(?))",
                    arguments: [max(space.pageSize - 96, (pages - 1) * (space.pageSize - 4))])
                return false
            }
            if logSize() > space.log { try await cutLog() }
        }
    }

    /// Frees the pages of the table `blank`, also those that a session left there which ended before.
    func giveBackBlank() async throws {
        while try await giveBackSomeBlank() {
            if logSize() > space.log { try await cutLog() }
        }
    }

    /// Frees a few pages of the table `blank`: all of them at once would fill the log.
    ///
    /// - Returns: whether there was such a table.
    func giveBackSomeBlank() async throws -> Bool {
        try await pool.write { database in
            guard try database.tableExists("blank") else { return false }
            try database.execute(
                sql: "DELETE FROM blank WHERE rowid = (SELECT min(rowid) FROM blank)")
            if database.changesCount == 0 { try database.execute(sql: "DROP TABLE blank") }
            return true
        }
    }
}
