import Samples

/// Reads samples as CSV (RFC 4180) with a header line that names `t` and the fields in any order.
///
/// Lines end with CR LF or LF. Numbers are written as in JSON; a cell in quotes may hold anything.
struct CSVForm {
    /// The field of each cell; empty until the header was read.
    private var cells: [Int] = []
    private var hasTime = false

    /// Reads what is whole.
    ///
    /// - Precondition: 16 zeros follow the bytes.
    /// - Returns: where to go on when more has come.
    mutating func read(
        _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, isLast: Bool,
        _ context: inout RowContext
    ) throws(RowStop) -> UnsafePointer<UInt8> {
        var place = start
        while place < end {
            let (begin, line) = (place, context.line)
            do throws(RowStop) {
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
        if isLast, cells.isEmpty { throw RowStop(.header) }
        return end
    }

    // MARK: - Private

    private mutating func header(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ context: inout RowContext
    ) throws(RowStop) {
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
            // The rest of a name may be still to come.
            guard place < end || isLast else { throw RowStop(.incomplete) }
            guard let field = name.withUnsafeBufferPointer({ context.table.field(named: $0) })
            else {
                context.strangeName = name
                throw RowStop(.unknown)
            }
            if context.table.isTwice(field, in: context.attempt) {
                throw RowStop(.twice, field: field)
            }
            found.append(field)
            guard place.pointee == UInt8(ascii: ",") else { break }
            place += 1
        }
        try Self.endLine(&place, end, isLast)
        if let missing = context.table.missing(in: context.attempt) {
            throw RowStop(.missing, field: missing)
        }
        cells = found
        hasTime = found.contains(FieldTable.time)
        context.line += 1
    }

    @inline(__always)
    private func record(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ context: inout RowContext
    ) throws(RowStop) {
        if cells.count > 1, place.pointee == 0x0A || place.pointee == 0x0D {
            throw RowStop(.blankLine)
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
        _ field: Int, _ context: inout RowContext
    ) throws(RowStop) {
        let start = place
        if place.pointee == UInt8(ascii: "\"") {
            try text(&place, end, isLast, field, &context)
            return
        }
        do throws(RowStop) {
            if field == FieldTable.time {
                try context.readTime(&place)
            } else {
                try context.readNumber(
                    &place, field, isInteger: context.kinds[field] == .integer)
            }
            guard place < end || isLast else { throw RowStop(.incomplete) }
            let next = place.pointee
            if next == 0x2C || next == 0x0D || next == 0x0A || place == end { return }
        } catch {
            // A number that the end of the bytes cuts in two may look like none.
            if place == end, !isLast { throw RowStop(.incomplete) }
            if error.reason != .notNumber, error.reason != .notTime { throw error }
        }
        place = start
        try wrongNumber(&place, end, isLast, field, &context)
    }

    /// A time in words, or no number at all.
    @inline(never)
    private func wrongNumber(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ field: Int, _ context: inout RowContext
    ) throws(RowStop) {
        guard field != FieldTable.time else {
            return try text(&place, end, isLast, field, &context)
        }
        while place < end, ![0x2C, 0x0D, 0x0A].contains(place.pointee) { place += 1 }
        guard place < end || isLast else { throw RowStop(.incomplete) }
        let isInteger = context.kinds[field] == .integer
        throw RowStop(isInteger ? .notInteger : .notNumber, field: field)
    }

    private func text(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ field: Int, _ context: inout RowContext
    ) throws(RowStop) {
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
            if byte == UInt8(ascii: "\"") { throw RowStop(.quote, field: field) }
            if byte < 0x20, byte != 0x09 {
                guard place >= end else { throw RowStop(.control, field: field) }
                guard isLast else { throw RowStop(.incomplete) }
                break
            }
            bits |= byte
            place += 1
        }
        let text = UnsafeBufferPointer(start: start, count: place - start)
        try context.take(text, field, isASCII: bits < 0x80)
    }

    /// A text in quotes without quotes and lines in it, as most are; the opening quote is behind.
    ///
    /// - Returns: `false`, and takes nothing, for any other.
    private func plainText(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ field: Int,
        _ context: inout RowContext
    ) throws(RowStop) -> Bool {
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

    /// A cell whose opening quote is behind.
    private func quotedText(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ field: Int, _ context: inout RowContext
    ) throws(RowStop) {
        var text: [UInt8] = []
        try Self.quoted(&place, end, isLast, into: &text, &context.line, field)
        var stop: RowStop?
        text.append(contentsOf: repeatElement(0, count: 16))
        text.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            let length = bytes.count - 16
            do throws(RowStop) {
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

    /// A number in quotes.
    ///
    /// - Returns: `false` for a time that is none.
    private func number(
        _ start: UnsafePointer<UInt8>, _ length: Int, _ field: Int, _ context: inout RowContext
    ) throws(RowStop) -> Bool {
        var place = start
        do throws(RowStop) {
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
            guard field == FieldTable.time else { throw RowStop(.notNumber, field: field) }
            return false
        }
        return true
    }

    private static func quoted(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        into text: inout [UInt8], _ line: inout Int, _ field: Int
    ) throws(RowStop) {
        while true {
            guard place < end else { throw RowStop(.incomplete) }
            let byte = place.pointee
            place += 1
            if byte == UInt8(ascii: "\"") {
                guard place < end || isLast else { throw RowStop(.incomplete) }
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
    ) throws(RowStop) {
        if place.pointee == 0x0D {
            place += 1
            guard place < end || isLast else { throw RowStop(.incomplete) }
            guard place.pointee == 0x0A else { throw RowStop(.syntax) }
        }
        if place.pointee == 0x0A {
            place += 1
        } else {
            guard place >= end else { throw wrongEnd(place, end) }
            guard isLast else { throw RowStop(.incomplete) }
        }
    }

    private static func wrongEnd(
        _ place: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) -> RowStop {
        switch place.pointee {
        case 0x2C, 0x0D, 0x0A: RowStop(.cells)
        default: RowStop(place >= end ? .incomplete : .quote)
        }
    }
}
