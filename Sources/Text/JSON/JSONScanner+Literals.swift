extension JSONScanner {
    /// Reads a number.
    mutating func number() throws(JSONSyntaxError) -> JSONNumber {
        var end = offset
        while end < bytes.count, Self.standsInNumber(bytes[end]) { end += 1 }
        guard end - offset <= Self.longestNumber else {
            throw failure("the number has more than \(Self.longestNumber) characters")
        }
        let literal = String(decoding: bytes[offset..<end], as: UTF8.self)
        if let digits = smallDigits(upTo: end) {
            offset = end
            return JSONNumber(literal: literal, digits: digits)
        }
        guard let number = JSONNumber(literal: literal) else {
            throw failure("‘\(literal.escapedForDisplay(limit: 40))’ is no number that fits")
        }
        offset = end
        return number
    }

    /// The value of up to 15 digits without sign; most numbers are of this kind.
    private func smallDigits(upTo end: Int) -> Int? {
        let count = end - offset
        guard count <= 15, count == 1 || bytes[offset] != UInt8(ascii: "0") else { return nil }
        var value = 0
        var place = offset
        while place < end {
            let digit = Int(bytes[place]) - 0x30
            guard digit >= 0, digit <= 9 else { return nil }
            value = value * 10 + digit
            place += 1
        }
        return value
    }

    /// Reads a string whose opening quote is next.
    mutating func string() throws(JSONSyntaxError) -> String {
        let opening = position()
        let string = try rawString()
        guard Self.isStreamSafe(string) else {
            throw JSONSyntaxError(
                position: opening, message: "the string has more than 30 marks on one character")
        }
        return string
    }

    private mutating func rawString() throws(JSONSyntaxError) -> String {
        offset += 1
        var start = offset
        var decoded: [UInt8] = []
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "\"") {
                let last = bytes[start..<offset]
                offset += 1
                guard !decoded.isEmpty else { return String(decoding: last, as: UTF8.self) }
                return String(decoding: decoded + last, as: UTF8.self)
            }
            guard byte >= 0x20 else {
                throw failure("a control character stands in a string; write it as an escape")
            }
            if byte == UInt8(ascii: "\\") {
                decoded.append(contentsOf: bytes[start..<offset])
                decoded.append(contentsOf: UTF8.encode(try escape()) ?? .init())
                start = offset
            } else {
                offset += 1
            }
        }
        throw unexpected("the closing quote of a string")
    }

    private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
        let code = offset + 1 < bytes.count ? bytes[offset + 1] : 0
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
        default: throw failure("this is no escape of JSON")
        }
        offset += 2
        return scalar
    }

    private mutating func unicodeEscape() throws(JSONSyntaxError) -> Unicode.Scalar {
        guard let unit = codeUnit(at: offset) else {
            throw failure("‘\\u’ needs four hexadecimal digits")
        }
        if let scalar = Unicode.Scalar(unit) {
            offset += 6
            return scalar
        }
        guard unit < 0xDC00, let low = codeUnit(at: offset + 6), (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(
                0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
        else {
            throw failure("half of a surrogate pair stands alone")
        }
        offset += 12
        return scalar
    }

    /// The code unit that a `\uXXXX` at a place stands for.
    private func codeUnit(at place: Int) -> UInt16? {
        guard place + 6 <= bytes.count, bytes[place] == UInt8(ascii: "\\"),
            bytes[place + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt16 = 0
        for byte in bytes[(place + 2)..<(place + 6)] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    /// Whether no more than 30 combining marks follow each other.
    ///
    /// Swift compares and hashes strings in normal form, and the time that takes grows with the
    /// square of the longest run of marks. Source: Unicode Standard Annex #15, section 13.
    private static func isStreamSafe(_ string: String) -> Bool {
        // No mark is encoded with a lower first byte than U+0300.
        guard string.utf8.contains(where: { $0 >= 0xCC }) else { return true }
        var run = 0
        for scalar in string.unicodeScalars {
            let isMark = scalar.properties.canonicalCombiningClass != .notReordered
            run = isMark ? run + 1 : 0
            if run > 30 { return false }
        }
        return true
    }

    /// Whether a byte is a digit or one of `.-+eE`.
    private static func standsInNumber(_ byte: UInt8) -> Bool {
        if byte >= 0x30 && byte <= 0x39 { return true }
        return byte == 0x2E || byte == 0x2D || byte == 0x2B || byte | 0x20 == 0x65
    }
}
