import GRDB
import Samples
import Statistics
import Testing

@testable import SampleStore

struct DamagedRollupTests {
    private static let hour: Int64 = 3_600_000_000
    private static let fields = [Field("x")]

    private static func add(_ minutes: Range<Int64>, to store: SampleStore) async throws {
        let batch = SampleBatch(
            times: minutes.map { Timestamp(microseconds: $0 * hour / 60) },
            columns: [.numbers(minutes.map(Double.init))])
        try await store.append(batch, to: "probe")
        try await store.flush()
    }

    @Test(arguments: [
        "summary = CAST(substr(summary, 1, 30) || x'AA55' || substr(summary, 33) AS BLOB)"
    ])
    func `an hour with a damaged summary is reported as partial`(change: String) async throws {
        let folder = try TemporaryStore()
        let rules = ChunkRules(chunkSize: 24, unsealedRows: 4)
        let store = try await folder.open(Self.fields, rules: rules)
        try await Self.add(0..<240, to: store)
        try await store.maintenance.setRule(RetentionRule(raw: .seconds(3600)), for: nil)
        try await store.maintenance.run(at: Timestamp(microseconds: 4 * Self.hour))
        try await store.file.pool.write { database in
            try database.execute(sql: "UPDATE rollup SET \(change) WHERE hour = 1")
            #expect(database.changesCount == 1)
        }
        let query = SummaryQuery(sensor: "probe", fields: Self.fields, range: .all)
        for isLater in [false, true] {
            if isLater {
                // A late sample of that hour is pruned, too.
                try await Self.add(61..<62, to: store)
                try await store.maintenance.run(at: Timestamp(microseconds: 5 * Self.hour))
            }
            let window = try await store.summaries(query)[0]
            #expect(window.count == 180)
            #expect(window.isPartial)
        }
        try await store.close()
        let faults = try await SampleStore.faults(inFile: folder.path)
        #expect(faults == ["probe: the summary of the hour 1 is damaged."])
    }
}
