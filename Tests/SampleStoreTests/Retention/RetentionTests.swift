import Foundation
import GRDB
import Samples
import Statistics
import Testing

@testable import SampleStore

struct RetentionTests {
    private static let hour: Int64 = 3_600_000_000
    private let folder: TemporaryStore

    init() throws {
        folder = try TemporaryStore()
    }

    private func open(
        chunkSize: Int = 4, _ sensors: [SensorID] = ["probe"], space: SpaceRules = .standard
    ) async throws -> SampleStore {
        let rules = ChunkRules(chunkSize: chunkSize, unsealedRows: 512, groupSize: 3, rewrites: 2)
        let store = try await SampleStore(path: folder.path, rules: rules, space: space)
        for sensor in sensors {
            try await store.register(sensor, fields: TemporaryStore.fields)
        }
        return store
    }

    private static func hours(_ count: Double) -> Timestamp {
        Timestamp(microseconds: Int64(count * Double(hour)))
    }

    /// A rule, the hours whose samples are left, and the hours whose summaries are left.
    struct Case: Sendable {
        let rule: RetentionRule
        let samples: [Int64]
        let summaries: [Int64]
    }

    @Test(arguments: [
        Case(rule: .standard, samples: Array(0...20), summaries: []),
        Case(
            rule: RetentionRule(raw: .seconds(3600 * 5)), samples: Array(15...20),
            summaries: Array(0...14)),
        // The hour that contains the limit is kept completely.
        Case(
            rule: RetentionRule(raw: .seconds(3600 * 5 + 1)), samples: Array(14...20),
            summaries: Array(0...13)),
        Case(
            rule: RetentionRule(raw: .seconds(3600 * 5), summaries: .seconds(3600 * 8)),
            samples: Array(15...20), summaries: Array(12...14)),
        Case(
            rule: RetentionRule(raw: .seconds(3600 * 5), summaries: .zero),
            samples: Array(15...20), summaries: []),
        Case(rule: RetentionRule(raw: .zero), samples: [20], summaries: Array(0...19)),
        // The newest chunk is kept, whatever its size.
        Case(rule: RetentionRule(bytes: 0), samples: [20], summaries: Array(0...19)),
    ])
    func `rules prune samples first and summaries later`(_ example: Case) async throws {
        let store = try await open()
        try await store.maintenance.setRule(example.rule, for: "probe")
        try await store.add((0...20).map { ($0 * Self.hour, $0) })
        try await store.flush()
        try await store.maintenance.sealAll(#require(await store.layout(of: "probe")))
        try await store.maintenance.run(at: Self.hours(20))
        #expect(try await store.all().map { $0.time.microseconds / Self.hour } == example.samples)
        #expect(try await store.hoursWithSummary() == example.summaries)
        #expect(await store.newest(of: "probe")?.values == [.integer(20)])
        let gone = 21 - example.samples.count
        #expect(await store.prunedThrough("probe") == Int64(gone))
    }

    @Test func `a rule for a kind applies to its instances, and the most specific rule wins`()
        async throws
    {
        var store = try await open()
        let (kind, one) = (RetentionRule(raw: .seconds(1)), RetentionRule(bytes: 7))
        try await store.maintenance.setRule(RetentionRule(summaries: .seconds(9)), for: nil)
        try await store.maintenance.setRule(kind, for: "net")
        try await store.maintenance.setRule(one, for: "net.eth0")
        try await store.maintenance.setBudget(5 << 20)
        try await store.close()
        store = try await open()
        let rules = await store.maintenance.retentionRules
        #expect(rules.rule(for: "net.eth0") == one)
        #expect(rules.rule(for: "net.eth1") == kind)
        #expect(rules.rule(for: "cpu") == RetentionRule(summaries: .seconds(9)))
        #expect(try await store.maintenance.report(at: Self.hours(0)).budget == 5 << 20)
        try await store.maintenance.setRule(nil, for: "net.eth0")
        #expect(await store.maintenance.retentionRules.rule(for: "net.eth0") == kind)
    }

    @Test func `sequence numbers of pruned samples are not reused`() async throws {
        for round in 0..<3 as Range<Int64> {
            // The store is not closed, as after a crash.
            let store = try await open()
            let before = await store.lastSequence
            try await store.maintenance.setRule(RetentionRule(raw: .zero), for: "probe")
            // The last accepted sample is the oldest and is pruned at once.
            let newest = (100 - round) * Self.hour
            try await store.add([(newest + 1, 0), (round, 1), (round, 2)])
            try await store.flush()
            try await store.maintenance.run(at: Self.hours(200))
            #expect(await store.prunedThrough("probe") == before + 3)
            #expect(try await open().lastSequence >= before + 3)
        }
    }

    @Test func `a window reports summaries and missing samples`()
        async throws
    {
        let store = try await open()
        try await store.maintenance.setRule(RetentionRule(raw: .seconds(3600 * 2)), for: "probe")
        try await store.add((0..<40).map { ($0 * Self.hour / 8, $0) })
        try await store.flush()
        try await store.maintenance.run(at: Self.hours(5))
        // Samples from hour 3 on; summaries of the hours 0, 1 and 2.
        func windows(_ from: Double, _ to: Double, _ step: Double) async throws -> [WindowSummary] {
            try await store.summaries(
                SummaryQuery(
                    sensor: "probe", fields: TemporaryStore.fields,
                    range: TimeRange(from: Self.hours(from), to: Self.hours(to)),
                    step: Int64(step * Double(Self.hour))))
        }
        let whole = try await windows(0, 5, 1)
        #expect(whole.map(\.count) == [8, 8, 8, 8, 8])
        #expect(whole.map(\.isFromSummaries) == [true, true, true, false, false])
        #expect(whole.allSatisfy { !$0.isPartial })
        let halves = try await windows(2, 4, 0.5)
        #expect(halves.map(\.count) == [0, 0, 4, 4])
        #expect(halves.map(\.isPartial) == [true, true, false, false])
        #expect(halves.allSatisfy { !$0.isFromSummaries })
        let cut = try await windows(0.5, 3.5, 3)
        #expect(cut.map(\.count) == [8 + 8 + 4])
        #expect(cut.map(\.isFromSummaries) == [true])
        #expect(cut.map(\.isPartial) == [true])
    }
}

extension SampleStore {
    /// The hours of `probe` that have a summary.
    func hoursWithSummary() async throws -> [Int64] {
        try await file.pool.read { database in
            try Row.fetchAll(
                database, sql: "SELECT hour FROM rollup ORDER BY hour"
            ).map { try .stored($0, 0) }
        }
    }
}
