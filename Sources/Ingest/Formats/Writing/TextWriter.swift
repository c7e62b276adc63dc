/// Writes texts so that their form reads them back the same.
enum TextWriter {
    /// The most bytes that a text of so many may become.
    @inline(__always)
    static func most(_ count: Int) -> Int { 6 * count + 2 }

    /// A JSON string, escaped as RFC 8259 demands; line separators too, for readers that take it for
    /// JavaScript.
    static func json(_ text: UnsafeBufferPointer<UInt8>, _ place: inout Digits.Place) {
        append(UInt8(ascii: "\""), &place)
        var index = 0
        while index < text.count {
            let byte = text[index]
            index += 1
            if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte != 0xE2 {
                append(byte, &place)
                continue
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                append(UInt8(ascii: "\\"), &place)
                append(byte, &place)
            case 0x0A:
                append(UInt8(ascii: "\\"), &place)
                append(UInt8(ascii: "n"), &place)
            case 0xE2
            where index + 1 < text.count && text[index] == 0x80 && text[index + 1] & 0xFE == 0xA8:
                escape(0x2028 + UInt16(text[index + 1] & 1), &place)
                index += 2
            case 0xE2: append(byte, &place)
            default: escape(UInt16(byte), &place)
            }
        }
        append(UInt8(ascii: "\""), &place)
    }

    /// A cell in quotes, as RFC 4180 has it.
    static func csv(_ text: UnsafeBufferPointer<UInt8>, _ place: inout Digits.Place) {
        append(UInt8(ascii: "\""), &place)
        for byte in text {
            if byte == UInt8(ascii: "\"") { append(byte, &place) }
            append(byte, &place)
        }
        append(UInt8(ascii: "\""), &place)
    }

    @inline(__always)
    private static func append(_ byte: UInt8, _ place: inout Digits.Place) {
        place.pointee = byte
        place += 1
    }

    private static func escape(_ unit: UInt16, _ place: inout Digits.Place) {
        append(UInt8(ascii: "\\"), &place)
        append(UInt8(ascii: "u"), &place)
        for shift: UInt16 in [12, 8, 4, 0] {
            let digit = UInt8(unit >> shift & 15)
            append(digit < 10 ? 0x30 + digit : 0x57 + digit, &place)
        }
    }
}
