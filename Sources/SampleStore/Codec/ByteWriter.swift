/// Bytes as they are written, little-endian.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    var count: Int { bytes.count }

    mutating func append(_ integer: some FixedWidthInteger) {
        withUnsafeBytes(of: integer.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ other: some Sequence<UInt8>) {
        bytes.append(contentsOf: other)
    }

    /// Seven bits a byte, the lowest first; the highest bit says that more follow (LEB128).
    mutating func appendVariable(_ integer: UInt64) {
        var rest = integer
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// The same for signed integers, those near zero short (zigzag).
    mutating func appendVariable(_ integer: Int64) {
        appendVariable(UInt64(bitPattern: integer << 1 ^ integer >> 63))
    }

    /// Room at the end for `body` to fill.
    mutating func append(room count: Int, _ body: (UnsafeMutableRawPointer) -> Void) {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: count))
        bytes.withUnsafeMutableBytes { raw in
            if let base = raw.baseAddress { body(base + start) }
        }
    }
}
