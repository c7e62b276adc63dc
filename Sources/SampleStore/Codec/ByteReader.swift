/// Bytes that are read from the front; they may be damaged, so every step is checked.
struct ByteReader {
    /// The bytes do not say what they should.
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

    mutating func variable() throws(Damage) -> UInt64 {
        var value: UInt64 = 0
        for (place, byte) in rest.prefix(10).enumerated() {
            value |= UInt64(byte & 0x7F) << UInt64(7 * place)
            guard byte < 0x80 else { continue }
            guard place < 9 || byte <= 1 else { throw Damage() }
            rest = UnsafeRawBufferPointer(rebasing: rest[(place + 1)...])
            return value
        }
        throw Damage()
    }

    mutating func signedVariable() throws(Damage) -> Int64 {
        let value = try variable()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// A number of things that cannot be more than `limit`.
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
