import GRDB

/// Overwrites the traces of removed samples: free pages, the log, and unused bytes in pages.
struct TraceEraser: Sendable {
    private let file: SampleFile
    private let space: SpaceRules

    init(_ file: SampleFile, _ space: SpaceRules) {
        self.file = file
        self.space = space
    }

    /// Records, in the transaction that removes samples, that their traces must be erased.
    static func markDue(_ database: Database) throws {
        try database.execute(sql: "UPDATE erasure SET isDue = 1 WHERE NOT isDue")
    }

    /// Whether there may be traces of removed samples.
    func isDue() async throws -> Bool {
        try await file.pool.read { database in
            try Bool.fetchOne(database, sql: "SELECT isDue FROM erasure") ?? false
        }
    }

    /// Erases all traces and records that.
    ///
    /// - Returns: `false` when the log still contains some, because a reader holds a snapshot.
    /// - Throws: `damaged` when some pages could not be parsed; the others were scrubbed.
    func erase() async throws -> Bool {
        if try await file.space().canShrink {
            while try await file.shrink(to: 0, step: space.pagesPerStep) {}
        } else {
            // Free pages that cannot be released are allocated once more, and freed with
            // `secure_delete`.
            try await takeFreePages()
            try await releaseBlankPages()
        }
        guard try await file.truncateLog(), try await scrubPages() else { return false }
        try await file.pool.write { database in
            try database.execute(sql: "UPDATE erasure SET isDue = 0")
        }
        return true
    }

    /// - Returns: `false` when something was written to the log meanwhile.
    private func scrubPages() async throws -> Bool {
        try await file.pool.writeWithoutTransaction { database in
            var damaged: [UInt32]?
            try database.inTransaction(.immediate) {
                damaged = try file.scrubPages(database)
                return .rollback
            }
            guard let damaged else { return false }
            // The page cache still has the earlier content.
            try database.execute(sql: "PRAGMA shrink_memory")
            if let page = damaged.min() {
                throw SampleStoreError(
                    .damaged,
                    "\(damaged.count) pages of the sample store are damaged, first page \(page).")
            }
            return true
        }
    }

    // MARK: - Free pages

    /// Moves all free pages to the table `blank`.
    func takeFreePages() async throws {
        try await releaseBlankPages()
        try await file.pool.write { try $0.execute(sql: "CREATE TABLE blank (data BLOB)") }
        var isDone = false
        while !isDone {
            isDone = try await file.pool.write { database in
                let space = try FileSpace(database)
                guard space.freePages > 0 else { return true }
                // The last value fills a leaf page, so that it also takes a page of its own.
                let pages = min(space.freePages, Int64(self.space.pagesPerStep))
                try database.execute(
                    sql: "INSERT INTO blank VALUES (zeroblob(?))",
                    arguments: [max(space.pageSize - 96, (pages - 1) * (space.pageSize - 4))])
                return false
            }
            if file.logSize() > space.log { try await file.truncateLog() }
        }
    }

    /// Frees the pages of the table `blank`, including those left by a process that died.
    func releaseBlankPages() async throws {
        while try await releaseSomeBlankPages() {
            if file.logSize() > space.log { try await file.truncateLog() }
        }
    }

    /// Frees some pages of the table `blank`; freeing all at once would fill the log.
    ///
    /// - Returns: whether the table existed.
    func releaseSomeBlankPages() async throws -> Bool {
        try await file.pool.write { database in
            guard try database.tableExists("blank") else { return false }
            try database.execute(
                sql: "DELETE FROM blank WHERE rowid = (SELECT min(rowid) FROM blank)")
            if database.changesCount == 0 { try database.execute(sql: "DROP TABLE blank") }
            return true
        }
    }
}
