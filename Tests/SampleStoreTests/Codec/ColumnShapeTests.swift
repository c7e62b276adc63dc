import Foundation
import Samples
import Testing

@testable import SampleStore

/// Encodings of columns, checked by their sizes and bytes.
struct ColumnShapeTests {
    @Test func `values with a common divisor are stored divided, also after equal ones`() {
        let multiples = (0..<1000).map { Int64($0 * 7919 % 64) * 1_000_000 }
        let size = ColumnTests.encoded(multiples).count
        #expect(size < 900)
        #expect(ColumnTests.encoded([0, 0, 0] + multiples).count < size + 20)
    }

    @Test func `a line with a fractional slope has residuals of rounding only`() {
        let line = (0..<32_768).map { 1_790_000_000_000_000 + Int64(Double($0) * 10_000.37) }
        #expect(ColumnTests.encoded(line).count < 32_768 * 2 / 8 + 600)
    }

    @Test func `an encoding that no version writes is damage`() throws {
        var writer = ByteWriter()
        TextColumn.encode(["a", "b"], onto: &writer)
        for kind in 2...255 as ClosedRange<UInt8> {
            let bytes = [kind] + writer.bytes.dropFirst()
            #expect(throws: ByteReader.Damage.self) {
                try bytes.withUnsafeBytes { try TextColumn.decode($0, count: 2) }
            }
        }
    }

    @Test func `samples with long texts are split by bytes`() {
        let texts = ["a", String(repeating: "b", count: 50), "cc", "d", "e", "ff", ""]
        let batch = StoredBatch(
            sequences: Array(1...7),
            samples: SampleBatch(
                times: (1...7).map { Timestamp(microseconds: $0) },
                columns: [.integers(Array(1...7)), .texts(texts), .texts(texts)]))
        let parts = batch.parts(ofAtMost: 3, textBytes: 8)
        #expect(parts.map(\.count) == [1, 1, 3, 2])
        #expect(parts.flatMap(\.sequences) == batch.sequences)
        #expect(batch.parts(ofAtMost: 3).map(\.count) == [3, 3, 1])
        #expect(batch.parts(ofAtMost: 7) == [batch])
        #expect(batch[0..<0].parts(ofAtMost: 3).isEmpty)
    }
}
