import GRDB

extension SampleFile {
    /// Takes out some of what a layout has whose fields are damaged: nobody can read it, nor tell what
    /// it holds.
    ///
    /// Nothing else may change chunks meanwhile.
    /// - Returns: how many rows that were; 0 when nothing is left.
    func purge(unreadable layout: Int64, isForgotten: Bool = false) async throws -> Int {
        try await pool.write { database in
            var count = 0
            let chunks = try Int64.fetchAll(
                database, sql: "SELECT id FROM chunk WHERE layout = ? LIMIT 16",
                arguments: [layout])
            for chunk in chunks { try Self.removeChunk(chunk, database) }
            count += chunks.count
            for (table, id) in [("fresh", "first"), ("rollup", "id"), ("chunkGroup", "id")] {
                try database.execute(
                    sql: """
                        DELETE FROM \(table) WHERE \(id) IN (
                            SELECT \(id) FROM \(table) WHERE layout = ? LIMIT 64)
                        """, arguments: [layout])
                count += database.changesCount
            }
            if count > 0, isForgotten { try Self.noteErasure(database) }
            if count == 0 || !chunks.isEmpty { try Self.recount(layout, database) }
            return count
        }
    }

    /// Counts anew what layouts take of which damage says that it is impossible.
    func recount() async throws {
        let limits = "BETWEEN 0 AND 1 << 50"
        let layouts = try await pool.read { database in
            try Int64.fetchAll(
                database,
                sql: """
                    SELECT layout FROM usage WHERE NOT (samples \(limits) AND bytes \(limits)
                    AND summarised \(limits) AND summaries \(limits) AND summaryBytes \(limits))
                    """)
        }
        guard !layouts.isEmpty else { return }
        try await pool.write { database in
            for layout in layouts { try Self.recount(layout, database) }
        }
    }

    /// Counts anew what a layout takes, where a damaged row was counted out.
    static func recount(_ layout: Int64, _ database: Database) throws {
        try database.execute(
            sql: """
                UPDATE usage SET (samples, bytes) = (
                    SELECT coalesce(sum(count), 0), coalesce(sum(bytes + length(summary)), 0)
                    FROM chunk WHERE chunk.layout = usage.layout),
                    (summarised, summaries, summaryBytes) = (
                    SELECT coalesce(sum(count), 0), count(*), coalesce(sum(length(summary)), 0)
                    FROM rollup WHERE rollup.layout = usage.layout)
                WHERE layout = ?
                """, arguments: [layout])
    }
}
