import Samples
import Testing

@testable import Statistics

struct MomentsBytesTests {
    private static let examples: [[Double]] = [
        [], [0], [-0.0], [3.25], [1, 2, 4], Array(repeating: 0.1, count: 1000),
        (0..<5000).map { 1e6 + Double($0 * 7919 % 1000) / 7 },
        [.greatestFiniteMagnitude, .greatestFiniteMagnitude, 1],
        [.leastNonzeroMagnitude, -.leastNonzeroMagnitude],
    ]

    @Test(arguments: examples)
    func `moments are restored from their bytes`(numbers: [Double]) throws {
        for moments in [Moments(numbers), MomentsBulkTests.bulk(numbers)] {
            let bytes = moments.bytes
            #expect(bytes.count == Moments.byteCount)
            let again = try #require(Moments(bytes: bytes))
            #expect(again.bytes == bytes)
            #expect(again.count == moments.count)
            #expect(again.minimum == moments.minimum)
        }
    }

    @Test func `the bytes equal the documented examples`() {
        var expected: [UInt8] = [3, 0, 0, 0, 0, 0, 0, 0]
        for number in [1.0, 4, 1, 4.0 / 3, 14.0 / 3, 7, 0] {
            expected += withUnsafeBytes(of: number.bitPattern.littleEndian) { Array($0) }
        }
        #expect(Moments([1, 2, 4]).bytes.prefix(32) == expected.prefix(32))
        #expect(Moments([1, 2, 4]).bytes.suffix(16) == expected.suffix(16))
    }

    @Test(arguments: examples)
    func `damaged bytes are rejected or decode to other moments`(numbers: [Double]) throws {
        let bytes = Moments(numbers).bytes
        for length in bytes.indices { #expect(Moments(bytes: bytes[..<length]) == nil) }
        #expect(Moments(bytes: bytes + [0]) == nil)
        for bit in 0..<(bytes.count * 8) {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << (bit % 8)
            guard var moments = Moments(bytes: damaged) else { continue }
            #expect(moments.bytes == damaged, "bit \(bit)")
            moments.merge(moments)
            moments.insert(1)
            _ = (moments.mean, moments.sampleVariance, moments.rootMeanSquare)
        }
    }

    @Test func `impossible moments are rejected`() {
        let bytes = Moments([1, 2, 4]).bytes
        let negative = [UInt8](repeating: 0xFF, count: 8)
        #expect(Moments(bytes: negative + bytes[8...]) == nil, "a count below nothing")
        #expect(Moments(bytes: [0, 0, 0, 0, 0, 0, 0, 0] + bytes[8...]) == nil, "counted none")
        #expect(Moments(bytes: [1, 0, 0, 0, 0, 0, 0, 0] + bytes[8...]) == nil, "spread of one")
        #expect(
            Moments(bytes: bytes[..<8] + bytes[16..<24] + bytes[8..<16] + bytes[24...]) == nil,
            "the minimum above the maximum")
        var descending = bytes
        descending[47] |= 0x80
        #expect(Moments(bytes: descending) == nil, "squares below nothing")
    }

    @Test func `counts saturate before they overflow`() throws {
        var bytes = Moments([1, 2, 4]).bytes
        bytes.replaceSubrange(0..<8, with: [0, 0, 0, 0, 0, 0, 0, 0x10])
        var moments = try #require(Moments(bytes: bytes))
        for _ in 0..<100 { moments.merge(moments) }
        #expect(moments.count == 1 << 60)
        #expect(moments.mean?.isFinite == true)
    }
}
