/// Decodes bytes from the front; the bytes may be damaged, so every step is checked.
struct ByteReader {
    /// The bytes are damaged.
    struct Damage: Error {}

    private(set) var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes
    }

    mutating func integer<T: FixedWidthInteger>(_: T.Type = T.self) throws(Damage) -> T {
        guard rest.count >= MemoryLayout<T>.size else { throw Damage() }
        let value = T(littleEndian: rest.loadUnaligned(as: T.self))
        rest = UnsafeRawBufferPointer(rebasing: rest[MemoryLayout<T>.size...])
        return value
    }

    /// Unsigned LEB128.
    mutating func variable() throws(Damage) -> UInt64 {
        var value: UInt64 = 0
        for (index, byte) in rest.prefix(10).enumerated() {
            value |= UInt64(byte & 0x7F) << UInt64(7 * index)
            guard byte < 0x80 else { continue }
            guard index < 9 || byte <= 1 else { throw Damage() }
            rest = UnsafeRawBufferPointer(rebasing: rest[(index + 1)...])
            return value
        }
        throw Damage()
    }

    /// Signed LEB128 with zigzag encoding.
    mutating func signedVariable() throws(Damage) -> Int64 {
        let value = try variable()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// A count; damage when it exceeds `limit`.
    mutating func count(atMost limit: Int) throws(Damage) -> Int {
        let value = try variable()
        guard value <= UInt64(limit) else { throw Damage() }
        return Int(value)
    }

    mutating func bytes(_ count: Int) throws(Damage) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= rest.count else { throw Damage() }
        let taken = UnsafeRawBufferPointer(rebasing: rest[..<count])
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        return taken
    }
}

/// Encodes bytes, little-endian.
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

    /// Unsigned LEB128: seven bits per byte, lowest first; the highest bit is set when more bytes follow.
    mutating func appendVariable(_ integer: UInt64) {
        var rest = integer
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// LEB128 with zigzag encoding, so that integers near zero are short.
    mutating func appendVariable(_ integer: Int64) {
        appendVariable(UInt64(bitPattern: integer << 1 ^ integer >> 63))
    }

    /// Appends `count` bytes that `body` fills.
    mutating func append(uninitialized count: Int, _ body: (UnsafeMutableRawPointer) -> Void) {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: count))
        bytes.withUnsafeMutableBytes { raw in
            if let base = raw.baseAddress { body(base + start) }
        }
    }
}
