import Foundation
import GRDB
import Samples

/// The SQL schema of the sample file, which `docs/file-format.md` specifies.
enum SampleSchema {
    /// All migrations, in order.
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
        migrator.registerMigration("publishers", migrate: Self.addPublishers)
        // Earlier, the index also contained `last`, which changes when a row is extended.
        migrator.registerMigration("extended-rows") { database in
            try database.execute(
                sql: """
                    DROP INDEX IF EXISTS fresh_by_layout;
                    CREATE INDEX fresh_by_layout ON fresh (layout);
                    """)
        }
        migrator.registerMigration("journal") { database in
            try database.execute(
                sql: "CREATE TABLE journal (page INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT")
        }
        // A damaged row must not prevent a file from being opened.
        return migrator.disablingDeferredForeignKeyChecks()
    }

    /// Creates unsealed rows, chunks and groups, and converts the samples of the earlier table, which has one
    /// row for each sample.
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

    /// Inserts a chunk without content in place of an unreadable sample, so that the damage is
    /// reported.
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

    /// Converts the samples of former versions to chunks, layout by layout.
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
                try ChunkTable.insert(batch.take(), layout, database)
            }
            if batch.count > 0 { try ChunkTable.insert(batch.take(), layout, database) }
        }
    }

    /// Creates the state of the sequence numbers; see ``SequenceTable``.
    private static func createSession(_ database: Database) throws {
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

    /// Creates the idempotency keys of batches.
    private static func createKeys(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE batchKey (
                    client TEXT NOT NULL,
                    sensor INTEGER NOT NULL,
                    name TEXT NOT NULL,
                    digest BLOB NOT NULL,
                    accepted INTEGER NOT NULL,
                    last INTEGER NOT NULL,
                    noted INTEGER NOT NULL,
                    PRIMARY KEY (client, sensor, name)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX key_by_time ON batchKey (client, noted);
                """)
    }

    /// Creates hourly summaries, retention rules, the budget, and the space used by each layout.
    private static func createRetention(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE rollup (
                    id INTEGER PRIMARY KEY,
                    layout INTEGER NOT NULL REFERENCES layout(id),
                    hour INTEGER NOT NULL,
                    fromTime INTEGER NOT NULL,
                    fromSequence INTEGER NOT NULL,
                    toTime INTEGER NOT NULL,
                    toSequence INTEGER NOT NULL,
                    count INTEGER NOT NULL,
                    summary BLOB NOT NULL,
                    UNIQUE (layout, hour)
                ) STRICT;
                CREATE TABLE purge (
                    sensor INTEGER PRIMARY KEY REFERENCES sensor(id),
                    through INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE retention (
                    sensor TEXT PRIMARY KEY,
                    raw INTEGER,
                    bytes INTEGER,
                    summaries INTEGER
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE budget (
                    id INTEGER PRIMARY KEY CHECK (id = 1),
                    bytes INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE usage (
                    layout INTEGER PRIMARY KEY REFERENCES layout(id),
                    samples INTEGER NOT NULL DEFAULT 0,
                    bytes INTEGER NOT NULL DEFAULT 0,
                    summarised INTEGER NOT NULL DEFAULT 0,
                    summaries INTEGER NOT NULL DEFAULT 0,
                    summaryBytes INTEGER NOT NULL DEFAULT 0
                ) STRICT;
                INSERT INTO usage (layout) SELECT id FROM layout;
                UPDATE usage SET (samples, bytes) = (
                    SELECT coalesce(sum(count), 0), coalesce(sum(bytes + length(summary)), 0)
                    FROM chunk WHERE chunk.layout = usage.layout);
                CREATE TRIGGER usage_of_layout AFTER INSERT ON layout BEGIN
                    INSERT INTO usage (layout) VALUES (new.id);
                END;
                CREATE TRIGGER usage_of_chunk AFTER INSERT ON chunk BEGIN
                    UPDATE usage SET samples = samples + new.count,
                        bytes = bytes + new.bytes + length(new.summary)
                    WHERE layout = new.layout;
                END;
                CREATE TRIGGER usage_without_chunk AFTER DELETE ON chunk BEGIN
                    UPDATE usage SET samples = samples - old.count,
                        bytes = bytes - old.bytes - length(old.summary)
                    WHERE layout = old.layout;
                END;
                CREATE TRIGGER usage_of_rollup AFTER INSERT ON rollup BEGIN
                    UPDATE usage SET summarised = summarised + new.count,
                        summaries = summaries + 1, summaryBytes = summaryBytes + length(new.summary)
                    WHERE layout = new.layout;
                END;
                CREATE TRIGGER usage_without_rollup AFTER DELETE ON rollup BEGIN
                    UPDATE usage SET summarised = summarised - old.count,
                        summaries = summaries - 1, summaryBytes = summaryBytes - length(old.summary)
                    WHERE layout = old.layout;
                END;
                """)
    }

    /// Adds the client that publishes the samples of a layout.
    ///
    /// SQLite cannot change a constraint, so the table is created again. Tables that refer to it do so by name.
    private static func addPublishers(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE newLayout (
                    id INTEGER PRIMARY KEY,
                    sensor INTEGER NOT NULL REFERENCES sensor(id),
                    fields TEXT NOT NULL,
                    publisher TEXT NOT NULL DEFAULT '',
                    UNIQUE (sensor, fields, publisher)
                ) STRICT;
                INSERT INTO newLayout (id, sensor, fields) SELECT id, sensor, fields FROM layout;
                DROP TABLE layout;
                ALTER TABLE newLayout RENAME TO layout;
                CREATE TRIGGER usage_of_layout AFTER INSERT ON layout BEGIN
                    INSERT INTO usage (layout) VALUES (new.id);
                END;
                """)
    }

    /// Creates the flag that says whether the file may still contain traces of forgotten samples.
    private static func createErasure(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE erasure (
                    id INTEGER PRIMARY KEY CHECK (id = 1),
                    isDue INTEGER NOT NULL
                ) STRICT;
                INSERT INTO erasure VALUES (1, 0);
                """)
    }
}

/// The values of a sample in files of versions without chunks: 8 little-endian bytes for a number or an
/// integer, a `UInt32` length and UTF-8 for text.
private enum RowPayload {
    /// - Returns: `nil` when the bytes do not encode a sample with these fields.
    static func decode(_ bytes: Data, _ fields: [Field]) -> [Value]? {
        bytes.withUnsafeBytes { raw in
            var reader = ByteReader(raw)
            guard let values = try? fields.map({ try value($0.kind, &reader) }) else { return nil }
            return reader.rest.isEmpty ? values : nil
        }
    }

    private static func value(
        _ kind: Field.Kind, _ reader: inout ByteReader
    ) throws(ByteReader.Damage) -> Value {
        switch kind {
        case .number:
            let number = Double(bitPattern: try reader.integer())
            // The store has never accepted infinities or NaN.
            guard number.isFinite else { throw ByteReader.Damage() }
            return .number(number)
        case .integer:
            return .integer(try reader.integer())
        case .state, .text:
            let length = Int(try reader.integer(UInt32.self))
            guard let text = String(validating: try reader.bytes(length), as: UTF8.self) else {
                throw ByteReader.Damage()
            }
            return .text(text)
        }
    }
}
