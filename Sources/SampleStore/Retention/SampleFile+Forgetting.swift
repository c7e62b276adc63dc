import GRDB
import Samples

extension SampleFile {
    /// One step of taking fresh samples out.
    func forget(
        fresh layout: Layout, _ range: TimeRange, behind row: Int64
    ) async throws -> ForgetPlan {
        try await pool.write { database in
            let plan = try ForgetPlan(fresh: layout, range, behind: row, database)
            try plan.carryOut(database)
            return plan
        }
    }

    /// One step of taking chunks out, or of making them anew without what is forgotten.
    ///
    /// Nothing else may change chunks meanwhile.
    func forget(
        chunks layout: Layout, _ range: TimeRange, behind id: Int64
    ) async throws -> ForgetPlan {
        let plan = try await pool.read { database in
            try ForgetPlan(chunks: layout, range, behind: id, database)
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
                    WHERE layout = ? AND fromTime < ? AND toTime >= ? ORDER BY hour LIMIT 256
                    """,
                arguments: [
                    layout.id, receipt.range.to.microseconds, receipt.range.from.microseconds,
                ])
            for row in rows {
                let entry = try ChunkEntry(row)
                receipt.summaries += 1
                receipt.summarised += entry.count
                receipt.bytes += try .stored(row, 6)
                if !entry.isWithin(receipt.range) { receipt.hoursBeyond += 1 }
                try database.execute(
                    sql: "DELETE FROM rollup WHERE id = ?", arguments: [entry.id])
            }
            return receipt
        }
    }

    // MARK: - Traces

    /// Whether what is removed is overwritten wherever it stood.
    func overwrite(_ isThorough: Bool) async throws {
        try await pool.writeWithoutTransaction { database in
            try database.execute(
                sql: "PRAGMA secure_delete = \(isThorough ? "ON" : "FAST")")
        }
    }

    /// Leaves nothing of rows that were removed earlier: no free page keeps what it held, and the
    /// small rows of fresh samples are written on new pages.
    ///
    /// - Returns: `false` when the log still has some of it, because somebody reads from there.
    func eraseTraces() async throws -> Bool {
        try await pool.write { database in
            let rows = try Row.fetchAll(
                database, sql: "SELECT first, last, layout, count, data FROM fresh")
            try database.execute(sql: "DELETE FROM fresh")
            let statement = try database.cachedStatement(
                sql: "INSERT INTO fresh (first, last, layout, count, data) VALUES (?, ?, ?, ?, ?)")
            for row in rows {
                try statement.execute(arguments: StatementArguments(row.databaseValues))
            }
        }
        if try await measure().canShrink {
            while try await shrink(to: 0) {}
        } else {
            try await blankFreePages()
        }
        return try await cutLog()
    }

    /// Writes over every free page of a file that cannot give them back: they are taken, and freed
    /// again while what is freed is overwritten.
    private func blankFreePages() async throws {
        try await pool.write { database in
            try database.execute(
                sql: "DROP TABLE IF EXISTS blank; CREATE TABLE blank (data BLOB)")
        }
        var isDone = false
        while !isDone {
            isDone = try await pool.write { database in
                let space = try FileSpace(database)
                guard space.freePages > 0 else { return true }
                // The last value fills a page of rows, so that it takes a page.
                let pages = min(space.freePages, 256)
                try database.execute(
                    sql: "INSERT INTO blank VALUES (zeroblob(?))",
                    arguments: [max(space.pageSize - 96, (pages - 1) * (space.pageSize - 4))])
                return false
            }
            if logSize() > space.log { try await cutLog() }
        }
        try await pool.write { try $0.execute(sql: "DROP TABLE blank") }
    }
}
