/// Parses a text of valid UTF-8 in one pass.
struct JSONScanner {
    /// Longer literals add no precision, and their conversion to a double is not linear.
    static let longestNumber = 128

    let bytes: [UInt8]
    let maximumDepth: Int
    let allowsTrailingCommas: Bool
    var offset = 0

    // Lines and columns are counted up to here; positions are requested in ascending order only.
    private var countedOffset = 0
    private var line = 1
    private var column = 1

    init(_ bytes: [UInt8], maximumDepth: Int, allowsTrailingCommas: Bool) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        self.allowsTrailingCommas = allowsTrailingCommas
    }

    mutating func document() throws(JSONSyntaxError) -> JSONValue {
        let value = try value(depth: 0)
        skipWhitespace()
        guard offset == bytes.count else { throw unexpected("the end of the text") }
        return value
    }

    /// The byte at the offset, or `nil` at the end.
    var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// The position of the offset.
    mutating func position() -> JSONPosition {
        while countedOffset < offset {
            let byte = bytes[countedOffset]
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
            countedOffset += 1
        }
        return JSONPosition(line: line, column: column)
    }

    mutating func failure(_ message: String) -> JSONSyntaxError {
        JSONSyntaxError(position: position(), message: message)
    }

    mutating func unexpected(_ wanted: String) -> JSONSyntaxError {
        guard offset < bytes.count else {
            return failure("the text ends where \(wanted) is expected")
        }
        // Four bytes contain any scalar.
        let shown = String(decoding: bytes[offset...].prefix(4), as: UTF8.self).unicodeScalars
            .prefix(1)
        let text = String(String.UnicodeScalarView(shown)).escapedForDisplay(limit: 12)
        return failure("‘\(text)’ where \(wanted) is expected")
    }

    mutating func skipWhitespace() {
        while offset < bytes.count {
            let byte = bytes[offset]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            offset += 1
        }
    }

    /// Skips white space, and a byte if it is next.
    mutating func take(_ byte: UInt8) -> Bool {
        skipWhitespace()
        guard next == byte else { return false }
        offset += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        skipWhitespace()
        let start = position()
        let content: JSONValue.Content
        switch next ?? 0 {
        case 0x30...0x39, 0x2D: content = .number(try number())
        case UInt8(ascii: "\""): content = .string(try string())
        case UInt8(ascii: "{"): content = .object(try members(depth: depth + 1))
        case UInt8(ascii: "["): content = .array(try elements(depth: depth + 1))
        case UInt8(ascii: "t"): content = try word("true", .bool(true))
        case UInt8(ascii: "f"): content = try word("false", .bool(false))
        case UInt8(ascii: "n"): content = try word("null", .null)
        default: throw unexpected("a value")
        }
        return JSONValue(content, at: start)
    }

    private mutating func elements(depth: Int) throws(JSONSyntaxError) -> [JSONValue] {
        try enter(depth: depth)
        var elements: [JSONValue] = []
        while !take(UInt8(ascii: "]")) {
            if !elements.isEmpty {
                try comma(before: "]")
                if allowsTrailingCommas, take(UInt8(ascii: "]")) { break }
            }
            elements.append(try value(depth: depth))
        }
        return elements
    }

    private mutating func members(depth: Int) throws(JSONSyntaxError) -> [JSONMember] {
        try enter(depth: depth)
        var members: [JSONMember] = []
        var keys: Set<String> = []
        while !take(UInt8(ascii: "}")) {
            if !members.isEmpty {
                try comma(before: "}")
                if allowsTrailingCommas, take(UInt8(ascii: "}")) { break }
            }
            skipWhitespace()
            let start = position()
            guard next == UInt8(ascii: "\"") else { throw unexpected("a key in quotes") }
            let key = try string()
            guard keys.insert(key).inserted else {
                throw JSONSyntaxError(
                    position: start,
                    message: "the key ‘\(key.escapedForDisplay(limit: 40))’ is a duplicate")
            }
            guard take(UInt8(ascii: ":")) else { throw unexpected("‘:’") }
            members.append(JSONMember(key: key, position: start, value: try value(depth: depth)))
        }
        return members
    }

    private mutating func enter(depth: Int) throws(JSONSyntaxError) {
        guard depth <= maximumDepth else {
            throw failure("lists and objects are nested more than \(maximumDepth) deep")
        }
        offset += 1
    }

    private mutating func comma(before end: String) throws(JSONSyntaxError) {
        guard take(UInt8(ascii: ",")) else { throw unexpected("‘,’ or ‘\(end)’") }
    }

    private mutating func word(
        _ word: String, _ content: JSONValue.Content
    ) throws(JSONSyntaxError) -> JSONValue.Content {
        guard bytes[offset...].starts(with: word.utf8) else { throw unexpected("a value") }
        offset += word.utf8.count
        return content
    }
}

extension JSONScanner {
    /// Reads a number.
    mutating func number() throws(JSONSyntaxError) -> JSONNumber {
        var end = offset
        while end < bytes.count, Self.isPartOfNumber(bytes[end]) { end += 1 }
        guard end - offset <= Self.longestNumber else {
            throw failure("the number has more than \(Self.longestNumber) characters")
        }
        let literal = String(decoding: bytes[offset..<end], as: UTF8.self)
        if let digits = smallDigits(upTo: end) {
            offset = end
            return JSONNumber(literal: literal, digits: digits)
        }
        guard let number = JSONNumber(literal: literal) else {
            throw failure("‘\(literal.escapedForDisplay(limit: 40))’ is not a valid number")
        }
        offset = end
        return number
    }

    /// The value of up to 15 digits without sign, as most numbers are.
    private func smallDigits(upTo end: Int) -> Int? {
        let count = end - offset
        guard count <= 15, count == 1 || bytes[offset] != UInt8(ascii: "0") else { return nil }
        var value = 0
        var index = offset
        while index < end {
            let digit = Int(bytes[index]) - 0x30
            guard digit >= 0, digit <= 9 else { return nil }
            value = value * 10 + digit
            index += 1
        }
        return value
    }

    /// Reads a string whose opening quote is next.
    mutating func string() throws(JSONSyntaxError) -> String {
        let opening = position()
        let string = try rawString()
        guard Self.isStreamSafe(string) else {
            throw JSONSyntaxError(
                position: opening,
                message: "the string has more than 30 combining marks on one character")
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
                throw failure("a control character in a string; write it as an escape")
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
        default: throw failure("an invalid escape")
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
            throw failure("an unpaired surrogate")
        }
        offset += 12
        return scalar
    }

    /// The code unit of a `\uXXXX` at an index.
    private func codeUnit(at index: Int) -> UInt16? {
        guard index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"),
            bytes[index + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt16 = 0
        for byte in bytes[(index + 2)..<(index + 6)] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    /// Whether there are at most 30 consecutive combining marks.
    ///
    /// Swift normalises strings for comparison and hashing, which takes quadratic time in the longest run
    /// of marks. Source: Unicode Standard Annex #15, section 13.
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
    private static func isPartOfNumber(_ byte: UInt8) -> Bool {
        if byte >= 0x30 && byte <= 0x39 { return true }
        return byte == 0x2E || byte == 0x2D || byte == 0x2B || byte | 0x20 == 0x65
    }
}
