import GRDB

extension SessionDatabase {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("sessions") { database in
            try database.execute(
                sql: """
                    CREATE TABLE session (
                        id TEXT PRIMARY KEY,
                        created INTEGER NOT NULL,
                        name TEXT NOT NULL,
                        description TEXT NOT NULL,
                        distance REAL
                    ) STRICT, WITHOUT ROWID;
                    CREATE UNIQUE INDEX session_by_age ON session (created, id);
                    CREATE TABLE session_sensor (
                        session TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
                        place INTEGER NOT NULL,
                        sensor TEXT NOT NULL,
                        PRIMARY KEY (session, place)
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE session_event (
                        session TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
                        number INTEGER NOT NULL,
                        step TEXT NOT NULL,
                        time INTEGER NOT NULL,
                        PRIMARY KEY (session, number)
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("imports") { database in
            try database.execute(
                sql: """
                    ALTER TABLE session ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE session ADD COLUMN warnings TEXT NOT NULL DEFAULT '';
                    CREATE TABLE session_point (
                        session TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
                        number INTEGER NOT NULL,
                        segment INTEGER NOT NULL,
                        time INTEGER NOT NULL,
                        latitude REAL NOT NULL CHECK (latitude BETWEEN -90 AND 90),
                        longitude REAL NOT NULL CHECK (longitude BETWEEN -180 AND 180),
                        altitude REAL,
                        accuracy REAL,
                        speed REAL,
                        heading REAL,
                        via INTEGER NOT NULL,
                        PRIMARY KEY (session, number)
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
        return migrator
    }
}
