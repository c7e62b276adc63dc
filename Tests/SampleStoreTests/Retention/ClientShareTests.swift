import Foundation
import GRDB
import Samples
import Statistics
import TestSupport
import Testing

@testable import SampleStore

/// Samples that a client publishes beyond its share of the budget displace only its own.
struct ClientShareTests {
    private static let fields = [Field("x"), Field("y")]
    private static let sensors: [SensorID] = ["collected", "shared", "flood"]
    private let folder: TemporaryStore

    init() throws {
        folder = try TemporaryStore()
    }

    private func open(
        budget: Int64, fields: [Field] = Self.fields, rules: ChunkRules
    ) async throws -> SampleStore {
        let store = try await SampleStore(
            path: folder.path, rules: rules, space: SpaceRules(reserve: 0))
        for sensor in Self.sensors { try await store.register(sensor, fields: fields) }
        try await store.maintenance.setBudget(budget)
        return store
    }

    /// Incompressible numbers in `y`, and `mark` in `x`.
    private static func batch(
        _ count: Int, mark: Double, at time: inout Int64, _ random: inout SplitMix
    ) -> SampleBatch {
        let times = (0..<count).map { Timestamp(microseconds: time + Int64($0) * 1000) }
        time += Int64(count) * 1000
        return SampleBatch(
            times: times,
            columns: [
                .numbers((0..<count).map { _ in mark }),
                .numbers((0..<count).map { _ in .random(in: 0...1, using: &random) }),
            ])
    }

    /// How many samples with a mark are stored, in all sensors.
    private static func count(_ mark: Double, in store: SampleStore) async throws -> Int {
        var count = 0
        for sensor in sensors {
            let batch = try await store.batch(SampleQuery(sensor: sensor, limit: .max))
            guard case .numbers(let marks) = batch.samples.columns[0] else { continue }
            count += marks.count { $0 == mark }
        }
        return count
    }

    @Test(arguments: 0..<3)
    func `a client within its share keeps all samples, whatever others publish`(
        round: Int
    ) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let budget: Int64 = 6 << 20
        let rules = ChunkRules(chunkSize: 4096, unsealedRows: 64)
        var store = try await open(budget: budget, rules: rules)
        // The owner's samples are at most a half of the budget, a client's at most a quarter.
        let limits = [0: 150_000, 1: 60_000, 2: 60_000, 3: Int.max]
        var sent = [0: 0, 1: 0, 2: 0, 3: 0]
        var time: Int64 = 0
        let restart = Int.random(in: 100..<500, using: &random)
        for step in 0..<600 {
            if step == restart {
                try await store.close()
                store = try await open(budget: budget, rules: rules)
            }
            let party = [0, 1, 2, 3, 3, 3].randomElement(using: &random) ?? 3
            let most = party == 3 ? 6000 : 600
            let count = Int.random(in: 1...most, using: &random)
            guard let before = sent[party], before + count <= limits[party] ?? 0 else { continue }
            let sensor = Self.sensors[Int.random(in: party == 3 ? 1...2 : 0...1, using: &random)]
            let client = party == 0 ? nil : "client \(party)"
            let batch = Self.batch(count, mark: Double(party), at: &time, &random)
            let last = try await store.publish(batch, to: sensor, by: client)
            try #require(last != nil)
            sent[party] = before + count
            try await store.flush()
        }
        let now = Timestamp(microseconds: time)
        try await store.maintenance.run(at: now)
        let report = try await store.maintenance.report(at: now)
        #expect(report.bytes <= budget, "seed \(seed)")
        for party in 0..<3 {
            let count = try await Self.count(Double(party), in: store)
            #expect(count == sent[party], "seed \(seed): party \(party)")
        }
        let flood = try await Self.count(3, in: store)
        #expect(flood > 0 && flood < sent[3] ?? 0, "seed \(seed): \(flood) of \(sent)")
        #expect(report.clients.map(\.client) == ["client 1", "client 2", "client 3"])
        try await store.close()
        #expect(try await SampleStore.faults(inFile: folder.path).isEmpty, "seed \(seed)")
    }

    @Test(arguments: [false, true])
    func `a client that only keeps its samples loses none to one that floods`(
        isRestarted: Bool
    ) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let fields = [Field("text", kind: .text)]
        let budget: Int64 = 8 << 20
        var store = try await open(budget: budget, fields: fields, rules: .standard)
        var time: Int64 = 0
        func publish(_ count: Int, to sensor: SensorID, by client: String) async throws {
            for _ in 0..<count / 100 {
                let texts = (0..<100).map { _ in
                    let letters = (0..<1500).map { _ in UInt8.random(in: 32..<127, using: &random) }
                    return String(decoding: letters, as: UTF8.self)
                }
                let times = (0..<100).map { Timestamp(microseconds: time + Int64($0)) }
                time += 100
                let batch = SampleBatch(times: times, columns: [.texts(texts)])
                _ = try await store.publish(batch, to: sensor, by: client)
                try await store.flush()
            }
        }
        // Each uses more than a quarter of the budget, and the victim more than the other.
        try await publish(3200, to: "shared", by: "victim")
        if isRestarted {
            try await store.close()
            store = try await open(budget: budget, fields: fields, rules: .standard)
        }
        try await publish(6000, to: "flood", by: "flooder")
        try await store.maintenance.run(at: Timestamp(microseconds: time))
        let kept = try await store.samples(SampleQuery(sensor: "shared", limit: .max))
        #expect(kept.count == 3200, "seed \(seed)")
        let newest = try await store.samples(
            SampleQuery(sensor: "flood", order: .descending, limit: 1))
        #expect(newest.map(\.time) == [Timestamp(microseconds: time - 1)], "seed \(seed)")
        let report = try await store.maintenance.report(at: Timestamp(microseconds: time))
        #expect(report.bytes <= budget, "seed \(seed)")
    }

    // MARK: - The rule

    private static func usage(
        _ publisher: String, _ row: Int64, _ bytes: Int64, last: Int64 = 0
    ) -> PublisherUsage {
        var sensor = StoredSensor(row: row, sensor: "probe")
        sensor.layouts = [Layout(id: row, fields: [])]
        sensor.usage.bytes = bytes
        return PublisherUsage(publisher: publisher, sensor: sensor, lastArrival: last)
    }

    /// Of a store that may use 100 bytes: usages, what was written last, and who is pruned first.
    @Test(
        arguments: [
            // Only the host: the largest sensor.
            ([("", 60, 0), ("", 70, 0)], [:], [1, 0]),
            // A client within its share comes after the host, though it has more.
            ([("", 10, 0), ("a", 25, 0)], [:], [0, 1]),
            ([("", 90, 0), ("a", 26, 0)], [:], [1, 0]),
            // The sensors of a client count together.
            ([("a", 13, 0), ("", 80, 0), ("a", 14, 0)], [:], [2, 0, 1]),
            // With three clients, a share is a sixth.
            ([("a", 17, 0), ("b", 16, 0), ("c", 16, 0), ("", 20, 0)], [:], [0, 3, 1, 2]),
            // Of two beyond their shares, the one that wrote more, or else last.
            ([("a", 60, 5), ("b", 30, 9), ("", 10, 0)], [0: 2, 1: 1], [0, 1, 2]),
            ([("a", 60, 5), ("b", 30, 9), ("", 10, 0)], [0: 1, 1: 2], [1, 0, 2]),
            ([("a", 60, 5), ("b", 30, 9), ("", 10, 0)], [:], [1, 0, 2]),
            ([("a", 60, 9), ("b", 30, 5), ("", 10, 0)], [:], [0, 1, 2]),
        ] as [([(String, Int64, Int64)], [Int64: Int], [Int64])])
    func `the order of pruning is that of the shares`(
        usages: [(String, Int64, Int64)], written: [Int64: Int], order: [Int64]
    ) {
        var shares = ClientShares()
        shares.add(
            written.mapValues { UnsealedSize(rows: 1, samples: 1, bytes: $0, decoded: $0) },
            limit: 100)
        let all = usages.enumerated().map { row, usage in
            Self.usage(usage.0, Int64(row), usage.1, last: usage.2)
        }
        #expect(shares.order(all, limit: 100).map(\.usage.sensor.row) == order)
    }

    @Test(arguments: 1...40)
    func `all shares together are at most a half`(clients: Int) {
        let share = ClientShares.share(of: 1000, clients: clients)
        #expect(share > 0 && share * Int64(clients) <= 500)
    }

    // MARK: - Reading

    @Test(arguments: 0..<3)
    func `samples of several clients are read as those of one sensor`(round: Int) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let fields = TemporaryStore.fields
        let rules = ChunkRules(chunkSize: 32, unsealedRows: 4)
        var store = try await folder.open(rules: rules)
        var model: [StoredSample] = []
        for step in 0..<80 {
            if step == 40 {
                try await store.close()
                store = try await folder.open(rules: rules)
            }
            let samples = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                TemporaryStore.sample(
                    Int64.random(in: 0..<10_000, using: &random), Int64(model.count))
            }
            let batch = try #require(SampleBatch(samples, of: fields))
            let client = [nil, "one", "two"].randomElement(using: &random) ?? nil
            let last = try #require(
                try await store.publish(batch, to: TemporaryStore.sensor, by: client))
            for (place, sample) in samples.enumerated() {
                let sequence = last - Int64(samples.count - 1 - place)
                model.append(StoredSample(sequence: sequence, sample: sample))
            }
            if Bool.random(using: &random) { try await store.flush() }
        }
        let ordered = model.sorted { ($0.time, $0.sequence) < ($1.time, $1.sequence) }
        #expect(try await store.all() == ordered, "seed \(seed)")
        #expect(try await store.all(.descending) == ordered.reversed(), "seed \(seed)")
        let arrivals = try await store.arrivals(
            of: TemporaryStore.sensor, after: 0, limit: .max / 2)
        #expect(arrivals == model.sorted { $0.sequence < $1.sequence }, "seed \(seed)")
        #expect(await store.newest(of: TemporaryStore.sensor) == ordered.last, "seed \(seed)")
        let range = TimeRange(
            from: Timestamp(microseconds: 2000), to: Timestamp(microseconds: 7000))
        let windows = try await store.summaries(
            SummaryQuery(
                sensor: TemporaryStore.sensor, fields: fields, range: range, step: 1_000_000))
        #expect(
            windows.map(\.count).reduce(0, +) == ordered.count { range.contains($0.time) },
            "seed \(seed)")
        _ = try await store.forget(TemporaryStore.sensor, .all, at: .now())
        #expect(try await store.all().isEmpty, "seed \(seed)")
        try await store.close()
    }
}
