import GRDB
import Samples
import Synchronization
import Testing

@testable import SampleStore

/// Sealing the rows of several sensors in one transaction.
struct JointSealingTests {
    private static let sensors: [SensorID] = ["a", "b", "c"]
    private let folder: TemporaryStore

    init() throws {
        folder = try TemporaryStore()
    }

    /// Counts the transactions that insert chunks.
    private final class ChunkCommits: TransactionObserver, Sendable {
        private let state = Mutex((isSealing: false, commits: 0))

        var count: Int { state.withLock { $0.commits } }

        func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
            if case .insert(tableName: "chunk") = kind { true } else { false }
        }

        func databaseDidChange(with event: DatabaseEvent) {
            state.withLock { $0.isSealing = true }
        }

        func databaseDidCommit(_ database: Database) {
            state.withLock { state in
                if state.isSealing { state.commits += 1 }
                state.isSealing = false
            }
        }

        func databaseDidRollback(_ database: Database) {
            state.withLock { $0.isSealing = false }
        }
    }

    private func open() async throws -> SampleStore {
        let store = try await SampleStore(
            path: folder.path, rules: ChunkRules(chunkSize: 100, unsealedRows: 1000))
        for sensor in Self.sensors {
            try await store.register(sensor, fields: TemporaryStore.fields)
        }
        return store
    }

    /// Appends samples at the times from a first one, and writes them as rows.
    private static func add(_ counts: [SensorID: Int], at start: Int64, to store: SampleStore)
        async throws
    {
        for (sensor, count) in counts.sorted(by: { $0.key < $1.key }) {
            let samples = (0..<Int64(count)).map { TemporaryStore.sample(start + $0, start + $0) }
            try await store.append(samples, to: sensor)
        }
        try await store.flush()
    }

    /// The number of samples in rows, by sensor.
    private static func unsealed(_ store: SampleStore) async throws -> [String: Int] {
        await store.maintenance.queueEnd?.value
        return try await store.file.pool.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT name, sum(count) FROM fresh JOIN layout ON layout.id = layout
                    JOIN sensor ON sensor.id = sensor GROUP BY name
                    """)
            return Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as String, $0[1] as Int) })
        }
    }

    @Test func `sensors that are due soon are sealed with one that is due`() async throws {
        let store = try await open()
        let commits = ChunkCommits()
        await store.file.pool.add(transactionObserver: commits)
        try await Self.add(["a": 60, "b": 50, "c": 5], at: 0, to: store)
        #expect(try await Self.unsealed(store) == ["a": 60, "b": 50, "c": 5])
        try await Self.add(["a": 40, "b": 25, "c": 5], at: 1000, to: store)
        #expect(try await Self.unsealed(store) == ["c": 10])
        #expect(commits.count == 1)
        for (sensor, count) in zip(Self.sensors, [100, 75, 10]) {
            let samples = try await store.samples(SampleQuery(sensor: sensor, limit: .max))
            #expect(samples.count == count)
        }
        try await store.close()
        #expect(try await SampleStore.faults(inFile: folder.path).isEmpty)
    }

    @Test func `a sensor that cannot be sealed does not keep the others from it`() async throws {
        let store = try await open()
        let layout = try #require(await store.layout(of: "b"))
        try await store.file.pool.write { database in
            try database.execute(
                sql: """
                    CREATE TRIGGER refuse BEFORE INSERT ON chunk WHEN new.layout = \(layout.id)
                    BEGIN SELECT raise(ABORT, 'refused'); END
                    """)
        }
        try await Self.add(["a": 100, "b": 100, "c": 80], at: 0, to: store)
        #expect(try await Self.unsealed(store) == ["b": 100])
        #expect(await store.status.failure != nil)
        for (sensor, count) in zip(Self.sensors, [100, 100, 80]) {
            let samples = try await store.samples(SampleQuery(sensor: sensor, limit: .max))
            #expect(samples.count == count)
        }
        try await store.file.pool.write { try $0.execute(sql: "DROP TRIGGER refuse") }
        try await Self.add(["b": 1], at: 1000, to: store)
        #expect(try await Self.unsealed(store).isEmpty)
        #expect(await store.status.failure == nil)
        try await store.close()
        #expect(try await SampleStore.faults(inFile: folder.path).isEmpty)
    }

    @Test func `sealing several sensors while their rows are extended loses nothing`() async throws
    {
        var rules = ChunkRules.standard
        rules.chunkSize = 64
        let store = try await SampleStore(path: folder.path, rules: rules)
        for sensor in Self.sensors {
            try await store.register(sensor, fields: TemporaryStore.fields)
        }
        for number in 0..<500 as Range<Int64> {
            for sensor in Self.sensors {
                try await store.append([TemporaryStore.sample(number, number)], to: sensor)
            }
            if number.isMultiple(of: 3) {
                try await store.flushToJournal()
            } else {
                try await store.flush()
            }
        }
        for sensor in Self.sensors {
            let samples = try await store.samples(SampleQuery(sensor: sensor, limit: .max))
            #expect(samples.map(\.time.microseconds) == Array(0..<500))
        }
        try await store.close()
        #expect(try await SampleStore.faults(inFile: folder.path).isEmpty)
    }
}
