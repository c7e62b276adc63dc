/// Bit-packed unsigned integers.
///
/// A complete block of 128 values of up to 32 bits is packed in four interleaved lanes: value `i` is in lane
/// `i % 4`, and the words of the lanes alternate, so that four values are unpacked at once
/// (D. Lemire and L. Boytsov, "Decoding billions of integers per second through vectorization",
/// Software: Practice and Experience 45, 2015). All other values are packed consecutively, lowest bit
/// first.
enum BitPacking {
    static let blockSize = 128
    typealias Lanes = SIMD4<UInt32>

    /// Bytes of a complete block of values of up to 32 bits.
    static func blockBytes(width: Int) -> Int { width * 16 }

    /// Bytes of `count` consecutive values.
    static func bytes(_ count: Int, width: Int) -> Int { (count * width + 7) / 8 }

    static func packBlock(
        _ values: UnsafePointer<Lanes>, width: Int, into bytes: UnsafeMutableRawPointer
    ) {
        guard width > 0 else { return }
        var word = Lanes()
        var filled = 0
        var offset = 0
        for index in 0..<32 {
            let value = values[index]
            word |= value &<< UInt32(truncatingIfNeeded: filled)
            filled += width
            guard filled >= 32 else { continue }
            bytes.storeBytes(of: word, toByteOffset: offset, as: Lanes.self)
            offset += 16
            filled -= 32
            let taken = UInt32(truncatingIfNeeded: width - filled)
            word = filled > 0 ? value &>> taken : Lanes()
        }
    }

    /// - Precondition: `bytes` has `blockBytes(width:)` bytes and `width` is at most 32.
    @inline(__always)
    static func unpackBlock(
        _ bytes: UnsafeRawPointer, width: Int, into values: UnsafeMutablePointer<Lanes>
    ) {
        // A literal width turns every shift into one by a constant.
        switch width {
        case 0: for index in 0..<32 { values[index] = Lanes() }
        case 1: unpack(bytes, 1, values)
        case 2: unpack(bytes, 2, values)
        case 3: unpack(bytes, 3, values)
        case 4: unpack(bytes, 4, values)
        case 5: unpack(bytes, 5, values)
        case 6: unpack(bytes, 6, values)
        case 7: unpack(bytes, 7, values)
        case 8: unpack(bytes, 8, values)
        case 9: unpack(bytes, 9, values)
        case 10: unpack(bytes, 10, values)
        case 11: unpack(bytes, 11, values)
        case 12: unpack(bytes, 12, values)
        default: unpack(bytes, width, values)
        }
    }

    @inline(__always)
    private static func unpack(
        _ bytes: UnsafeRawPointer, _ width: Int, _ values: UnsafeMutablePointer<Lanes>
    ) {
        let mask = Lanes(repeating: width == 32 ? .max : (1 << UInt32(width)) - 1)
        for index in 0..<32 {
            let (word, offset) = (index * width / 32, index * width % 32)
            var value =
                bytes.loadUnaligned(fromByteOffset: word * 16, as: Lanes.self)
                &>> UInt32(truncatingIfNeeded: offset)
            if offset + width > 32 {
                let next = bytes.loadUnaligned(fromByteOffset: word * 16 + 16, as: Lanes.self)
                value |= next &<< UInt32(truncatingIfNeeded: 32 - offset)
            }
            values[index] = value & mask
        }
    }

    /// Appends values of `width` bits, 0 to 64, consecutively.
    static func pack(
        _ values: some Sequence<UInt64>, width: Int, onto writer: inout ByteWriter
    ) {
        guard width > 0 else { return }
        var word: UInt64 = 0
        var filled = 0
        for value in values {
            word |= value << UInt64(filled)
            filled += width
            guard filled >= 64 else { continue }
            writer.append(word)
            filled -= 64
            word = filled > 0 ? value >> UInt64(width - filled) : 0
        }
        for _ in 0..<(filled + 7) / 8 {
            writer.append(UInt8(truncatingIfNeeded: word))
            word >>= 8
        }
    }

    /// The value at index `index` of consecutive values.
    ///
    /// - Precondition: `bytes` holds at least `index + 1` values.
    @inline(__always)
    static func value(
        _ index: Int, width: Int, in bytes: UnsafeRawBufferPointer
    ) -> UInt64 {
        guard width > 0 else { return 0 }
        let bit = index * width
        let (first, offset) = (bit / 8, bit % 8)
        let mask: UInt64 = width == 64 ? .max : (1 << UInt64(width)) - 1
        if first + 8 < bytes.count {
            let low = bytes.loadUnaligned(fromByteOffset: first, as: UInt64.self)
            let value = UInt64(littleEndian: low) >> UInt64(offset)
            let high = UInt64(bytes[first + 8]) << UInt64(64 - offset)
            return (offset > 0 ? value | high : value) & mask
        }
        var value: UInt64 = 0
        for (number, byte) in bytes[first...].prefix(9).enumerated() {
            let shift = number * 8 - offset
            value |= shift < 0 ? UInt64(byte) >> UInt64(-shift) : UInt64(byte) << UInt64(shift)
        }
        return value & mask
    }
}
