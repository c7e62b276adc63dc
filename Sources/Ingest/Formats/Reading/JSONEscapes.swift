/// Decodes strings of JSON.
enum JSONEscapes {
    /// Reads up to the closing quote and steps over it.
    static func decode(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, into text: inout [UInt8],
        _ field: Int
    ) throws(RowStop) {
        while true {
            let byte = place.pointee
            switch byte {
            case UInt8(ascii: "\""):
                place += 1
                return
            case UInt8(ascii: "\\"): try escape(&place, end, into: &text, field)
            case 0..<0x20: throw RowStop(place >= end ? .incomplete : .control, field: field)
            default:
                text.append(byte)
                place += 1
            }
        }
    }

    private static func escape(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, into text: inout [UInt8],
        _ field: Int
    ) throws(RowStop) {
        guard place + 1 < end else { throw RowStop(.incomplete) }
        switch place[1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(place[1])
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            let scalar = try unicode(&place, end, field)
            text.append(contentsOf: UTF8.encode(scalar) ?? .init())
            return
        default: throw RowStop(.escape, field: field)
        }
        place += 2
    }

    private static func unicode(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ field: Int
    ) throws(RowStop) -> Unicode.Scalar {
        guard place + 6 <= end else { throw RowStop(.incomplete) }
        guard let unit = codeUnit(place) else { throw RowStop(.escape, field: field) }
        if let scalar = Unicode.Scalar(unit) {
            place += 6
            return scalar
        }
        guard place + 12 <= end || !couldGoOn(place + 6, end) else { throw RowStop(.incomplete) }
        guard unit < 0xDC00, place + 12 <= end, let low = codeUnit(place + 6),
            (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(
                0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
        else { throw RowStop(.surrogate, field: field) }
        place += 12
        return scalar
    }

    /// Whether what stands before the end may become a second escape.
    private static func couldGoOn(
        _ place: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) -> Bool {
        place == end || place[0] == UInt8(ascii: "\\")
    }

    private static func codeUnit(_ place: UnsafePointer<UInt8>) -> UInt16? {
        guard place[0] == UInt8(ascii: "\\"), place[1] == UInt8(ascii: "u") else { return nil }
        var unit: UInt16 = 0
        for offset in 2..<6 {
            let byte = place[offset]
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46: digit = byte - 0x37
            case 0x61...0x66: digit = byte - 0x57
            default: return nil
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
