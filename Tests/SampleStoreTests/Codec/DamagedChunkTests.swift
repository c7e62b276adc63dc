import Foundation
import Samples
import TestSupport
import Testing

@testable import SampleStore

/// Chunks with changed bytes: a change that a checksum covers must be detected; any other may decode to
/// other values, but must not trap or read beyond the end.
struct DamagedChunkTests {
    private static let isLong = ProcessInfo.processInfo.environment["NERVOUS_LONG_TESTS"] == "1"
    static let fields = [
        Field("n", kind: .integer), Field("x"), Field("y"), Field("state", kind: .state),
        Field("note", kind: .text),
    ]

    private let seed = UInt64.random(in: .min ... .max)

    @Test(arguments: [1, 5, 9, 130])
    func `a truncated chunk is damaged`(count: Int) throws {
        var random = SplitMix(state: seed)
        let bytes = ChunkEncoder.encode(Self.batch(count, &random))
        for length in 0..<bytes.count {
            #expect(throws: ByteReader.Damage.self, "seed \(seed), \(length) bytes") {
                try Self.decode(Array(bytes[..<length]))
            }
        }
        #expect(throws: ByteReader.Damage.self) { try Self.decode(bytes + [0]) }
    }

    @Test(arguments: [1, 5, 9, 130])
    func `a chunk with any flipped bit is damaged`(count: Int) throws {
        var random = SplitMix(state: seed)
        let bytes = ChunkEncoder.encode(Self.batch(count, &random))
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: ByteReader.Damage.self, "seed \(seed), bit \(bit)") {
                try Self.decode(changed)
            }
        }
    }

    @Test(arguments: [3, 200, 1500])
    func `invalid columns with a valid checksum do not trap`(count: Int) throws {
        var random = SplitMix(state: seed)
        var (damaged, read) = (0, 0)
        for round in 0..<10 {
            let intact = try HostileChunk(Self.batch(count, &random))
            for _ in 0..<(Self.isLong ? 3500 : 350) {
                var chunk = intact
                chunk.mutate(&random)
                let bytes = chunk.bytes
                do {
                    try Self.decode(bytes)
                    read += 1
                } catch is ByteReader.Damage {
                    damaged += 1
                }
                try Self.probe(bytes, &random)
            }
            #expect(damaged > 0 && read > 0, "seed \(seed), round \(round): \(damaged), \(read)")
        }
    }

    @Test func `any flipped bit in a column with a valid checksum does not trap`() throws {
        var random = SplitMix(state: seed)
        for count in [2, 7, 40, 129] {
            let intact = try HostileChunk(Self.batch(count, &random))
            for place in intact.columns.indices {
                for bit in 0..<min(intact.columns[place].count, Self.isLong ? .max : 40) * 8 {
                    var chunk = intact
                    chunk.columns[place][bit / 8] ^= 1 << UInt8(bit % 8)
                    try Self.probe(chunk.bytes, &random)
                }
            }
        }
    }

    @Test func `random bytes are damage`() {
        var random = SplitMix(state: seed)
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
            #expect(throws: ByteReader.Damage.self) { try Self.decode(bytes) }
        }
    }

    @Test func `a few bytes cannot cause a large allocation`() throws {
        var column = ByteWriter()
        column.append(UInt8(0))
        let lengths = ColumnTests.encoded([1 << 30])
        column.appendVariable(UInt64(lengths.count))
        column.append(lengths)
        column.append(UInt8(1))
        column.appendVariable(UInt64(1 << 30))
        column.append([UInt8](repeating: 0, count: 40))
        #expect(throws: ByteReader.Damage.self) {
            try column.bytes.withUnsafeBytes { try TextColumn.decode($0, count: 1) }
        }
        var chunk = try HostileChunk(
            StoredBatch(
                sequences: [1],
                samples: SampleBatch(times: [Timestamp(microseconds: 1)], columns: [])))
        chunk.count = UInt64(ChunkReader.countLimit) + 1
        #expect(throws: ByteReader.Damage.self) {
            try chunk.bytes.withUnsafeBytes { _ = try ChunkReader($0, []) }
        }
    }

    // MARK: - Private

    static func batch(_ count: Int, _ random: inout SplitMix) -> StoredBatch {
        let words = ["on", "off", "", "idle é"]
        let times = IntegerSeries.allCases.randomElement(using: &random)?.values(count, &random)
        let integers = IntegerSeries.allCases.randomElement(using: &random)?.values(count, &random)
        let numbers = (0..<2).map { _ in
            NumberSeries.allCases.randomElement(using: &random)?.values(count, &random) ?? []
        }
        let states = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }
        let notes = (0..<count).map { "note \($0) " + (words.randomElement(using: &random) ?? "") }
        return StoredBatch(
            sequences: (0..<count).map { Int64($0) * 3 + 5 },
            samples: SampleBatch(
                times: (times ?? []).map(Timestamp.init(microseconds:)).sorted(),
                columns: [
                    .integers(integers ?? []), .numbers(numbers[0]), .numbers(numbers[1]),
                    .texts(states), .texts(notes),
                ]))
    }

    @discardableResult
    private static func decode(_ bytes: [UInt8]) throws -> StoredBatch {
        try ChunkReader.decode(Data(bytes), Layout(id: 1, fields: fields))
    }

    /// Decodes parts of a chunk in every way that readers do.
    private static func probe(_ bytes: [UInt8], _ random: inout SplitMix) throws {
        // An exact allocation, so that a sanitizer detects access beyond the end.
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { room.deallocate() }
        room.copyBytes(from: bytes)
        do {
            let reader = try ChunkReader(UnsafeRawBufferPointer(room), fields)
            let low = Int.random(in: 0..<reader.count, using: &random)
            let rows = low..<Int.random(in: low...min(reader.count, low + 300), using: &random)
            _ = try reader.times().firstRow(atOrAfter: .random(in: .min ... .max, using: &random))
            _ = try reader.sequences().values(rows)
            for place in fields.indices { _ = try reader.column(place).values(rows) }
        } catch {
            // Damage is the only allowed error.
        }
    }
}
