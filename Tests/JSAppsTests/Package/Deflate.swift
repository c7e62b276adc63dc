/// Two ways to write a deflate stream by hand.
///
/// Source: RFC 1951.
enum Deflate {
    /// Blocks that hold the bytes as they are.
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

    /// One block with fixed codes: a zero, then copies of 258 bytes, so a thousandth of the size.
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

    /// Writes bits in the order in which Huffman codes stand: from the highest.
    private struct BitWriter {
        var bytes: [UInt8] = []
        private var used = 8

        mutating func write(_ value: UInt32, count: Int) {
            for place in stride(from: count - 1, through: 0, by: -1) {
                if used == 8 {
                    bytes.append(0)
                    used = 0
                }
                bytes[bytes.count - 1] |= UInt8(value >> UInt32(place) & 1) << UInt8(used)
                used += 1
            }
        }
    }
}
