import Samples
import TestSupport
import Testing

@testable import Statistics

struct QuantileSketchBytesTests {
    @Test(arguments: NumberSets.names)
    func `a sketch is restored from its bytes`(name: String) throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let sketch = QuantileSketch(NumberSets.make(name, 3000, using: &random))
        let again = try #require(QuantileSketch(bytes: sketch.bytes), "seed \(seed)")
        #expect(again == sketch, "seed \(seed)")
        #expect(again.bytes == sketch.bytes, "seed \(seed)")
    }

    @Test func `the bytes equal the documented examples`() {
        #expect(QuantileSketch().bytes == [1, 0, 0, 0])
        // 1 = 2⁰ is on an edge and is counted below it: 1023 · 35 − 1 from that of 2⁻¹⁰²³, which is
        // 1786.
        let offset = 1023 * 35 + 1786
        let varint = [
            UInt8(offset & 0x7F | 0x80), UInt8(offset >> 7 & 0x7F | 0x80), UInt8(offset >> 14),
        ]
        let numbers = [1.001] + [Double](repeating: 1.05, count: 200) + [0, -1.001, -1.3]
        #expect(
            QuantileSketch(numbers).bytes
                == [1, 1, 1] + varint + [2, 1, 0, 0xC8, 1] + [2] + varint + [0, 1, 9, 0, 1])
    }

    @Test func `four thousand numbers around zero take less than 1.3 bytes per bucket`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let numbers = NumberSets.make("mixed", 4096, using: &random)
        let sketch = QuantileSketch(numbers)
        var buckets: Set<ClosedRange<Double>> = []
        for rank in numbers.indices { buckets.insert(sketch.bounds(ofRank: rank)) }
        #expect(Double(sketch.bytes.count) < 1.3 * Double(buckets.count), "seed \(seed)")
    }

    @Test(arguments: NumberSets.names)
    func `damaged bytes are rejected or decode to another sketch`(name: String) {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let bytes = QuantileSketch(NumberSets.make(name, 60, using: &random)).bytes
        for length in bytes.indices {
            #expect(QuantileSketch(bytes: bytes[..<length]) == nil, "seed \(seed): \(length)")
        }
        #expect(QuantileSketch(bytes: bytes + [0]) == nil)
        for bit in 0..<(bytes.count * 8) {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << (bit % 8)
            Self.expectRefusedOrSound(damaged, "seed \(seed): bit \(bit)")
        }
    }

    @Test func `random bytes are rejected or decode to a sketch`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        for _ in 0..<20_000 {
            let rest = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? UInt8.random(in: 0...3, using: &random)
                    : .random(in: .min ... .max, using: &random)
            }
            Self.expectRefusedOrSound([1] + rest, "seed \(seed)")
        }
    }

    @Test(
        arguments: [
            [], [0, 0, 0, 0], [2, 0, 0, 0], [1, 0, 0, 0, 0],
            [1, 0x80, 0, 0, 0],  // A longer varint than it need be.
            [1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0],  // 2⁶⁴ − 1 zeros.
            [1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2, 0, 0],  // Beyond 64 bits.
            [1, 0, 0xFF, 0xFF, 0xFF, 0x7F, 0, 0, 1],  // More runs than bytes.
            [1, 0, 1, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 1, 0],  // A run of four thousand million.
            [1, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0, 1, 0],  // A run behind the last bucket.
            [1, 0, 1, 0, 0, 0, 0],  // A run of nothing.
            [1, 0, 1, 0, 4, 1, 0, 0, 0, 1, 0],  // A gap within a run.
            [1, 0, 1, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0],  // 2⁴² numbers.
        ] as [[UInt8]])
    func `bytes of an impossible sketch are rejected`(bytes: [UInt8]) {
        #expect(QuantileSketch(bytes: bytes) == nil)
    }

    @Test func `counts beyond 32 bits are kept`() throws {
        // One bucket of 2³⁴ + 1 numbers, the next of 1.
        let bytes: [UInt8] = [1, 0, 1, 0x80, 0x80, 2, 1, 0x81, 0x80, 0x80, 0x80, 0x40, 1, 0]
        var sketch = try #require(QuantileSketch(bytes: bytes))
        #expect(sketch.count == 1 << 34 + 2)
        #expect(sketch.bytes == bytes)
        let copy = sketch
        sketch.merge(copy)
        #expect(sketch.count == 1 << 35 + 4)
        #expect(sketch.bounds(ofRank: 1 << 35 + 1) == copy.bounds(ofRank: 0))
        #expect(sketch.bounds(ofRank: 1 << 35 + 2) == copy.bounds(ofRank: 1 << 34 + 1))
        #expect(QuantileSketch(bytes: sketch.bytes) == sketch)
    }

    private static func expectRefusedOrSound(_ bytes: [UInt8], _ about: Comment) {
        guard let sketch = QuantileSketch(bytes: bytes) else { return }
        #expect(sketch.bytes == bytes, about)
        guard sketch.count > 0 else { return }
        for rank in [0, sketch.count / 2, sketch.count - 1] {
            let bounds = sketch.bounds(ofRank: rank)
            #expect(bounds.lowerBound.isFinite && bounds.upperBound.isFinite, about)
        }
    }
}
