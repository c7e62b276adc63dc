import Foundation
import GRDB
import Samples
import Statistics
import TestSupport
import Testing

@testable import SampleStore

struct DamagedStoreTests {
    private static let rules = ChunkRules(chunkSize: 8, unsealedRows: 4, groupSize: 3, rewrites: 4)
    private static let fields = [
        Field("n", kind: .integer), Field("x"), Field("note", kind: .text),
    ]

    private let folder: TemporaryStore
    private let seed = UInt64.random(in: .min ... .max)

    init() throws {
        folder = try TemporaryStore()
    }

    private func open() async throws -> SampleStore {
        try await folder.open(Self.fields, rules: Self.rules)
    }

    private static func sample(_ number: Int64) -> Sample {
        Sample(
            time: Timestamp(microseconds: number * 10),
            values: [.integer(number), .number(Double(number) / 4), .text("note \(number)")])
    }

    /// Writes samples; most of them become chunks and groups.
    private func fill(_ count: Int64) async throws -> [StoredSample] {
        let store = try await open()
        for start in stride(from: 0, to: count, by: 10) {
            try await store.append((start..<min(count, start + 10)).map(Self.sample), to: "probe")
            try await store.flush()
        }
        try await store.close()
        return (0..<count).map { StoredSample(sequence: $0 + 1, sample: Self.sample($0)) }
    }

    private func execute(_ sql: String) throws {
        let queue = try DatabaseQueue(path: folder.path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    private static func summary(
        _ range: TimeRange, step: Int64? = nil
    ) -> SummaryQuery {
        SummaryQuery(
            sensor: "probe", fields: [fields[0]], range: range, step: step, hasSketch: true)
    }

    @Test func `samples around a damaged chunk are read, and the damage is reported permanently`()
        async throws
    {
        let model = try await fill(200)
        let found = try await DatabaseQueue(path: folder.path).read { database in
            try Row.fetchOne(
                database,
                sql: """
                    SELECT id, fromTime, toTime FROM chunk
                    WHERE fromTime <= 500 AND toTime >= 500 AND count > 1
                    """
            ).map { row -> [Int64] in [row[0], row[1], row[2]] }
        }
        let numbers = try #require(found)
        let (chunk, from, to) = (numbers[0], numbers[1], numbers[2])
        try execute(
            """
            UPDATE content SET data = CAST(substr(data, 1, 40) || x'55AA' || substr(data, 43) AS BLOB)
            WHERE chunk = \(chunk)
            """)
        let lost = Set(model.filter { (from...to).contains($0.time.microseconds) }.map(\.sequence))
        for session in 0..<3 {
            let store = try await open()
            let found = try await store.all()
            let missing = Set(model.map(\.sequence)).subtracting(found.map(\.sequence))
            #expect(missing == lost, "\(missing)")
            #expect(
                found.filter { $0.sequence <= 200 }
                    == model.filter { !missing.contains($0.sequence) })
            #expect(try await store.all(.descending) == found.reversed())
            let damage = try #require(await store.knownDamage["probe"])
            #expect(damage.contains { $0.contains(Timestamp(microseconds: to)) })
            let arrived = try await store.arrivals(of: "probe", after: 0, limit: .max)
            #expect(arrived.map(\.sequence) == found.map(\.sequence).sorted())
            // A client that has read past the lost samples gets no report.
            let before = try await store.arrivalPage(of: "probe", after: 0, limit: .max)
            #expect(before.damage.contains { $0.contains(Timestamp(microseconds: to)) })
            let last = try #require(lost.max())
            let behind = try await store.arrivalPage(of: "probe", after: last, limit: .max)
            #expect(behind.damage.isEmpty)
            let windows = try await store.summaries(
                Self.summary(
                    TimeRange(
                        from: Timestamp(microseconds: 0), to: Timestamp(microseconds: 2000)),
                    step: 100))
            #expect(windows[0].count == 10 && windows[19].count == 10)
            let faults = try await SampleStore.faults(inFile: folder.path)
            #expect(faults.count == 1 && faults[0].hasPrefix("probe: the samples from 1970-"))
            #expect(faults[0].hasSuffix("are damaged."))
            try await store.close()
            guard session == 0 else { continue }
            // A late sample for the chunk makes the store detect the damage when it seals it.
            for number in [from / 10] + Array(repeating: 300, count: 40) {
                let store = try await open()
                try await store.append([Self.sample(number)], to: "probe")
                try await store.flush()
                try await store.close()
            }
        }
        let marked = try await DatabaseQueue(path: folder.path).read { database in
            try Int64.fetchAll(database, sql: "SELECT id FROM chunk WHERE isDamaged")
        }
        #expect(marked == [chunk])
    }

    @Test(arguments: ["chunk", "chunkGroup"])
    func `a damaged summary loses no samples`(table: String) async throws {
        let model = try await fill(200)
        try execute("UPDATE \(table) SET summary = CAST(x'01' || substr(summary, 1) AS BLOB)")
        let store = try await open()
        let windows = try await store.summaries(Self.summary(.all))
        #expect(windows[0].count == 200)
        #expect(windows[0].fields[0].moments.sum == Double(199 * 100))
        #expect(
            windows[0].fields[0].sketch == QuantileSketch(model.compactMap { $0.values[0].double }))
        #expect(await store.knownDamage.isEmpty)
        try await store.close()
        #expect(try await SampleStore.faults(inFile: folder.path).isEmpty == false)
    }

    @Test func `invalid chunks with valid checksums do not trap`() async throws {
        _ = try await fill(60)
        let rows = try await SampleFile(path: folder.path).pool.read {
            database in
            try Row.fetchAll(database, sql: "SELECT chunk, data FROM content").map { row in
                (id: row[0] as Int64, data: row[1] as Data)
            }
        }
        var random = SplitMix(state: seed)
        for round in 0..<60 {
            let queue = try DatabaseQueue(path: folder.path)
            try await queue.write { [random] database in
                var random = random
                for row in rows {
                    let whole = try ChunkReader.decode(row.data, Layout(id: 1, fields: Self.fields))
                    var chunk = try HostileChunk(whole)
                    if round % 3 == 0 {
                        // Times that do not ascend, unlike in any valid chunk.
                        let times = IntegerSeries.extreme.values(whole.count, &random)
                        chunk.columns[0] = ColumnTests.encoded(times)
                    } else {
                        chunk.mutate(&random)
                    }
                    try database.execute(
                        sql: "UPDATE content SET data = ? WHERE chunk = ?",
                        arguments: [Data(chunk.bytes), row.id])
                }
            }
            try queue.close()
            let from = Int64.random(in: -100...700, using: &random)
            let range = TimeRange(
                from: Timestamp(microseconds: from), to: Timestamp(microseconds: from + 333))
            let store = try await open()
            for order in [SampleQuery.Order.ascending, .descending] {
                _ = try await store.samples(TemporaryStore.query(range, order, limit: 20))
                _ = try await store.all(order)
            }
            _ = try await store.arrivals(of: "probe", after: 3, limit: 20)
            _ = try await store.summaries(Self.summary(range, step: 7))
            _ = try await store.summaries(Self.summary(range))
            _ = try await store.reduce(Self.fields[0], of: "probe", in: range, into: 0) {
                $0 += $1.count
            }
            try await store.close()
            #expect(try await !SampleStore.faults(inFile: folder.path).isEmpty, "seed \(seed)")
        }
    }

    @Test func `a flipped byte is harmless or reported`() async throws {
        let model = try await fill(150)
        let sound = try Data(contentsOf: URL(filePath: folder.path))
        // Names and schema have no checksums; they take one page each.
        let unprotected = try await SampleFile(path: folder.path).pool.read {
            try Int.fetchSet(
                $0,
                sql: """
                    SELECT rootpage FROM sqlite_master
                    WHERE tbl_name NOT IN ('chunk', 'content', 'fresh', 'chunkGroup')
                    """)
        }.union([1])
        var random = SplitMix(state: seed)
        var (reported, harmless) = (0, 0)
        for round in 0..<300 {
            var bytes = sound
            let place = Int.random(in: 0..<bytes.count, using: &random)
            bytes[place] ^= .random(in: 1...255, using: &random)
            // A separate copy: a store that found damage changes its file.
            let damaged = try TemporaryStore()
            try bytes.write(to: URL(filePath: damaged.path))
            let isReported = try await Self.isReported(of: model, "seed \(seed), round \(round)") {
                try await damaged.open(Self.fields, rules: Self.rules)
            } faults: {
                try await SampleStore.faults(inFile: damaged.path)
            }
            reported += isReported == true ? 1 : 0
            harmless += isReported == false ? 1 : 0
            let isProtected = !unprotected.contains(place / 4096 + 1)
            #expect(
                isReported != nil || !isProtected, "seed \(seed), round \(round), byte \(place)")
        }
        print("of 300 bytes \(reported) were reported and \(harmless) were harmless")
        #expect(reported > 9, "seed \(seed)")
    }

    /// - Returns: whether the damage is reported; `nil` when it is not reported although samples
    ///   differ.
    private static func isReported(
        of model: [StoredSample], _ moment: String, open: () async throws -> SampleStore,
        faults: () async throws -> [String]
    ) async throws -> Bool? {
        var isReported = false
        do {
            isReported = try await !faults().isEmpty
        } catch is SampleStoreError {
            isReported = true
        }
        do {
            let store = try await open()
            let found = try await store.all()
            let arrived = try await store.arrivals(of: "probe", after: 0, limit: .max)
            let windows = try await store.summaries(summary(.all))
            let isRight =
                found == model && arrived == model && windows[0].count == model.count
            if await !store.knownDamage.isEmpty { isReported = true }
            try await store.close()
            #expect(Set(found).isSubset(of: model) || isReported, "\(moment)")
            return isReported ? true : isRight ? false : nil
        } catch let error as SampleStoreError {
            #expect([.damaged, .failed, .cannotOpen].contains(error.code), "\(moment): \(error)")
            return true
        }
    }
}
