import TestSupport
import Testing

@testable import VM

/// Decoding the numbers of an IIO scan.
struct ScanFormatTests {
    @Test(
        arguments: [
            ("le:s12/16>>4", [0x10, 0x80], -2047.0), ("le:s12/16>>4", [0xFF, 0x7F], 2047),
            ("be:s12/16>>4", [0x80, 0x1F], -2047), ("le:u12/16>>4", [0x1F, 0x80], 2049),
            ("le:s16/16>>0", [0x00, 0x80], -32768), ("be:s16/16>>0", [0xFF, 0xFE], -2),
            ("le:s16/16", [0xFE, 0xFF], -2), ("le:u8/8>>0", [200], 200), ("le:s8/8>>0", [200], -56),
            ("le:s1/8>>7", [0x80], -1), ("be:u24/32>>8", [1, 2, 3, 0xFF], 66051),
            ("le:s24/32>>0", [0xFF, 0xFF, 0xFF, 0x00], -1),
            ("le:s32/32>>0", [0, 0, 0, 0x80], -2_147_483_648),
            ("le:u64/64>>0", [UInt8](repeating: 0xFF, count: 8), 18_446_744_073_709_551_616),
            ("be:s64/64>>0", [UInt8](repeating: 0xFF, count: 8), -1),
            ("le:f32/32>>0", [0, 0, 0xC0, 0x3F], 1.5),
            ("be:f64/64>>0", [0xC0, 0x04, 0, 0, 0, 0, 0, 0], -2.5),
            ("le:s16/16X3>>0", [5, 0, 6, 0, 7, 0], 5),
        ] as [(String, [UInt8], Double)])
    func `each format decodes its number`(
        text: String, bytes: [UInt8], expected: Double
    ) throws {
        let format = try #require(ScanFormat(text))
        #expect(format.length == bytes.count)
        #expect(format.number(in: bytes[...]) == expected)
        // Bits before and after the number are ignored.
        let among = [0xAA] + bytes + [0x55]
        #expect(format.number(in: among[1...]) == expected)
    }

    @Test(arguments: [
        "", "s16/16>>0", "me:s16/16", "LE:s16/16", "le:x16/16", "le:s0/16", "le:s16/24>>0",
        "le:s12/16>>5", "le:s16/16X0", "le:s16/16X65", "le:s16/16>>", "le:f16/16>>0",
        "le:f32/64>>0", "le:s999/999>>0", "le:s16/16>>0 ", "le:s-1/16>>0", "le:s16/16>>16",
    ])
    func `an invalid format is rejected`(text: String) {
        #expect(ScanFormat(text) == nil)
    }

    @Test func `a number is decoded at any offset, whatever the other bits are`() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var random = SplitMix(state: seed)
        for _ in 0..<2000 {
            let storage = [8, 16, 32, 64].randomElement(using: &random) ?? 8
            let bits = Int.random(in: 1...storage, using: &random)
            let shift = Int.random(in: 0...(storage - bits), using: &random)
            let (isSigned, isBig) = (Bool.random(using: &random), Bool.random(using: &random))
            let text = "\(isBig ? "be" : "le"):\(isSigned ? "s" : "u")\(bits)/\(storage)>>\(shift)"
            let format = try #require(ScanFormat(text), "\(text)")
            let mask = bits == 64 ? UInt64.max : 1 << UInt64(bits) - 1
            let pattern = UInt64.random(in: 0...mask, using: &random)
            var word = UInt64.random(in: .min ... .max, using: &random) & ~(mask << UInt64(shift))
            word |= pattern << UInt64(shift)
            let little = (0..<(storage / 8)).map {
                UInt8(truncatingIfNeeded: word >> UInt64($0 * 8))
            }
            let isNegative = isSigned && pattern >> UInt64(bits - 1) == 1
            let expected =
                isNegative ? Int64(bitPattern: pattern | ~mask) : Int64(bitPattern: pattern)
            let bytes = isBig ? little.reversed() : little
            #expect(format.integer(in: bytes[...]) == expected, "\(text)")
        }
    }

    @Test(arguments: [
        (["le:s16/16", "le:s16/16", "le:s16/16", "le:s64/64"], [0, 2, 4, 8], 16),
        (["le:s16/16", "le:s16/16", "le:s16/16"], [0, 2, 4], 6),
        (["le:u8/8", "le:s32/32"], [0, 4], 8), (["le:s32/32", "le:u8/8"], [0, 4], 8),
        (["le:s32/32", "le:s32/32", "le:s32/32", "le:s64/64"], [0, 4, 8, 16], 24),
        (["le:s8/8", "le:s16/16X4"], [0, 8], 16), (["le:s64/64"], [0], 8),
    ])
    func `each number is aligned to its length`(
        formats: [String], offsets: [Int], size: Int
    ) throws {
        let layout = ScanLayout(try formats.map { try #require(ScanFormat($0)) })
        #expect(layout.offsets == offsets)
        #expect(layout.size == size)
    }
}
