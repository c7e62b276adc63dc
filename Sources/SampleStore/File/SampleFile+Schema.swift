import Foundation
import GRDB
import Samples

extension SampleFile {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("tail") { database in
            try database.execute(
                sql: """
                    CREATE TABLE sensor (
                        id INTEGER PRIMARY KEY,
                        name TEXT NOT NULL UNIQUE
                    ) STRICT;
                    CREATE TABLE layout (
                        id INTEGER PRIMARY KEY,
                        sensor INTEGER NOT NULL REFERENCES sensor(id),
                        fields TEXT NOT NULL,
                        UNIQUE (sensor, fields)
                    ) STRICT;
                    CREATE TABLE tail (
                        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                        sensor INTEGER NOT NULL,
                        layout INTEGER NOT NULL,
                        time INTEGER NOT NULL,
                        payload BLOB NOT NULL
                    ) STRICT;
                    CREATE INDEX tail_by_time ON tail (sensor, time);
                    CREATE TABLE collection (
                        sensor TEXT PRIMARY KEY,
                        level TEXT NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("session", migrate: Self.createSession)
        migrator.registerMigration("chunks", migrate: Self.createChunks)
        migrator.registerMigration("keys", migrate: Self.createKeys)
        migrator.registerMigration("retention", migrate: Self.createRetention)
        migrator.registerMigration("erasure", migrate: Self.createErasure)
        return migrator
    }

    /// Fresh samples, chunks and groups; moves what stood in rows of its own.
    private static func createChunks(_ database: Database) throws {
        try database.execute(
            sql: """
                DROP INDEX tail_by_time;
                ALTER TABLE tail RENAME TO row;
                CREATE TABLE fresh (
                    first INTEGER PRIMARY KEY,
                    last INTEGER NOT NULL,
                    layout INTEGER NOT NULL REFERENCES layout(id),
                    count INTEGER NOT NULL,
                    data BLOB NOT NULL
                ) STRICT;
                CREATE INDEX fresh_by_layout ON fresh (layout, last);
                CREATE TABLE chunk (
                    id INTEGER PRIMARY KEY,
                    layout INTEGER NOT NULL REFERENCES layout(id),
                    fromTime INTEGER NOT NULL,
                    fromSequence INTEGER NOT NULL,
                    toTime INTEGER NOT NULL,
                    toSequence INTEGER NOT NULL,
                    firstArrival INTEGER NOT NULL,
                    lastArrival INTEGER NOT NULL,
                    count INTEGER NOT NULL,
                    bytes INTEGER NOT NULL,
                    groupID INTEGER,
                    isDamaged INTEGER NOT NULL DEFAULT 0,
                    summary BLOB NOT NULL
                ) STRICT;
                CREATE INDEX chunk_by_time ON chunk (layout, fromTime, fromSequence);
                CREATE INDEX chunk_by_arrival ON chunk (layout, lastArrival);
                CREATE INDEX chunk_by_damage ON chunk (layout) WHERE isDamaged;
                CREATE INDEX chunk_by_group ON chunk (groupID) WHERE groupID IS NOT NULL;
                CREATE TABLE content (
                    chunk INTEGER PRIMARY KEY REFERENCES chunk(id) ON DELETE CASCADE,
                    data BLOB NOT NULL
                ) STRICT;
                CREATE TABLE chunkGroup (
                    id INTEGER PRIMARY KEY,
                    layout INTEGER NOT NULL REFERENCES layout(id),
                    fromTime INTEGER NOT NULL,
                    fromSequence INTEGER NOT NULL,
                    toTime INTEGER NOT NULL,
                    toSequence INTEGER NOT NULL,
                    count INTEGER NOT NULL,
                    summary BLOB NOT NULL
                ) STRICT;
                CREATE INDEX group_by_time ON chunkGroup (layout, fromTime, fromSequence);
                """)
        let last = try Int64.fetchOne(
            database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'tail' OR name = 'row'")
        try database.execute(
            sql: "UPDATE session SET floor = max(floor, ?)", arguments: [last ?? 0])
        try moveRows(database)
        try database.execute(sql: "DROP TABLE row")
    }

    /// Leaves a chunk without content in place of a sample that cannot be read, so that it is told of.
    private static func insertDamage(
        at time: Timestamp, _ sequence: Int64, _ layout: Layout, _ database: Database
    ) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO chunk (layout, fromTime, fromSequence, toTime, toSequence, firstArrival,
                    lastArrival, count, bytes, isDamaged, summary)
                VALUES (?1, ?2, ?3, ?2, ?3, ?3, ?3, 1, 0, 1, x'')
                """
        ).execute(arguments: [layout.id, time.microseconds, sequence])
    }

    /// Makes chunks of the samples of former versions, one layout after the other.
    private static func moveRows(_ database: Database) throws {
        let rows = try Row.fetchAll(database, sql: "SELECT id, fields FROM layout")
        for row in rows {
            let id: Int64 = try .stored(row, 0)
            let layout = try Layout(id: id, encoded: .stored(row, 1))
            let samples = try Row.fetchCursor(
                database,
                sql: """
                    SELECT sequence, time, payload FROM row WHERE layout = ?
                    ORDER BY time, sequence
                    """, arguments: [id])
            var batch = BatchBuilder(layout.fields)
            while let sample = try samples.next() {
                let sequence: Int64 = try .stored(sample, 0)
                let time = Timestamp(microseconds: try .stored(sample, 1))
                guard let values = RowPayload.decode(try .stored(sample, 2), layout.fields) else {
                    try insertDamage(at: time, sequence, layout, database)
                    continue
                }
                batch.append(
                    StoredSample(sequence: sequence, sample: Sample(time: time, values: values)))
                guard batch.count == ChunkRules.standard.chunkSize else { continue }
                try insertChunk(batch.take(), layout, database)
            }
            if batch.count > 0 { try insertChunk(batch.take(), layout, database) }
        }
    }
}
