/// The fields that stand in a local header and again in the central directory.
struct ForgedHeader {
    var flags: UInt16 = 0
    var method: UInt16 = 0
    var crc: UInt32 = 0
    var packedSize: UInt32 = 0
    var size: UInt32 = 0
    var name: [UInt8]
    var extra: [UInt8] = []

    var common: [UInt8] {
        flags.littleBytes + method.littleBytes + UInt32(0x21_0000).littleBytes + crc.littleBytes
            + packedSize.littleBytes + size.littleBytes + UInt16(name.count).littleBytes
            + UInt16(extra.count).littleBytes
    }
}

extension FixedWidthInteger {
    var littleBytes: [UInt8] {
        (0..<(Self.bitWidth / 8)).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
    }
}
