import GRDB

extension SampleFile {
    /// Where the numbering of a new session begins.
    struct Numbering: Sendable {
        /// No sequence up to this one is given out again.
        var last: Int64
        /// Numbers up to `last` that no sample has.
        var skipped: Int64
    }

    /// Only damage makes a number larger: a million samples a second take 100 000 years.
    private static let greatestNumber: Int64 = 1 << 61

    /// Begins a session, and notes that it has not ended well yet.
    ///
    /// A session that died may have given out up to `reserve` numbers that never reached the file
    /// and that readers have seen: they are skipped.
    func begin(reserve: Int64) async throws -> Numbering {
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
            try await pool.write { try Self.note(numbering, $0) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            // What is in the file can be read on a full disk; the first write notes it.
        }
        return numbering
    }

    static func note(_ numbering: Numbering, _ database: Database) throws {
        try database.execute(
            sql: """
                UPDATE session SET floor = max(floor, ?1), skipped = ?2, isClean = 0
                WHERE isClean OR skipped <> ?2
                """, arguments: [numbering.last, numbering.skipped])
    }

    /// Notes that no number up to `last` is given out again, though samples are gone that had some.
    func raiseFloor(to last: Int64) async throws {
        try await pool.write { database in
            try database.execute(
                sql: "UPDATE session SET floor = max(floor, ?), isClean = 0", arguments: [last])
        }
    }

    /// Notes that every number up to `last` belongs to a sample in the file.
    func end(at last: Int64) async throws {
        try await pool.write { database in
            try database.execute(
                sql: "UPDATE session SET floor = ?, isClean = 1", arguments: [last])
        }
    }

    static func createSession(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE session (
                    id INTEGER PRIMARY KEY CHECK (id = 1),
                    floor INTEGER NOT NULL,
                    skipped INTEGER NOT NULL,
                    isClean INTEGER NOT NULL
                ) STRICT;
                INSERT INTO session VALUES (1, 0, 0, 1);
                """)
    }

    /// The largest sequence that the file has or had.
    private static func lastSequence(_ database: Database) throws -> Int64 {
        let sql = """
            SELECT max(coalesce((SELECT max(last) FROM fresh WHERE last <= ?1), 0),
                coalesce((SELECT max(lastArrival) FROM chunk WHERE lastArrival <= ?1), 0),
                coalesce((SELECT max(through) FROM purge WHERE through <= ?1), 0))
            """
        return try Int64.fetchOne(database, sql: sql, arguments: [greatestNumber]) ?? 0
    }
}
