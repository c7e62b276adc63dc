import GRDB
import Samples
import TestSupport
import Testing

@testable import SampleStore

/// Damaged rows in tables other than those of samples.
struct DamagedRowTests {
    private static let budget: Int64 = 4 << 20
    private static let fields = [Field("x"), Field("y")]
    private static let damages = [
        "layout SET fields = replace(fields, 'number', 'numbes')",
        "chunk SET count = 0", "chunk SET toTime = fromTime - 1",
        "chunk SET toTime = fromTime, toSequence = fromSequence - 1",
    ]
    private let folder: TemporaryStore

    init() throws {
        folder = try TemporaryStore()
    }

    private func open() async throws -> SampleStore {
        let store = try await SampleStore(
            path: folder.path, rules: ChunkRules(chunkSize: 4096, unsealedRows: 8),
            space: SpaceRules(reserve: 0))
        for sensor: SensorID in ["greedy", "other"] {
            try await store.register(sensor, fields: Self.fields)
        }
        return store
    }

    /// Writes chunks of incompressible numbers.
    private static func add(
        _ chunks: Int, to sensor: SensorID, of store: SampleStore, at time: inout Int64
    ) async throws {
        var random = SplitMix(state: 7)
        for _ in 0..<chunks {
            let times = (time..<time + 4096).map { Timestamp(microseconds: $0) }
            time += 4096
            let columns = (0..<2).map { _ in
                Column.numbers((0..<4096).map { _ in .random(in: 0...1, using: &random) })
            }
            try await store.append(SampleBatch(times: times, columns: columns), to: sensor)
            try await store.flush()
        }
    }

    /// Damages the row of `other`, or its first one.
    private func damage(_ change: String) throws {
        let queue = try DatabaseQueue(path: folder.path)
        try queue.write { database in
            let table = change.prefix { $0 != " " }
            let layout = """
                SELECT layout.id FROM layout JOIN sensor ON sensor.id = sensor WHERE name = 'other'
                """
            try database.execute(
                sql: """
                    UPDATE \(change) WHERE id = (SELECT min(id) FROM \(table)
                        WHERE \(table == "layout" ? "id" : "layout") IN (\(layout)))
                    """)
            #expect(database.changesCount == 1)
        }
        try queue.close()
    }

    @Test(arguments: damages)
    func `a damaged row does not prevent the rules and the budget of other sensors`(change: String)
        async throws
    {
        var time: Int64 = 0
        let first = try await open()
        try await first.maintenance.setBudget(Self.budget)
        try await Self.add(4, to: "other", of: first, at: &time)
        try await first.close()
        try damage(change)
        let store = try await open()
        try await Self.add(120, to: "greedy", of: store, at: &time)
        try? await store.maintenance.run(at: Timestamp(microseconds: time))
        #expect(await store.status.bytes <= Self.budget)
        _ = try await store.maintenance.report(at: Timestamp(microseconds: time))
        let isLayout = change.hasPrefix("layout")
        let left = try await store.samples(SampleQuery(sensor: "other", limit: .max)).count
        #expect(left == (isLayout ? 0 : 3 * 4096))
        #expect(await !store.damage(of: "other").isEmpty)
        // The damaged row is pruned, too, and the others are kept.
        let greedy = try await store.forget("greedy", .all, at: .now())
        #expect(greedy.samples > 0 && greedy.isErased)
        let other = try await store.forget("other", .all, at: .now())
        #expect(other.isErased)
        let rows = try await store.file.pool.read { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM chunk")
        }
        #expect(rows == 0)
        try await store.close()
    }

    @Test(arguments: [
        "INSERT INTO retention VALUES ('other', -9223372036854775807 - 1, -1, -5)",
        "UPDATE usage SET bytes = 9223372036854775807, summaryBytes = 1",
        "UPDATE usage SET samples = -9223372036854775807, summarised = 9223372036854775807",
    ])
    func `impossible rules and counts prune nothing`(change: String) async throws {
        var time: Int64 = 0
        let first = try await open()
        try await Self.add(4, to: "other", of: first, at: &time)
        try await first.close()
        let queue = try DatabaseQueue(path: folder.path)
        try await queue.write { try $0.execute(sql: change) }
        try queue.close()
        let store = try await open()
        try await store.maintenance.setRule(RetentionRule(bytes: 1 << 40), for: "greedy")
        try await store.maintenance.run(at: Timestamp(microseconds: time))
        let report = try await store.maintenance.report(at: Timestamp(microseconds: time))
        #expect(report.sensors.map(\.samples) == [0, 4 * 4096])
    }

    @Test func `a reader does not prevent closing the store`() async throws {
        var time: Int64 = 0
        let store = try await open()
        try await Self.add(1, to: "other", of: store, at: &time)
        let snapshot = try DatabasePool(path: folder.path).makeSnapshot()
        _ = try await snapshot.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM chunk") }
        try await Self.add(1, to: "other", of: store, at: &time)
        try await store.file.pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA busy_timeout = 1")
        }
        try await store.close()
        let next = try await open()
        #expect(try await next.samples(SampleQuery(sensor: "other", limit: .max)).count == 8192)
        withExtendedLifetime(snapshot) {}
    }

    @Test(arguments: damages.dropFirst())
    func `a damaged row of the largest sensor is pruned`(change: String) async throws {
        var time: Int64 = 0
        let first = try await open()
        try await Self.add(10, to: "other", of: first, at: &time)
        try await first.close()
        try damage(change)
        let store = try await open()
        try await store.maintenance.setBudget(Self.budget)
        try await Self.add(120, to: "other", of: store, at: &time)
        try await store.maintenance.run(at: Timestamp(microseconds: time))
        #expect(await store.status.bytes <= Self.budget)
        #expect(await store.status.failure == nil)
        try await store.close()
        #expect(try await SampleStore.faults(inFile: folder.path).isEmpty)
    }
}
