/// One pass over a JSON text that is known to be UTF-8.
struct PushJSONScanner {
    let bytes: [UInt8]
    var offset = 0
    private var left = PushLimits.values

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func document() throws(PushFault) -> PushJSON {
        let value = try value(depth: 0)
        skipSpace()
        guard offset == bytes.count else { throw malformed }
        return value
    }

    var malformed: PushFault {
        PushFault(.malformed, "The body is not JSON, at byte \(offset + 1).")
    }

    /// The byte at the offset; 0, which stands nowhere in JSON, at the end.
    var next: UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    /// Steps over a byte if it is the next one after white space.
    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard next == byte else { return false }
        offset += 1
        return true
    }

    private mutating func skipSpace() {
        while [0x20, 0x0A, 0x0D, 0x09].contains(next) { offset += 1 }
    }

    private mutating func value(depth: Int) throws(PushFault) -> PushJSON {
        left -= 1
        guard left >= 0 else {
            throw PushFault(.tooLarge, "A body has at most \(PushLimits.values) values.")
        }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return .object(try members(depth: depth + 1))
        case UInt8(ascii: "["): return .list(try elements(depth: depth + 1))
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "t"): return try word("true", .flag(true))
        case UInt8(ascii: "f"): return try word("false", .flag(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func enter(depth: Int) throws(PushFault) {
        guard depth <= PushLimits.depth else {
            throw PushFault(
                .malformed, "Lists and objects stand more than \(PushLimits.depth) deep.")
        }
        offset += 1
    }

    private mutating func elements(depth: Int) throws(PushFault) -> [PushJSON] {
        try enter(depth: depth)
        var elements: [PushJSON] = []
        while !take(UInt8(ascii: "]")) {
            guard elements.isEmpty || take(UInt8(ascii: ",")) else { throw malformed }
            elements.append(try value(depth: depth))
        }
        return elements
    }

    private mutating func members(depth: Int) throws(PushFault) -> [PushJSON.Member] {
        try enter(depth: depth)
        var members: [PushJSON.Member] = []
        while !take(UInt8(ascii: "}")) {
            guard members.isEmpty || take(UInt8(ascii: ",")) else { throw malformed }
            guard members.count < PushLimits.members else {
                throw PushFault(.tooLarge, "An object has at most \(PushLimits.members) members.")
            }
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw malformed }
            let key = try string()
            guard take(UInt8(ascii: ":")) else { throw malformed }
            members.append(PushJSON.Member(key: key, value: try value(depth: depth)))
        }
        return members
    }

    private mutating func word(
        _ word: StaticString, _ value: PushJSON
    ) throws(PushFault) -> PushJSON {
        let letters = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard bytes[offset...].starts(with: letters) else { throw malformed }
        offset += letters.count
        return value
    }
}
