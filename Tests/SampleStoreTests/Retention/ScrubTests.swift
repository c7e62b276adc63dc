import Foundation
import GRDB
import Samples
import Testing

@testable import SampleStore

struct ScrubTests {
    private let folder: TemporaryStore

    init() throws {
        folder = try TemporaryStore()
    }

    private func open() async throws -> SampleStore {
        let store = try await SampleStore(
            path: folder.path, rules: ChunkRules(chunkSize: 64, unsealedRows: 4),
            space: SpaceRules(reserve: 0))
        for sensor: SensorID in ["a", "b"] {
            try await store.register(sensor, fields: [Field("x")])
        }
        return store
    }

    private func fill() async throws {
        let store = try await open()
        for start in stride(from: 0, to: 2560, by: 64) as StrideTo<Int64> {
            let batch = SampleBatch(
                times: (start..<start + 64).map { Timestamp(microseconds: $0) },
                columns: [.numbers((0..<64).map { Double($0 % 7) })])
            for sensor: SensorID in ["a", "b"] {
                try await store.append(batch, to: sensor)
                try await store.flush()
            }
        }
        try await store.close()
    }

    /// Changes the leftmost page of a table or an index.
    private func damage(_ name: String, _ change: (inout ArraySlice<UInt8>) -> Void) throws {
        let queue = try DatabaseQueue(path: folder.path)
        let root = try queue.read { database in
            try Int.fetchOne(
                database, sql: "SELECT rootpage FROM sqlite_schema WHERE name = ?",
                arguments: [name])
        }
        try queue.close()
        let url = URL(filePath: folder.path)
        var bytes = [UInt8](try Data(contentsOf: url))
        var start = try (#require(root) - 1) * 4096
        while bytes[start] == 5 || bytes[start] == 2 {
            let cell = start + Int(bytes[start + 12]) << 8 + Int(bytes[start + 13])
            let child = bytes[cell..<cell + 4].reduce(0) { $0 << 8 | Int($1) }
            start = (child - 1) * 4096
        }
        change(&bytes[start..<start + 4096])
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: folder.path + suffix)
        }
        try Data(bytes).write(to: url)
    }

    @Test func `a damaged page is skipped and reported in the receipt`() async throws {
        try await fill()
        try damage("content") { page in
            // The offset of cells, set to the middle of one.
            let at = page.startIndex + 5
            let content = Int(page[at]) << 8 | Int(page[at + 1])
            let wrong = content + (4096 - content) / 2
            (page[at], page[at + 1]) = (UInt8(wrong >> 8), UInt8(wrong & 255))
        }
        let store = try await open()
        let query = SampleQuery(sensor: "b", limit: .max)
        #expect(try await store.samples(query).count == 2560)
        let range = TimeRange(
            from: Timestamp(microseconds: 2000), to: Timestamp(microseconds: 2010))
        let receipt = try await store.forget("a", range, at: .now())
        #expect(receipt.samples == 10)
        #expect(!receipt.isErased)
        #expect(await store.status.failure?.contains("damaged") == true)
        #expect(try await store.samples(query).count == 2560)
        #expect(await store.knownDamage.isEmpty)
        try await store.close()
        let next = try await open()
        #expect(try await next.samples(query).count == 2560)
        #expect(await next.knownDamage.isEmpty)
    }

    @Test func `an invalid page does not prevent erasing others`() async throws {
        try await fill()
        try damage("key_by_time") { $0[$0.startIndex] = 0 }
        let store = try await open()
        let receipt = try await store.forget("a", .all, at: .now())
        #expect(receipt.samples == 2560)
        #expect(!receipt.isErased)
        #expect(try await store.samples(SampleQuery(sensor: "a", limit: .max)).isEmpty)
        #expect(try await store.samples(SampleQuery(sensor: "b", limit: .max)).count == 2560)
    }

    @Test func `the pages of an intact file are parsed`() async throws {
        try await fill()
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder.path)))
        var kinds: Set<UInt8> = []
        let queue = try DatabaseQueue(path: folder.path)
        let roots = try await queue.read { database in
            try Int.fetchAll(
                database, sql: "SELECT rootpage FROM sqlite_schema WHERE rootpage > 0")
        }
        try queue.close()
        var waiting = [1] + roots
        while let number = waiting.popLast() {
            let page = Array(bytes[(number - 1) * 4096..<number * 4096])
            let header = number == 1 ? 100 : 0
            let tree = TreePage(page, header: header, usable: 4096)
            #expect(tree != nil, "page \(number)")
            kinds.insert(page[header])
            waiting += (tree?.children ?? []).map(Int.init)
        }
        #expect(kinds.isSuperset(of: [5, 10, 13]))
    }
}
