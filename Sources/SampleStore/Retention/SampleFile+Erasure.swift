import GRDB

extension SampleFile {
    /// Whether something was forgotten of which the file may still have traces.
    static func createErasure(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE erasure (
                    id INTEGER PRIMARY KEY CHECK (id = 1),
                    isDue INTEGER NOT NULL
                ) STRICT;
                INSERT INTO erasure VALUES (1, 0);
                """)
    }

    /// Notes in the transaction that removes something that its traces have to go, too.
    static func noteErasure(_ database: Database) throws {
        try database.execute(sql: "UPDATE erasure SET isDue = 1 WHERE NOT isDue")
    }

    /// Notes that no traces are left.
    func noteErased() async throws {
        try await pool.write { database in
            try database.execute(sql: "UPDATE erasure SET isDue = 0")
        }
    }

    func isErasureDue() async throws -> Bool {
        try await pool.read { database in
            try Bool.fetchOne(database, sql: "SELECT isDue FROM erasure") ?? false
        }
    }
}
