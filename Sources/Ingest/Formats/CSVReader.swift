import Samples

/// Reads samples as CSV (RFC 4180) with a header line that names `t` and the fields in any order.
///
/// Lines end with CR LF or LF. Numbers are written as in JSON; a quoted cell may contain any
/// character.
struct CSVReader {
    /// The field of each column; empty until the header has been read.
    private var cells: [Int] = []
    private var hasTime = false

    /// Reads all complete rows.
    ///
    /// - Precondition: the bytes are followed by 16 zeros.
    /// - Returns: the start of the first incomplete row, where reading continues with more input.
    mutating func read(
        _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, isLast: Bool,
        _ context: inout RowBuilder
    ) throws(RowError) -> UnsafePointer<UInt8> {
        var place = start
        while place < end {
            let (begin, line) = (place, context.line)
            do throws(RowError) {
                if cells.isEmpty {
                    try header(&place, end, isLast, &context)
                } else {
                    try record(&place, end, isLast, &context)
                }
            } catch {
                guard error.reason == .incomplete, !isLast else { throw error }
                context.line = line
                return begin
            }
        }
        if isLast, cells.isEmpty { throw RowError(.header) }
        return end
    }

    private mutating func header(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ context: inout RowBuilder
    ) throws(RowError) {
        var found: [Int] = []
        context.attempt += 1
        while true {
            var name: [UInt8] = []
            if place.pointee == UInt8(ascii: "\"") {
                place += 1
                try Self.quoted(&place, end, isLast, into: &name, &context.line, -2)
            } else {
                while place < end, ![0x2C, 0x0D, 0x0A].contains(place.pointee) {
                    name.append(place.pointee)
                    place += 1
                }
            }
            // The name may continue in the next piece of input.
            guard place < end || isLast else { throw RowError(.incomplete) }
            guard let field = name.withUnsafeBufferPointer({ context.table.field(named: $0) })
            else {
                context.unknownName = name
                throw RowError(.unknown)
            }
            if context.table.isTwice(field, in: context.attempt) {
                throw RowError(.twice, field: field)
            }
            found.append(field)
            guard place.pointee == UInt8(ascii: ",") else { break }
            place += 1
        }
        try Self.endLine(&place, end, isLast)
        if let missing = context.table.missing(in: context.attempt) {
            throw RowError(.missing, field: missing)
        }
        cells = found
        hasTime = found.contains(FieldTable.time)
        context.line += 1
    }

    @inline(__always)
    private func record(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ context: inout RowBuilder
    ) throws(RowError) {
        if cells.count > 1, place.pointee == 0x0A || place.pointee == 0x0D {
            throw RowError(.blankLine)
        }
        try context.columns.open()
        if !hasTime { context.columns.set(time: context.now) }
        var isFirst = true
        for field in cells {
            if !isFirst {
                guard place.pointee == UInt8(ascii: ",") else { throw Self.wrongEnd(place, end) }
                place += 1
            }
            isFirst = false
            if field == FieldTable.time || context.kinds[field].isNumeric {
                try number(&place, end, isLast, field, &context)
            } else {
                try text(&place, end, isLast, field, &context)
            }
        }
        try Self.endLine(&place, end, isLast)
        context.columns.close()
        context.line += 1
    }

    @inline(__always)
    private func number(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ field: Int, _ context: inout RowBuilder
    ) throws(RowError) {
        let start = place
        if place.pointee == UInt8(ascii: "\"") {
            try text(&place, end, isLast, field, &context)
            return
        }
        do throws(RowError) {
            if field == FieldTable.time {
                try context.readTime(&place)
            } else {
                try context.readNumber(
                    &place, field, isInteger: context.kinds[field] == .integer)
            }
            guard place < end || isLast else { throw RowError(.incomplete) }
            let next = place.pointee
            if next == 0x2C || next == 0x0D || next == 0x0A || place == end { return }
        } catch {
            // A number cut by the end of the input may look malformed.
            if place == end, !isLast { throw RowError(.incomplete) }
            if error.reason != .notNumber, error.reason != .notTime { throw error }
        }
        place = start
        try wrongNumber(&place, end, isLast, field, &context)
    }

    /// Handles a time in RFC 3339, or reports a malformed number.
    @inline(never)
    private func wrongNumber(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ field: Int, _ context: inout RowBuilder
    ) throws(RowError) {
        guard field != FieldTable.time else {
            return try text(&place, end, isLast, field, &context)
        }
        while place < end, ![0x2C, 0x0D, 0x0A].contains(place.pointee) { place += 1 }
        guard place < end || isLast else { throw RowError(.incomplete) }
        let isInteger = context.kinds[field] == .integer
        throw RowError(isInteger ? .notInteger : .notNumber, field: field)
    }

    private func text(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ field: Int, _ context: inout RowBuilder
    ) throws(RowError) {
        if place.pointee == UInt8(ascii: "\"") {
            place += 1
            if try plainText(&place, end, field, &context) { return }
            try quotedText(&place, end, isLast, field, &context)
            return
        }
        let start = place
        var bits: UInt8 = 0
        while true {
            let byte = place.pointee
            if byte == 0x2C || byte == 0x0D || byte == 0x0A { break }
            if byte == UInt8(ascii: "\"") { throw RowError(.quote, field: field) }
            if byte < 0x20, byte != 0x09 {
                guard place >= end else { throw RowError(.control, field: field) }
                guard isLast else { throw RowError(.incomplete) }
                break
            }
            bits |= byte
            place += 1
        }
        let text = UnsafeBufferPointer(start: start, count: place - start)
        try context.take(text, field, isASCII: bits < 0x80)
    }

    /// The fast path: a quoted text without quotes and line ends, read from after its opening
    /// quote.
    ///
    /// - Returns: `false` for any other text, and then `place` is unchanged.
    private func plainText(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ field: Int,
        _ context: inout RowBuilder
    ) throws(RowError) -> Bool {
        guard field != FieldTable.time, !context.kinds[field].isNumeric else { return false }
        var (next, bits) = (place, UInt8(0))
        while next < end, next.pointee != UInt8(ascii: "\""), next.pointee != 0x0A {
            bits |= next.pointee
            next += 1
        }
        guard next + 1 < end, next[0] == UInt8(ascii: "\""), next[1] != UInt8(ascii: "\"") else {
            return false
        }
        let text = UnsafeBufferPointer(start: place, count: next - place)
        place = next + 1
        try context.take(text, field, isASCII: bits < 0x80)
        return true
    }

    /// Reads a quoted cell from after its opening quote.
    private func quotedText(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ field: Int, _ context: inout RowBuilder
    ) throws(RowError) {
        var text: [UInt8] = []
        try Self.quoted(&place, end, isLast, into: &text, &context.line, field)
        var stop: RowError?
        text.append(contentsOf: repeatElement(0, count: 16))
        text.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            let length = bytes.count - 16
            do throws(RowError) {
                guard field == FieldTable.time || context.kinds[field].isNumeric,
                    try number(start, length, field, &context)
                else {
                    try context.take(
                        UnsafeBufferPointer(start: start, count: length), field, isASCII: false)
                    return
                }
            } catch {
                stop = error
            }
        }
        if let stop { throw stop }
    }

    /// Reads a quoted number.
    ///
    /// - Returns: `false` for a time that is not a number.
    private func number(
        _ start: UnsafePointer<UInt8>, _ length: Int, _ field: Int, _ context: inout RowBuilder
    ) throws(RowError) -> Bool {
        var place = start
        do throws(RowError) {
            if field == FieldTable.time {
                try context.readTime(&place)
            } else {
                try context.readNumber(
                    &place, field, isInteger: context.kinds[field] == .integer)
            }
        } catch {
            guard field == FieldTable.time else { throw error }
            return false
        }
        guard place == start + length else {
            guard field == FieldTable.time else { throw RowError(.notNumber, field: field) }
            return false
        }
        return true
    }

    private static func quoted(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        into text: inout [UInt8], _ line: inout Int, _ field: Int
    ) throws(RowError) {
        while true {
            guard place < end else { throw RowError(.incomplete) }
            let byte = place.pointee
            place += 1
            if byte == UInt8(ascii: "\"") {
                guard place < end || isLast else { throw RowError(.incomplete) }
                guard place.pointee == UInt8(ascii: "\"") else { return }
                place += 1
            } else if byte == 0x0A {
                line += 1
            }
            text.append(byte)
        }
    }

    @inline(__always)
    private static func endLine(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool
    ) throws(RowError) {
        if place.pointee == 0x0D {
            place += 1
            guard place < end || isLast else { throw RowError(.incomplete) }
            guard place.pointee == 0x0A else { throw RowError(.syntax) }
        }
        if place.pointee == 0x0A {
            place += 1
        } else {
            guard place >= end else { throw wrongEnd(place, end) }
            guard isLast else { throw RowError(.incomplete) }
        }
    }

    private static func wrongEnd(
        _ place: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) -> RowError {
        switch place.pointee {
        case 0x2C, 0x0D, 0x0A: RowError(.cells)
        default: RowError(place >= end ? .incomplete : .quote)
        }
    }
}
