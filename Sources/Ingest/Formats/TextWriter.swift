/// Writes texts with the quoting of their format.
enum TextWriter {
    /// The maximum size of a written text of `count` bytes.
    @inline(__always)
    static func maximumSize(_ count: Int) -> Int { 6 * count + 2 }

    /// Writes a JSON string literal.
    ///
    /// Escapes exactly what `JSONString.write` of Text escapes; this copy writes into a raw buffer,
    /// byte by byte, for speed.
    static func json(_ text: UnsafeBufferPointer<UInt8>, _ output: inout Digits.Output) {
        append(UInt8(ascii: "\""), &output)
        var index = 0
        while index < text.count {
            let byte = text[index]
            index += 1
            if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte != 0x7F,
                byte != 0xE2
            {
                append(byte, &output)
                continue
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                append(UInt8(ascii: "\\"), &output)
                append(byte, &output)
            case 0x0A:
                append(UInt8(ascii: "\\"), &output)
                append(UInt8(ascii: "n"), &output)
            case 0xE2
            where index + 1 < text.count && text[index] == 0x80 && text[index + 1] & 0xFE == 0xA8:
                escape(0x2028 + UInt16(text[index + 1] & 1), &output)
                index += 2
            case 0xE2: append(byte, &output)
            default: escape(UInt16(byte), &output)
            }
        }
        append(UInt8(ascii: "\""), &output)
    }

    /// Writes a quoted cell (RFC 4180).
    static func csv(_ text: UnsafeBufferPointer<UInt8>, _ output: inout Digits.Output) {
        append(UInt8(ascii: "\""), &output)
        for byte in text {
            if byte == UInt8(ascii: "\"") { append(byte, &output) }
            append(byte, &output)
        }
        append(UInt8(ascii: "\""), &output)
    }

    @inline(__always)
    private static func append(_ byte: UInt8, _ output: inout Digits.Output) {
        output.pointee = byte
        output += 1
    }

    private static func escape(_ unit: UInt16, _ output: inout Digits.Output) {
        append(UInt8(ascii: "\\"), &output)
        append(UInt8(ascii: "u"), &output)
        for shift: UInt16 in [12, 8, 4, 0] {
            let digit = UInt8(unit >> shift & 15)
            append(digit < 10 ? 0x30 + digit : 0x57 + digit, &output)
        }
    }
}

/// A growing output buffer.
struct OutputBuffer: ~Copyable {
    /// How many bytes beyond the reserved space a writer may overwrite.
    static let slack = 16

    private var capacity: Int
    private(set) var start: UnsafeMutablePointer<UInt8>
    /// The position after the last byte.
    var next: UnsafeMutablePointer<UInt8>

    init(capacity: Int) {
        self.capacity = capacity
        start = .allocate(capacity: capacity + Self.slack)
        next = start
    }

    deinit { start.deallocate() }

    var count: Int { next - start }

    /// Makes room for `more` further bytes; the slack comes in addition.
    @inline(__always)
    mutating func reserve(_ more: Int) {
        if capacity - (next - start) < more { grow(more) }
    }

    mutating func append(_ bytes: [UInt8]) {
        reserve(bytes.count)
        bytes.withUnsafeBufferPointer { source in
            guard let base = source.baseAddress else { return }
            next.update(from: base, count: source.count)
        }
        next += bytes.count
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        reserve(bytes.count)
        UnsafeMutableRawPointer(next).copyMemory(from: base, byteCount: bytes.count)
        next += bytes.count
    }

    mutating func append<T: FixedWidthInteger>(_ number: T) {
        withUnsafeBytes(of: number.littleEndian) { append($0) }
    }

    mutating func removeAll() { next = start }

    private mutating func grow(_ more: Int) {
        let count = next - start
        capacity = max(2 * capacity, count + more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + Self.slack)
        larger.update(from: start, count: count)
        start.deallocate()
        start = larger
        next = larger + count
    }
}
