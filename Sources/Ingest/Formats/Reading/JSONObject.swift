import Samples

/// Reads one sample as a JSON object, strictly as RFC 8259 has it.
enum JSONObject {
    /// - Parameter spansLines: whether its members may stand on lines of their own.
    @inline(__always)
    static func read(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
        _ context: inout RowContext, spansLines: Bool
    ) throws(RowStop) {
        guard place.pointee == UInt8(ascii: "{") else { throw unexpected(place, end) }
        place += 1
        try context.columns.open()
        context.attempt += 1
        let sample = context.attempt
        var previous = FieldTable.start
        var found = 0
        skip(&place, &context.line, spansLines)
        if place.pointee != UInt8(ascii: "}") {
            while true {
                guard place.pointee == UInt8(ascii: "\"") else { throw unexpected(place, end) }
                place += 1
                let field: Int
                if let known = context.table.field(quotedAt: place, after: previous) {
                    field = known.field
                    place += known.length + 1
                } else {
                    field = try escapedField(&place, end, &context)
                }
                if context.table.isTwice(field, in: sample) { throw RowStop(.twice, field: field) }
                previous = field
                if place.pointee != UInt8(ascii: ":") {
                    skip(&place, &context.line, spansLines)
                    guard place.pointee == UInt8(ascii: ":") else { throw unexpected(place, end) }
                }
                place += 1
                skip(&place, &context.line, spansLines)
                try value(&place, end, field, &context)
                if field != FieldTable.time { found += 1 }
                skip(&place, &context.line, spansLines)
                if place.pointee == UInt8(ascii: ",") {
                    place += 1
                    skip(&place, &context.line, spansLines)
                } else {
                    break
                }
            }
        }
        guard place.pointee == UInt8(ascii: "}") else { throw unexpected(place, end) }
        place += 1
        guard found == context.table.count else {
            throw RowStop(.missing, field: context.table.missing(in: sample) ?? -2)
        }
        if !context.table.stood(FieldTable.time, in: sample) {
            context.columns.set(time: context.now)
        }
    }

    /// What is wrong where something else should stand.
    static func unexpected(_ place: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> RowStop {
        RowStop(place >= end ? .incomplete : .syntax)
    }

    /// Steps over white space, lines included.
    @inline(__always)
    static func skipSpace(_ place: inout UnsafePointer<UInt8>, _ line: inout Int) {
        skip(&place, &line, true)
    }

    @inline(__always)
    private static func skip(
        _ place: inout UnsafePointer<UInt8>, _ line: inout Int, _ spansLines: Bool
    ) {
        if place.pointee <= 0x20 { skipBytes(&place, &line, spansLines) }
    }

    @inline(never)
    private static func skipBytes(
        _ place: inout UnsafePointer<UInt8>, _ line: inout Int, _ spansLines: Bool
    ) {
        while true {
            switch place.pointee {
            case 0x20, 0x09, 0x0D: break
            case 0x0A where spansLines: line += 1
            default: return
            }
            place += 1
        }
    }

    @inline(__always)
    private static func value(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ field: Int,
        _ context: inout RowContext
    ) throws(RowStop) {
        let byte = place.pointee
        if byte &- 0x30 <= 9 || byte == UInt8(ascii: "-") {
            do throws(RowStop) {
                try number(&place, field, &context)
            } catch {
                // A number that the end of the bytes cuts in two may look like none.
                throw place == end ? RowStop(.incomplete) : error
            }
        } else if byte == UInt8(ascii: "\""),
            field == FieldTable.time || !context.kinds[field].isNumeric
        {
            place += 1
            try string(&place, end, field, &context)
        } else {
            throw wrongValue(place, end, field, context.kinds)
        }
    }

    @inline(__always)
    private static func number(
        _ place: inout UnsafePointer<UInt8>, _ field: Int, _ context: inout RowContext
    ) throws(RowStop) {
        if field == FieldTable.time {
            try context.readTime(&place)
        } else {
            switch context.kinds[field] {
            case .number: try context.readNumber(&place, field, isInteger: false)
            case .integer: try context.readNumber(&place, field, isInteger: true)
            case .state, .text: throw RowStop(.notText, field: field)
            }
        }
    }

    @inline(never)
    private static func wrongValue(
        _ place: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ field: Int,
        _ kinds: [Field.Kind]
    ) -> RowStop {
        switch place.pointee {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return RowStop(.nested, field: field)
        case UInt8(ascii: "n"), UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "\""):
            if place.pointee == UInt8(ascii: "n") { return word("null", .null, place, end, field) }
            let reason: RowStop.Reason =
                field == FieldTable.time
                ? .notTime : kinds[field].isNumeric ? .notNumber : .notText
            if place.pointee == UInt8(ascii: "t") { return word("true", reason, place, end, field) }
            if place.pointee == UInt8(ascii: "f") {
                return word("false", reason, place, end, field)
            }
            return RowStop(reason, field: field)
        default: return RowStop(place >= end ? .incomplete : .syntax, field: field)
        }
    }

    private static func word(
        _ word: StaticString, _ reason: RowStop.Reason, _ place: UnsafePointer<UInt8>,
        _ end: UnsafePointer<UInt8>, _ field: Int
    ) -> RowStop {
        for offset in 0..<word.utf8CodeUnitCount {
            guard place + offset < end else { return RowStop(.incomplete) }
            guard place[offset] == word.utf8Start[offset] else {
                return RowStop(.syntax, field: field)
            }
        }
        return RowStop(reason, field: field)
    }

    /// Reads a string whose opening quote is behind.
    private static func string(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ field: Int,
        _ context: inout RowContext
    ) throws(RowStop) {
        let start = place
        var bits: UInt8 = 0
        while true {
            let byte = place.pointee
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                place = start
                try escapedString(&place, end, field, &context)
                return
            }
            guard byte >= 0x20 else {
                throw RowStop(place >= end ? .incomplete : .control, field: field)
            }
            bits |= byte
            place += 1
        }
        let text = UnsafeBufferPointer(start: start, count: place - start)
        place += 1
        try context.take(text, field, isASCII: bits < 0x80)
    }

    private static func escapedString(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ field: Int,
        _ context: inout RowContext
    ) throws(RowStop) {
        var text: [UInt8] = []
        try JSONEscapes.decode(&place, end, into: &text, field)
        var stop: RowStop?
        text.withUnsafeBufferPointer { bytes in
            do throws(RowStop) {
                try context.take(bytes, field, isASCII: false)
            } catch {
                stop = error
            }
        }
        if let stop { throw stop }
    }

    /// A key that is written with escapes, or that no field has.
    @inline(never)
    private static func escapedField(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
        _ context: inout RowContext
    ) throws(RowStop) -> Int {
        var name: [UInt8] = []
        try JSONEscapes.decode(&place, end, into: &name, -2)
        guard let field = name.withUnsafeBufferPointer({ context.table.field(named: $0) }) else {
            context.strangeName = name
            throw RowStop(.unknown)
        }
        return field
    }
}
