/// One pass over a text that is known to be UTF-8.
struct JSONScanner {
    /// A longer literal says nothing more, and turning digits into a double is not linear.
    static let longestNumber = 128

    let bytes: [UInt8]
    let maximumDepth: Int
    let allowsTrailingCommas: Bool
    var offset = 0

    // How far lines and columns are counted; places are asked for in rising order only.
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

    /// The place of the offset.
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
            return failure("the text ends where \(wanted) should be")
        }
        // Four bytes hold any scalar; what follows it in them is not shown.
        let shown = String(decoding: bytes[offset...].prefix(4), as: UTF8.self).unicodeScalars
            .prefix(1)
        let text = String(String.UnicodeScalarView(shown)).escapedForDisplay(limit: 12)
        return failure("‘\(text)’ stands where \(wanted) should be")
    }

    mutating func skipWhitespace() {
        while offset < bytes.count {
            let byte = bytes[offset]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            offset += 1
        }
    }

    /// Steps over a byte if it is the next one after white space.
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
                    message: "the key ‘\(key.escapedForDisplay(limit: 40))’ stands here twice")
            }
            guard take(UInt8(ascii: ":")) else { throw unexpected("‘:’") }
            members.append(JSONMember(key: key, position: start, value: try value(depth: depth)))
        }
        return members
    }

    private mutating func enter(depth: Int) throws(JSONSyntaxError) {
        guard depth <= maximumDepth else {
            throw failure("lists and objects stand more than \(maximumDepth) deep")
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
