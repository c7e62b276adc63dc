/// String literals of JSON.
public enum JSONString {
    /// Writes a text as a JSON string literal, quotes included, piece by piece.
    ///
    /// In addition to RFC 8259, it escapes U+007F, which terminals interpret, and U+2028 and
    /// U+2029, which end a line in older JavaScript.
    ///
    /// ```swift
    /// var bytes: [UInt8] = []
    /// JSONString.write("a \"b\"") { bytes.append(contentsOf: $0) }  // "a \"b\""
    /// ```
    public static func write(_ text: String, append: (UnsafeRawBufferPointer) -> Void) {
        var text = text
        text.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            put("\"")
            // The bytes between `start` and `index` need no escape.
            var (start, index) = (0, 0)
            while index < bytes.count {
                guard let length = escapedLength(in: bytes, at: index) else {
                    index += 1
                    continue
                }
                append(UnsafeRawBufferPointer(rebasing: bytes[start..<index]))
                put(escape(bytes, at: index))
                index += length
                start = index
            }
            append(UnsafeRawBufferPointer(rebasing: bytes[start...]))
            put("\"")
        }

        func put(_ ascii: String) {
            var ascii = ascii
            ascii.withUTF8 { append(UnsafeRawBufferPointer($0)) }
        }
    }

    /// A text as a JSON string literal, quotes included.
    public static func literal(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 2)
        write(text) { bytes.append(contentsOf: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The bytes of the character at `index` if it is escaped, otherwise `nil`.
    private static func escapedLength(in bytes: UnsafeRawBufferPointer, at index: Int) -> Int? {
        switch bytes[index] {
        case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F: return 1
        case 0xE2:
            // U+2028 is E2 80 A8, U+2029 is E2 80 A9.
            guard bytes[index + 1] == 0x80, bytes[index + 2] & 0xFE == 0xA8 else { return nil }
            return 3
        default: return nil
        }
    }

    private static func escape(_ bytes: UnsafeRawBufferPointer, at index: Int) -> String {
        switch bytes[index] {
        case UInt8(ascii: "\""): return "\\\""
        case UInt8(ascii: "\\"): return "\\\\"
        case UInt8(ascii: "\n"): return "\\n"
        case 0xE2: return bytes[index + 2] == 0xA8 ? "\\u2028" : "\\u2029"
        case let byte:
            let digits = String(byte, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}
