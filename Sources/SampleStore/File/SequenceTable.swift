import GRDB

/// The table `session`: which sequence numbers were assigned, and whether the last session ended cleanly.
///
/// A session is here the time from opening the file to closing it.
struct SequenceTable: Sendable {
    /// Where the numbering of a session starts.
    struct Numbering: Sendable {
        /// The last number that must not be assigned again.
        var last: Int64
        /// How many numbers up to `last` belong to no sample.
        var skipped: Int64
    }

    /// Larger numbers are damage: at a million samples per second they would take 70 000 years.
    private static let greatestNumber: Int64 = 1 << 61

    private let pool: DatabasePool

    init(_ pool: DatabasePool) {
        self.pool = pool
    }

    /// Starts a session, and marks it as not ended.
    ///
    /// If the process died during the last session, it may have assigned up to `reserve` numbers that
    /// readers have seen but that never reached the file: they are skipped.
    func startSession(reserve: Int64) async throws -> Numbering {
        let numbering = try await pool.read { database in
            var numbering = Numbering(last: try Self.lastSequence(database), skipped: 0)
            let rows = try Row.fetchCursor(
                database, sql: "SELECT floor, skipped, isClean FROM session")
            if let row = try rows.next() {
                numbering.last = max(numbering.last, try .stored(row, 0))
                numbering.skipped = try .stored(row, 1)
                guard numbering.last <= Self.greatestNumber,
                    (0...Self.greatestNumber).contains(numbering.skipped)
                else {
                    throw SampleStoreError(.damaged, "The numbering of samples is damaged.")
                }
                if try !Bool.stored(row, 2) {
                    numbering.last += reserve
                    numbering.skipped += reserve
                }
            }
            return numbering
        }
        do {
            try await pool.write { try Self.mark(numbering, $0) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            // The file can be read on a full disk; the first write marks the session.
        }
        return numbering
    }

    /// Marks the session as started with this numbering.
    static func mark(_ numbering: Numbering, _ database: Database) throws {
        try database.execute(
            sql: """
                UPDATE session SET floor = max(floor, ?1), skipped = ?2, isClean = 0
                WHERE isClean OR skipped <> ?2
                """, arguments: [numbering.last, numbering.skipped])
    }

    /// Prevents numbers up to `last` from being assigned again, although some of them are in no sample.
    func raiseFloor(to last: Int64) async throws {
        try await pool.write { database in
            try database.execute(
                sql: "UPDATE session SET floor = max(floor, ?), isClean = 0", arguments: [last])
        }
    }

    /// Marks the session as ended: all samples with numbers up to `last` have reached the file.
    func endSession(at last: Int64) async throws {
        try await pool.write { database in
            try database.execute(
                sql: "UPDATE session SET floor = ?, isClean = 1", arguments: [last])
        }
    }

    /// The largest number in the file, including pruned samples.
    private static func lastSequence(_ database: Database) throws -> Int64 {
        let sql = """
            SELECT max(coalesce((SELECT max(last) FROM fresh WHERE last <= ?1), 0),
                coalesce((SELECT max(lastArrival) FROM chunk WHERE lastArrival <= ?1), 0),
                coalesce((SELECT max(through) FROM purge WHERE through <= ?1), 0))
            """
        return try Int64.fetchOne(database, sql: sql, arguments: [greatestNumber]) ?? 0
    }
}
