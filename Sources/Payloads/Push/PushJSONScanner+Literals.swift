extension PushJSONScanner {
    /// A longer number says nothing more, and turning digits into a double is not linear.
    private static let longestNumber = 128

    /// Reads a number (RFC 8259, section 6).
    mutating func number() throws(PushFault) -> PushJSON {
        let start = offset
        var isWhole = true
        if next == UInt8(ascii: "-") { offset += 1 }
        let first = offset
        try digits()
        guard offset - first == 1 || bytes[first] != UInt8(ascii: "0") else { throw malformed }
        if next == UInt8(ascii: ".") {
            isWhole = false
            offset += 1
            try digits()
        }
        if next | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            offset += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { offset += 1 }
            try digits()
        }
        guard offset - start <= Self.longestNumber else { throw malformed }
        let literal = String(decoding: bytes[start..<offset], as: UTF8.self)
        if isWhole, let integer = Int64(literal) { return .integer(integer) }
        guard let number = Double(literal) else { throw malformed }
        return .number(number)
    }

    /// Steps over digits, of which there must be one.
    private mutating func digits() throws(PushFault) {
        let start = offset
        while (0x30...0x39).contains(next) { offset += 1 }
        guard offset > start else { throw malformed }
    }

    /// Reads a string whose opening quote is next.
    mutating func string() throws(PushFault) -> String {
        offset += 1
        var start = offset
        var decoded: [UInt8] = []
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "\"") {
                let last = bytes[start..<offset]
                offset += 1
                return String(
                    decoding: decoded.isEmpty ? last : (decoded + last)[...], as: UTF8.self)
            }
            guard byte >= 0x20 else { throw malformed }
            if byte == UInt8(ascii: "\\") {
                decoded += bytes[start..<offset]
                decoded += Array(UTF8.encode(try escape()) ?? .init())
                start = offset
            } else {
                offset += 1
            }
        }
        throw malformed
    }

    private mutating func escape() throws(PushFault) -> Unicode.Scalar {
        offset += 1
        let code = next
        let scalar: Unicode.Scalar
        switch code {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            scalar = Unicode.Scalar(code)
        case UInt8(ascii: "b"): scalar = "\u{8}"
        case UInt8(ascii: "f"): scalar = "\u{C}"
        case UInt8(ascii: "n"): scalar = "\n"
        case UInt8(ascii: "r"): scalar = "\r"
        case UInt8(ascii: "t"): scalar = "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw malformed
        }
        offset += 1
        return scalar
    }

    /// Reads `uXXXX`, and the other half of a pair behind it.
    private mutating func unicodeEscape() throws(PushFault) -> Unicode.Scalar {
        let unit = try codeUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, next == UInt8(ascii: "\\") else { throw malformed }
        offset += 1
        guard next == UInt8(ascii: "u") else { throw malformed }
        let low = try codeUnit()
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(
                0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
        else { throw malformed }
        return scalar
    }

    private mutating func codeUnit() throws(PushFault) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            offset += 1
            guard let digit = Character(Unicode.Scalar(next)).hexDigitValue else {
                throw malformed
            }
            unit = unit << 4 | UInt16(digit)
        }
        offset += 1
        return unit
    }
}
