import Foundation
import GRDB
import Samples
import Testing

@testable import SampleStore

/// Files of the version that stored each sample in its own row.
struct MigrationTests {
    static let fields = [
        Field("n", unit: "By", kind: .integer), Field("x", unit: "Cel"),
        Field("note", kind: .text),
    ]
    private static let schema = """
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES ('tail'), ('session');
        CREATE TABLE sensor (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
        CREATE TABLE layout (
            id INTEGER PRIMARY KEY, sensor INTEGER NOT NULL REFERENCES sensor(id),
            fields TEXT NOT NULL, UNIQUE (sensor, fields)
        ) STRICT;
        CREATE TABLE tail (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT, sensor INTEGER NOT NULL,
            layout INTEGER NOT NULL, time INTEGER NOT NULL, payload BLOB NOT NULL
        ) STRICT;
        CREATE INDEX tail_by_time ON tail (sensor, time);
        CREATE TABLE collection (sensor TEXT PRIMARY KEY, level TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE session (
            id INTEGER PRIMARY KEY CHECK (id = 1), floor INTEGER NOT NULL,
            skipped INTEGER NOT NULL, isClean INTEGER NOT NULL
        ) STRICT;
        INSERT INTO sensor VALUES (1, 'probe'), (2, 'other');
        INSERT INTO layout VALUES
            (1, 1, '[["n","integer","By"],["x","number","Cel"],["note","text",""]]'),
            (2, 2, '[["y","number","1"]]'), (3, 1, '[["former","number","1"]]');
        INSERT INTO collection VALUES ('probe', 'high'), ('other', 'off');
        """

    /// Writes such a file, and returns its samples by sensor.
    static func makeFile(at path: String, count: Int64) throws -> [SensorID: [StoredSample]] {
        let queue = try DatabaseQueue(path: path)
        var model: [SensorID: [StoredSample]] = ["probe": [], "other": []]
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL; " + schema)
            try database.inTransaction {
                for number in 1...count {
                    // Sequence numbers 11, 22 … are missing; the clock is sometimes set back.
                    guard number % 11 != 0 else { continue }
                    let time = number % 17 == 0 ? number - 40 : number / 2
                    let (layout, values): (Int64, [Value]) =
                        switch number % 5 {
                        case 0: (2, [.number(-Double(number) / 7)])
                        case 1 where number % 3 == 0: (3, [.number(Double(number))])
                        default:
                            (1, [.integer(-number), .number(-0.0), .text("é \(number)")])
                        }
                    try database.execute(
                        sql: """
                            INSERT INTO tail (sequence, sensor, layout, time, payload)
                            VALUES (?, ?, ?, ?, ?)
                            """,
                        arguments: [number, layout == 2 ? 2 : 1, layout, time, payload(values)])
                    guard layout < 3 else { continue }
                    let sample = Sample(time: Timestamp(microseconds: time), values: values)
                    model[layout == 2 ? "other" : "probe"]?.append(
                        StoredSample(sequence: number, sample: sample))
                }
                // The last sample was deleted, and its sequence number must not be reused.
                try database.execute(
                    sql: """
                        INSERT INTO tail VALUES (\(count + 5), 1, 1, 1, x'');
                        DELETE FROM tail WHERE sequence = \(count + 5);
                        INSERT INTO session VALUES (1, 3, 7, 1);
                        """)
                return .commit
            }
        }
        try queue.close()
        return model.mapValues { $0.sorted { ($0.time, $0.sequence) < ($1.time, $1.sequence) } }
    }

    /// Checks that samples, sequence numbers and settings are unchanged.
    static func check(
        _ path: String, _ model: [SensorID: [StoredSample]], count: Int64
    ) async throws {
        let store = try await SampleStore(path: path)
        try await store.register("probe", fields: fields)
        try await store.register("other", fields: [Field("y", unit: "1")])
        for (sensor, samples) in model {
            let found = try await store.samples(SampleQuery(sensor: sensor, limit: .max))
            #expect(found == samples)
            for case .number(let number) in found.flatMap(\.values) where number == 0 {
                #expect(number.sign == .minus)
            }
        }
        #expect(try await store.keptLevels() == ["probe": "high", "other": "off"])
        #expect(await store.lastSequence == count + 5)
        #expect(await store.status.accepted == count + 5 - 7)
        let next = try await store.append(
            [Sample(time: Timestamp(microseconds: 1), values: [.number(1)])], to: "other")
        #expect(next == count + 6)
        try await store.close()
        #expect(try await SampleStore.faults(inFile: path).isEmpty)
    }

    private static func payload(_ values: [Value]) -> Data {
        var writer = ByteWriter()
        for value in values {
            switch value {
            case .number(let number): writer.append(number.bitPattern)
            case .integer(let integer): writer.append(integer)
            case .text(let text):
                writer.append(UInt32(text.utf8.count))
                writer.append(Array(text.utf8))
            }
        }
        return Data(writer.bytes)
    }

    // MARK: - Tests

    @Test(arguments: [1, 10, 3000])
    func `a file with one row per sample is migrated with every sample, number and setting`(
        count: Int64
    ) async throws {
        let folder = try TemporaryStore()
        let model = try Self.makeFile(at: folder.path, count: count)
        try await Self.check(folder.path, model, count: count)
        let tables = try await DatabaseQueue(path: folder.path).read { database in
            try String.fetchSet(
                database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        #expect(tables.isDisjoint(with: ["tail", "row"]))
        #expect(tables.isSuperset(of: ["fresh", "chunk", "content", "chunkGroup"]))
    }

    @Test func `unreadable rows are reported permanently after the migration`() async throws {
        let folder = try TemporaryStore()
        let model = try Self.makeFile(at: folder.path, count: 500)
        let lost = try #require(model["probe"]?[200])
        let queue = try DatabaseQueue(path: folder.path)
        try await queue.write { database in
            try database.execute(
                sql: "UPDATE tail SET payload = x'0102' WHERE sequence = ?",
                arguments: [lost.sequence])
        }
        try queue.close()
        for _ in 0..<2 {
            let store = try await SampleStore(path: folder.path)
            try await store.register("probe", fields: Self.fields)
            let found = try await store.samples(SampleQuery(sensor: "probe", limit: .max))
            #expect(found == model["probe"]?.filter { $0 != lost })
            #expect(
                await store.damage(of: "probe") == [TimeRange(from: lost.time, through: lost.time)])
            try await store.close()
        }
        #expect(try await !SampleStore.faults(inFile: folder.path).isEmpty)
    }

    @Test func `a failed migration leaves the file unchanged`() async throws {
        let folder = try TemporaryStore()
        _ = try Self.makeFile(at: folder.path, count: 500)
        let queue = try DatabaseQueue(path: folder.path)
        // After other layouts were converted, in the middle of the migration.
        try await queue.write { try $0.execute(sql: "UPDATE layout SET fields = 'x' WHERE id = 3") }
        await #expect(throws: SampleStoreError.self) { try await SampleStore(path: folder.path) }
        let (rows, tables) = try await queue.read { database in
            (
                try Int.fetchOne(database, sql: "SELECT count(*) FROM tail"),
                try String.fetchSet(database, sql: "SELECT name FROM sqlite_master")
            )
        }
        #expect(rows == 455)
        #expect(tables.isDisjoint(with: ["fresh", "chunk", "content", "chunkGroup", "row"]))
    }
}
