/// An entry of a forged archive, whose two records can contradict each other.
struct ForgedEntry {
    var local: ForgedHeader
    var central: ForgedHeader
    var payload: [UInt8]
    var descriptor: [UInt8] = []
    var madeBy: UInt16 = 3 << 8 | 20
    var attributes: UInt32 = 0o100644 << 16
    var disk: UInt16 = 0
    var comment: [UInt8] = []
    /// The offset in the directory, if not the real one.
    var claimedOffset: UInt32?

    private init(header: ForgedHeader, payload: [UInt8]) {
        local = header
        central = header
        self.payload = payload
    }

    static func stored(_ name: String, _ content: String = "") -> ForgedEntry {
        stored(Array(name.utf8), Array(content.utf8))
    }

    static func stored(_ name: [UInt8], _ content: [UInt8]) -> ForgedEntry {
        let size = UInt32(content.count)
        let header = ForgedHeader(
            crc: CRC32.of(content), packedSize: size, size: size, name: name)
        return ForgedEntry(header: header, payload: content)
    }

    static func deflated(_ name: String, _ content: String) -> ForgedEntry {
        let bytes = Array(content.utf8)
        let packed = Deflate.stored(bytes)
        let header = ForgedHeader(
            method: 8, crc: CRC32.of(bytes), packedSize: UInt32(packed.count),
            size: UInt32(bytes.count), name: Array(name.utf8))
        return ForgedEntry(header: header, payload: packed)
    }

    /// A file of many equal bytes that is tiny in the archive; its checksum is wrong.
    static func bomb(_ name: String, size: Int, claimed: Int) -> ForgedEntry {
        let packed = Deflate.zeros(size)
        let header = ForgedHeader(
            method: 8, packedSize: UInt32(packed.count), size: UInt32(claimed),
            name: Array(name.utf8))
        return ForgedEntry(header: header, payload: packed)
    }

    static func folder(_ name: String) -> ForgedEntry {
        var entry = stored(name)
        entry.attributes = 0o040755 << 16 | 0x10
        return entry
    }

    /// The same entry as written to a stream: the sizes follow the data.
    func streamed(signed: Bool = true) -> ForgedEntry {
        var entry = self
        entry.central.flags |= 8
        entry.local.flags |= 8
        (entry.local.crc, entry.local.packedSize, entry.local.size) = (0, 0, 0)
        entry.descriptor =
            (signed ? [0x50, 0x4B, 7, 8] : []) + central.crc.littleBytes
            + central.packedSize.littleBytes + central.size.littleBytes
        return entry
    }

    func changed(_ change: (inout ForgedEntry) -> Void) -> ForgedEntry {
        var entry = self
        change(&entry)
        return entry
    }

    /// Changes both records equally.
    func changedBoth(_ change: (inout ForgedHeader) -> Void) -> ForgedEntry {
        changed {
            change(&$0.local)
            change(&$0.central)
        }
    }

    var localBytes: [UInt8] {
        [0x50, 0x4B, 3, 4, 20, 0] + local.common + local.name + local.extra + payload + descriptor
    }

    func centralBytes(offset: UInt32) -> [UInt8] {
        [0x50, 0x4B, 1, 2] + madeBy.littleBytes + [20, 0] + central.common
            + UInt16(comment.count).littleBytes + disk.littleBytes + [0, 0]
            + attributes.littleBytes + (claimedOffset ?? offset).littleBytes + central.name
            + central.extra + comment
    }
}

/// The fields that a local header and the central directory share.
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

/// The checksum of ZIP.
///
/// Source: ISO 3309, reflected polynomial 0xEDB88320.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
        }
    }

    static func of(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
    }
}

/// Two ways to write a deflate stream by hand.
///
/// Source: RFC 1951.
enum Deflate {
    /// Blocks of uncompressed bytes.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var packed: [UInt8] = []
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            packed.append(rest.isEmpty ? 1 : 0)
            packed += UInt16(block.count).littleBytes + (~UInt16(block.count)).littleBytes + block
        } while !rest.isEmpty
        return packed
    }

    /// One block with fixed codes: a zero byte, then copies of 258 bytes with 13 bits for each, so the
    /// result has about 1/160 of the size.
    static func zeros(_ count: Int) -> [UInt8] {
        var writer = BitWriter()
        writer.write(0b1, count: 1)
        writer.write(0b10, count: 2)
        // The code of the literal 0, then those of length 258 at distance 1, then the end.
        writer.write(0b0011_0000, count: 8)
        for _ in 0..<(count / 258) {
            writer.write(0b1100_0101, count: 8)
            writer.write(0, count: 5)
        }
        writer.write(0, count: 7)
        return writer.bytes
    }

    /// Writes bits in the order of Huffman codes: the highest first.
    private struct BitWriter {
        var bytes: [UInt8] = []
        private var used = 8

        mutating func write(_ value: UInt32, count: Int) {
            for bit in stride(from: count - 1, through: 0, by: -1) {
                if used == 8 {
                    bytes.append(0)
                    used = 0
                }
                bytes[bytes.count - 1] |= UInt8(value >> UInt32(bit) & 1) << UInt8(used)
                used += 1
            }
        }
    }
}
