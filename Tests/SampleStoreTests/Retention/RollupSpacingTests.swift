import Foundation
import GRDB
import Samples
import Statistics
import TestSupport
import Testing

@testable import SampleStore

/// Spacings of samples; of some only summaries are left.
struct RollupSpacingTests {
    private static let hour: Int64 = 3_600_000_000
    private static let rules = ChunkRules(chunkSize: 40, unsealedRows: 9, groupSize: 3, rewrites: 9)

    private let folder: TemporaryStore
    private let seed = UInt64.random(in: .min ... .max)

    init() throws {
        folder = try TemporaryStore()
    }

    private func open() async throws -> SampleStore {
        try await folder.open(rules: Self.rules)
    }

    /// Appends samples of a day, in order, with pauses.
    private func fill(_ store: SampleStore, _ random: inout SplitMix) async throws -> [Int64] {
        var times: [Int64] = []
        var clock: Int64 = 0
        while clock < 24 * Self.hour {
            var part: [(time: Int64, number: Int64)] = []
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                let isPause = Int.random(in: 0..<15, using: &random) == 0
                clock += .random(in: 0...(isPause ? Self.hour : Self.hour / 60), using: &random)
                part.append((clock, 1))
            }
            times += part.map(\.time)
            try await store.add(part)
            try await store.flush()
        }
        return times
    }

    private func window(
        _ store: SampleStore, _ range: TimeRange
    ) async throws -> WindowSummary {
        try await store.summaries(
            SummaryQuery(sensor: "probe", fields: TemporaryStore.fields, range: range))[0]
    }

    private static func hours(_ hours: Range<Int64>) -> TimeRange {
        TimeRange(
            from: Timestamp(microseconds: hours.lowerBound * hour),
            to: Timestamp(microseconds: hours.upperBound * hour))
    }

    @Test(arguments: 0..<4)
    func `observed time of whole hours is unchanged after pruning`(round: Int) async throws {
        var random = SplitMix(state: seed)
        var store = try await open()
        let times = try await fill(store, &random)
        try await store.maintenance.setRule(RetentionRule(raw: .zero), for: "probe")
        for hour in [5, 6, 13] as [Int64] {
            try await store.maintenance.run(at: Timestamp(microseconds: hour * Self.hour + 1))
            try await store.close()
            store = try await open()
            for _ in 0..<12 {
                let ends = (0..<2).map { _ in Int64.random(in: 0...25, using: &random) }.sorted()
                let range = Self.hours(ends[0]..<ends[1])
                let found = try await window(store, range)
                let inside = times.filter { range.contains(Timestamp(microseconds: $0)) }
                let moment = "seed \(seed), hours \(ends) after \(hour)"
                #expect(found.count == inside.count, "\(moment)")
                #expect(!found.hasUnknownTimes, "\(moment)")
                #expect(
                    found.spacing.map(PlainSpacing.init) == PlainSpacing(inside), "\(moment)")
            }
        }
        // A late sample between pruned ones of the same hour adds no observed time.
        let before = try await window(store, Self.hours(0..<13))
        let (earlier, _) = try #require(
            zip(times, times.dropFirst()).first {
                $1 - $0 > 1 && $0 / Self.hour == $1 / Self.hour
            })
        try await store.add([(earlier + 1, 1)])
        try await store.flush()
        let after = try await window(store, Self.hours(0..<13))
        #expect(after.count == before.count + 1 && after.spacing == before.spacing, "seed \(seed)")
        try await store.close()
    }

    @Test func `spacings missing from summaries of version 1 are read from samples`() async throws {
        var random = SplitMix(state: seed)
        var store = try await open()
        let times = try await fill(store, &random)
        try await store.close()
        try await makeFormer(["chunk", "chunkGroup"])
        store = try await open()
        let found = try await window(store, .all)
        #expect(!found.hasUnknownTimes)
        #expect(found.spacing.map(PlainSpacing.init) == PlainSpacing(times), "seed \(seed)")
        try await store.maintenance.setRule(RetentionRule(raw: .zero), for: "probe")
        try await store.maintenance.run(at: Timestamp(microseconds: 6 * Self.hour))
        try await store.close()
        // The spacings of these hours are lost.
        try await makeFormer(["rollup"])
        store = try await open()
        #expect(try await window(store, .all).hasUnknownTimes)
        let rest = try await window(store, Self.hours(6..<24))
        let inside = times.filter { (6 * Self.hour..<24 * Self.hour).contains($0) }
        #expect(!rest.hasUnknownTimes)
        #expect(rest.spacing.map(PlainSpacing.init) == PlainSpacing(inside), "seed \(seed)")
        try await store.close()
        #expect(try await SampleStore.faults(inFile: folder.path).isEmpty)
    }

    /// Writes summaries of version 1, which have no spacing.
    private func makeFormer(_ tables: [String]) async throws {
        let queue = try DatabaseQueue(path: folder.path)
        try await queue.write { database in
            for table in tables {
                let rows = try Row.fetchAll(
                    database, sql: "SELECT \(ChunkEntry.columns), summary FROM \(table)")
                #expect(!rows.isEmpty, "\(table)")
                for row in rows {
                    let entry = try ChunkEntry(row)
                    let bytes: Data = try .stored(row, 6)
                    let summary = try ChunkSummary(bytes, TemporaryStore.fields, entry)
                    var spacing = ByteWriter()
                    spacing.append(summary.spacing)
                    let rest = [UInt8](bytes.dropFirst(5 + spacing.count))
                    var former = ByteWriter()
                    former.append(UInt8(1))
                    former.append(rest.withUnsafeBytes(ChunkEncoder.checksum))
                    former.append(rest)
                    try database.execute(
                        sql: "UPDATE \(table) SET summary = ? WHERE id = ?",
                        arguments: [Data(former.bytes), entry.id])
                }
            }
        }
        try queue.close()
    }
}
