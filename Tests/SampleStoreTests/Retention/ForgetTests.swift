import Foundation
import GRDB
import Samples
import Statistics
import TestSupport
import Testing

@testable import SampleStore

struct ForgetTests {
    private static let hour: Int64 = 3_600_000_000
    private static let fields = [Field("x"), Field("note", kind: .text)]
    private let folder: TemporaryStore

    init() throws {
        folder = try TemporaryStore()
    }

    private func open() async throws -> SampleStore {
        let rules = ChunkRules(chunkSize: 24, unsealedRows: 12, groupSize: 3, rewrites: 4)
        let store = try await SampleStore(path: folder.path, rules: rules)
        for sensor: SensorID in ["probe", "other"] {
            try await store.register(sensor, fields: Self.fields)
        }
        return store
    }

    private static func sample(_ time: Int64, _ number: Double, _ note: String) -> Sample {
        Sample(
            time: Timestamp(microseconds: time), values: [.number(number), .text(note)])
    }

    /// The bytes of all files of the store.
    private func bytes() throws -> Data {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.folder.path())
        return try names.reduce(into: Data()) { all, name in
            all += try Data(contentsOf: folder.folder.appending(path: name))
        }
    }

    private static func bytes(of number: Double) -> Data {
        withUnsafeBytes(of: number.bitPattern.littleEndian) { Data($0) }
    }

    @Test(arguments: [false, true])
    func `forgotten samples are erased from all files`(isOfFormerVersion: Bool) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        if isOfFormerVersion {
            // Such a file keeps its free pages.
            let queue = try DatabaseQueue(path: folder.path)
            try await queue.write { try $0.execute(sql: "CREATE TABLE old (x)") }
            try queue.close()
        }
        let store = try await open()
        var secrets: [Data] = []
        var kept: [Data] = []
        let secret = Self.hour * 10..<Self.hour * 20
        for round in 0..<400 {
            let time = Int64.random(in: 0..<Self.hour * 30, using: &random)
            let number = Double.random(in: 1e3...1e9, using: &random)
            let note = "note-\(round)-\(UInt64.random(in: .min ... .max, using: &random))"
            try await store.append([Self.sample(time, number, note)], to: "probe")
            try await store.append([Self.sample(time, -number, "of another \(round)")], to: "other")
            if secret.contains(time) {
                secrets += [Data(note.utf8), Self.bytes(of: number)]
            } else {
                kept.append(Data(note.utf8))
            }
            if Int.random(in: 0..<3, using: &random) == 0 { try await store.flush() }
            if round % 90 == 89 {
                // Some samples are pruned to summaries, and late samples follow.
                try await store.maintenance.setRule(
                    RetentionRule(
                        raw: .microseconds(.random(in: 0...30, using: &random) * Self.hour)),
                    for: nil)
                try await store.maintenance.run(at: Timestamp(microseconds: 30 * Self.hour))
            }
        }
        try await store.flush()
        let before = try bytes()
        #expect(secrets.contains { before.range(of: $0) != nil }, "seed \(seed)")
        let range = TimeRange(
            from: Timestamp(microseconds: secret.lowerBound),
            to: Timestamp(microseconds: secret.upperBound))
        let receipt = try await store.forget("probe", range, at: .now())
        #expect(receipt.isErased, "seed \(seed)")
        #expect(receipt.samples + receipt.summarised == secrets.count / 2, "seed \(seed)")
        #expect(receipt.partialHours == 0 && receipt.unreadable == 0, "seed \(seed)")
        let after = try bytes()
        let left = secrets.indices.filter { after.range(of: secrets[$0]) != nil }
        #expect(left.isEmpty, "seed \(seed): \(left.count) of \(secrets.count)")
        #expect(
            try await store.samples(SampleQuery(sensor: "probe", range: range, limit: .max)).isEmpty
        )
        let summary = try await store.summaries(
            SummaryQuery(sensor: "probe", fields: [Self.fields[0]], range: .all))[0]
        #expect(summary.count == kept.count, "seed \(seed)")
        let other = try await store.summaries(
            SummaryQuery(sensor: "other", fields: [Self.fields[0]], range: .all))[0]
        #expect(other.count == 400, "seed \(seed)")
        try await store.close()
        #expect(try await SampleStore.faults(inFile: folder.path).isEmpty, "seed \(seed)")
        #expect(left.isEmpty, "seed \(seed)")
    }

    @Test func `unwritten samples are forgotten, too`() async throws {
        let store = try await open()
        try await store.append(
            [Self.sample(1, 1, "a"), Self.sample(2, 2, "b"), Self.sample(3, 3, "c")], to: "probe")
        let range = TimeRange(
            from: Timestamp(microseconds: 2), to: Timestamp(microseconds: 9))
        let receipt = try await store.forget("probe", range, at: .now())
        #expect(receipt.samples == 2)
        #expect(await store.newest(of: "probe")?.values == [.number(1), .text("a")])
        try await store.flush()
        #expect(await store.status.buffered == 0)
        let rest = try await store.samples(SampleQuery(sensor: "probe", limit: .max))
        #expect(rest.map(\.sequence) == [1])
        // Nothing is left to write, and flushing still returns.
        #expect(try await store.forget("probe", .all, at: .now()).samples == 1)
        try await store.append([Self.sample(4, 4, "d")], to: "probe")
        #expect(try await store.forget("probe", .all, at: .now()).samples == 1)
        try await store.flush()
        #expect(await store.newest(of: "probe") == nil)
        #expect(await store.lastSequence == 4)
        try await store.close()
        #expect(try await open().lastSequence == 4)
    }

    @Test func `a pending erasure is completed in the next session`() async throws {
        let store = try await open()
        let notes = (0..<400).map { "note-\($0)-\(UInt64.random(in: .min ... .max))" }
        for (number, note) in notes.enumerated() {
            let time = Int64.random(in: 0..<Self.hour * 30)
            try await store.append([Self.sample(time, 1, note)], to: "probe")
            try await store.append([Self.sample(time, 2, "of another")], to: "other")
            if number % 3 == 0 { try await store.flush() }
        }
        try await store.flush()
        // A reader holds a snapshot that contains it.
        let reader = try DatabasePool(path: folder.path)
        let snapshot = try reader.makeSnapshot()
        _ = try await snapshot.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM chunk") }
        #expect(try await !store.forget("probe", .all, at: .now()).isErased)
        // The host is killed.
        let copy = try TemporaryStore()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: folder.path + suffix, toPath: copy.path + suffix)
        }
        func left() throws -> Int {
            let files = try FileManager.default.contentsOfDirectory(atPath: copy.folder.path())
            let all = try files.reduce(into: Data()) { all, name in
                all += try Data(contentsOf: copy.folder.appending(path: name))
            }
            return notes.count { all.range(of: Data($0.utf8)) != nil }
        }
        #expect(try left() > 0)
        let next = try await SampleStore(path: copy.path)
        try await next.register("probe", fields: Self.fields)
        try await next.maintenance.run(at: .now())
        #expect(try left() == 0)
        try await next.close()
        #expect(try await SampleStore(path: copy.path).maintenance.hasErasedTraces)
        withExtendedLifetime(snapshot) {}
    }

    @Test func `sequence numbers of samples forgotten before writing are not reused`()
        async throws
    {
        let store = try await open()
        let limit = SampleStore.bufferLimit
        let batch = SampleBatch(
            times: (0..<limit).map { Timestamp(microseconds: Int64($0)) },
            columns: [
                .numbers(Array(repeating: 1, count: limit)),
                .texts(Array(repeating: "", count: limit)),
            ])
        for round in 1...2 as ClosedRange<Int64> {
            #expect(try await store.append(batch, to: "probe") == round * Int64(limit))
            _ = try await store.forget("probe", .all, at: .now())
            // No further numbers are assigned until the file records them.
            #expect(try await store.append(batch, to: "probe") == nil)
            try await store.flush()
        }
        try await store.append([Self.sample(1, 1, "a")], to: "probe")
        let copy = try TemporaryStore()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: folder.path + suffix, toPath: copy.path + suffix)
        }
        let next = try await SampleStore(path: copy.path)
        #expect(await next.lastSequence >= store.lastSequence)
    }

    @Test func `readers can detect that samples were forgotten`() async throws {
        let store = try await open()
        for number in 1...6 as ClosedRange<Int64> {
            try await store.append([Self.sample(number, 1, "")], to: "probe")
        }
        try await store.flush()
        let range = TimeRange(from: Timestamp(microseconds: 2), to: Timestamp(microseconds: 5))
        _ = try await store.forget("probe", range, at: .now())
        #expect(await store.prunedThrough("probe") == 4)
        #expect(await store.prunedThrough("other") == 0)
        let arrivals = try await store.arrivals(of: "probe", after: 0, limit: 9)
        #expect(arrivals.map(\.sequence) == [1, 5, 6])
    }

    @Test func `a summary that extends beyond the range is removed whole and reported`()
        async throws
    {
        let store = try await open()
        for quarter in 0..<16 as Range<Int64> {
            try await store.append([Self.sample(quarter * Self.hour / 4, 1, "")], to: "probe")
        }
        try await store.flush()
        try await store.maintenance.setRule(RetentionRule(raw: .zero), for: "probe")
        try await store.maintenance.run(at: Timestamp(microseconds: 3 * Self.hour))
        let range = TimeRange(
            from: Timestamp(microseconds: Self.hour / 2),
            to: Timestamp(microseconds: 2 * Self.hour))
        let receipt = try await store.forget("probe", range, at: .now())
        #expect(receipt.samples == 0)
        #expect(receipt.summaries == 2)
        #expect(receipt.summarised == 8)
        #expect(receipt.partialHours == 1)
        #expect(receipt.bytes > 0)
        #expect(try await store.hoursWithSummary() == [2])
    }

    @Test func `samples accepted after the call are kept`() async throws {
        let store = try await open()
        try await store.append([Self.sample(1, 1, "a")], to: "probe")
        try await store.flush()
        // Other work is earlier in the queue.
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        await store.maintenance.hold(until: gate)
        let before = await store.maintenance.queueEnd
        async let receipt = store.forget("probe", .all, at: .now())
        try await until { await store.maintenance.queueEnd != before }
        for isFlushed in [true, false] {
            try await store.append([Self.sample(2, 2, "b")], to: "probe")
            if isFlushed { try await store.flush() }
        }
        opener.finish()
        #expect(try await receipt.samples == 1)
        let rest = try await store.samples(SampleQuery(sensor: "probe", limit: .max))
        #expect(rest.map(\.sequence) == [2, 3])
    }

    @Test func `unreadable rows are removed, too`() async throws {
        let store = try await open()
        try await store.append([Self.sample(1, 1, "a")], to: "probe")
        try await store.flush()
        try await store.file.pool.write { database in
            try database.execute(sql: "UPDATE fresh SET data = x'0102'")
        }
        let receipt = try await store.forget("probe", .all, at: .now())
        #expect(receipt.unreadable == 1)
        #expect(
            try await store.maintenance.report(at: .now()).sensors.allSatisfy { $0.samples == 0 })
    }

    @Test func `an unknown sensor cannot be forgotten`() async throws {
        let store = try await open()
        let error = await #expect(throws: SampleStoreError.self) {
            try await store.forget("nobody", .all, at: .now())
        }
        #expect(error?.code == .invalid)
    }
}

extension StoreMaintenance {
    /// Blocks the queue until the gate opens.
    fileprivate func hold(until gate: AsyncStream<Void>) {
        _ = enqueue { for await _ in gate {} }
    }
}
