import Samples

/// Reads one sample as a JSON object, strictly by RFC 8259.
enum JSONObjectReader {
    /// - Parameter spansLines: whether the object may contain line ends.
    @inline(__always)
    static func read(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
        _ context: inout RowBuilder, spansLines: Bool
    ) throws(RowError) {
        guard position.pointee == UInt8(ascii: "{") else { throw unexpected(position, end) }
        position += 1
        try context.columns.open()
        context.attempt += 1
        let sample = context.attempt
        var previous = FieldTable.start
        var found = 0
        skip(&position, &context.line, spansLines)
        if position.pointee != UInt8(ascii: "}") {
            while true {
                guard position.pointee == UInt8(ascii: "\"") else {
                    throw unexpected(position, end)
                }
                position += 1
                let field: Int
                if let known = context.table.field(quotedAt: position, after: previous) {
                    field = known.field
                    position += known.length + 1
                } else {
                    field = try escapedField(&position, end, &context)
                }
                if context.table.recordRepeats(field, in: sample) {
                    throw RowError(.twice, field: field)
                }
                previous = field
                if position.pointee != UInt8(ascii: ":") {
                    skip(&position, &context.line, spansLines)
                    guard position.pointee == UInt8(ascii: ":") else {
                        throw unexpected(position, end)
                    }
                }
                position += 1
                skip(&position, &context.line, spansLines)
                try value(&position, end, field, &context)
                if field != FieldTable.time { found += 1 }
                skip(&position, &context.line, spansLines)
                if position.pointee == UInt8(ascii: ",") {
                    position += 1
                    skip(&position, &context.line, spansLines)
                } else {
                    break
                }
            }
        }
        guard position.pointee == UInt8(ascii: "}") else { throw unexpected(position, end) }
        position += 1
        guard found == context.table.count else {
            throw RowError(.missing, field: context.table.missing(in: sample) ?? -2)
        }
        if !context.table.contains(FieldTable.time, in: sample) {
            context.columns.set(time: context.now)
        }
    }

    /// The error for an unexpected byte.
    static func unexpected(_ position: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>)
        -> RowError
    {
        RowError(position >= end ? .incomplete : .syntax)
    }

    /// Skips white space, including line ends.
    @inline(__always)
    static func skipSpace(_ position: inout UnsafePointer<UInt8>, _ line: inout Int) {
        skip(&position, &line, true)
    }

    @inline(__always)
    private static func skip(
        _ position: inout UnsafePointer<UInt8>, _ line: inout Int, _ spansLines: Bool
    ) {
        if position.pointee <= 0x20 { skipBytes(&position, &line, spansLines) }
    }

    @inline(never)
    private static func skipBytes(
        _ position: inout UnsafePointer<UInt8>, _ line: inout Int, _ spansLines: Bool
    ) {
        while true {
            switch position.pointee {
            case 0x20, 0x09, 0x0D: break
            case 0x0A where spansLines: line += 1
            default: return
            }
            position += 1
        }
    }

    @inline(__always)
    private static func value(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ field: Int,
        _ context: inout RowBuilder
    ) throws(RowError) {
        let byte = position.pointee
        if byte &- 0x30 <= 9 || byte == UInt8(ascii: "-") {
            do throws(RowError) {
                try number(&position, field, &context)
            } catch {
                // A number cut by the end of the input may look malformed.
                throw position == end ? RowError(.incomplete) : error
            }
        } else if byte == UInt8(ascii: "\""),
            field == FieldTable.time || !context.kinds[field].isNumeric
        {
            position += 1
            try string(&position, end, field, &context)
        } else {
            throw wrongValue(position, end, field, context.kinds)
        }
    }

    @inline(__always)
    private static func number(
        _ position: inout UnsafePointer<UInt8>, _ field: Int, _ context: inout RowBuilder
    ) throws(RowError) {
        if field == FieldTable.time {
            try context.readTime(&position)
        } else {
            switch context.kinds[field] {
            case .number: try context.readNumber(&position, field, isInteger: false)
            case .integer: try context.readNumber(&position, field, isInteger: true)
            case .state, .text: throw RowError(.notText, field: field)
            }
        }
    }

    @inline(never)
    private static func wrongValue(
        _ position: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ field: Int,
        _ kinds: [Field.Kind]
    ) -> RowError {
        switch position.pointee {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return RowError(.nested, field: field)
        case UInt8(ascii: "n"), UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "\""):
            if position.pointee == UInt8(ascii: "n") {
                return word("null", .null, position, end, field)
            }
            let reason: RowError.Reason =
                field == FieldTable.time
                ? .notTime : kinds[field].isNumeric ? .notNumber : .notText
            if position.pointee == UInt8(ascii: "t") {
                return word("true", reason, position, end, field)
            }
            if position.pointee == UInt8(ascii: "f") {
                return word("false", reason, position, end, field)
            }
            return RowError(reason, field: field)
        default: return RowError(position >= end ? .incomplete : .syntax, field: field)
        }
    }

    private static func word(
        _ word: StaticString, _ reason: RowError.Reason, _ position: UnsafePointer<UInt8>,
        _ end: UnsafePointer<UInt8>, _ field: Int
    ) -> RowError {
        for offset in 0..<word.utf8CodeUnitCount {
            guard position + offset < end else { return RowError(.incomplete) }
            guard position[offset] == word.utf8Start[offset] else {
                return RowError(.syntax, field: field)
            }
        }
        return RowError(reason, field: field)
    }

    /// Reads a string from after its opening quote.
    private static func string(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ field: Int,
        _ context: inout RowBuilder
    ) throws(RowError) {
        let start = position
        var bits: UInt8 = 0
        while true {
            let byte = position.pointee
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                position = start
                try escapedString(&position, end, field, &context)
                return
            }
            guard byte >= 0x20 else {
                throw RowError(position >= end ? .incomplete : .control, field: field)
            }
            bits |= byte
            position += 1
        }
        let text = UnsafeBufferPointer(start: start, count: position - start)
        position += 1
        try context.take(text, field, isASCII: bits < 0x80)
    }

    private static func escapedString(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ field: Int,
        _ context: inout RowBuilder
    ) throws(RowError) {
        var text: [UInt8] = []
        try JSONStringDecoder.decode(&position, end, into: &text, field)
        var stop: RowError?
        text.withUnsafeBufferPointer { bytes in
            do throws(RowError) {
                try context.take(bytes, field, isASCII: false)
            } catch {
                stop = error
            }
        }
        if let stop { throw stop }
    }

    /// The slow path: a key with escapes, or an unknown one.
    @inline(never)
    private static func escapedField(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
        _ context: inout RowBuilder
    ) throws(RowError) -> Int {
        var name: [UInt8] = []
        try JSONStringDecoder.decode(&position, end, into: &name, -2)
        guard let field = name.withUnsafeBufferPointer({ context.table.field(named: $0) }) else {
            context.unknownName = name
            throw RowError(.unknown)
        }
        return field
    }
}

/// Decodes JSON string literals.
enum JSONStringDecoder {
    /// Reads up to the closing quote and steps over it.
    static func decode(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
        into text: inout [UInt8],
        _ field: Int
    ) throws(RowError) {
        while true {
            let byte = position.pointee
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return
            case UInt8(ascii: "\\"): try escape(&position, end, into: &text, field)
            case 0..<0x20: throw RowError(position >= end ? .incomplete : .control, field: field)
            default:
                text.append(byte)
                position += 1
            }
        }
    }

    private static func escape(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
        into text: inout [UInt8],
        _ field: Int
    ) throws(RowError) {
        guard position + 1 < end else { throw RowError(.incomplete) }
        switch position[1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(position[1])
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            let scalar = try unicode(&position, end, field)
            text.append(contentsOf: UTF8.encode(scalar) ?? .init())
            return
        default: throw RowError(.escape, field: field)
        }
        position += 2
    }

    private static func unicode(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ field: Int
    ) throws(RowError) -> Unicode.Scalar {
        guard position + 6 <= end else { throw RowError(.incomplete) }
        guard let unit = codeUnit(position) else { throw RowError(.escape, field: field) }
        if let scalar = Unicode.Scalar(unit) {
            position += 6
            return scalar
        }
        guard position + 12 <= end || !mayContinue(position + 6, end) else {
            throw RowError(.incomplete)
        }
        guard unit < 0xDC00, position + 12 <= end, let low = codeUnit(position + 6),
            (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(
                0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
        else { throw RowError(.surrogate, field: field) }
        position += 12
        return scalar
    }

    /// Whether the rest of the input may be the start of a second escape.
    private static func mayContinue(
        _ position: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) -> Bool {
        position == end || position[0] == UInt8(ascii: "\\")
    }

    private static func codeUnit(_ position: UnsafePointer<UInt8>) -> UInt16? {
        guard position[0] == UInt8(ascii: "\\"), position[1] == UInt8(ascii: "u") else {
            return nil
        }
        var unit: UInt16 = 0
        for offset in 2..<6 {
            let byte = position[offset]
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
