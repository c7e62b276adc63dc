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
        var position = start
        while position < end {
            let (begin, line) = (position, context.line)
            do throws(RowError) {
                if cells.isEmpty {
                    try header(&position, end, isLast, &context)
                } else {
                    try record(&position, end, isLast, &context)
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
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ context: inout RowBuilder
    ) throws(RowError) {
        var found: [Int] = []
        context.attempt += 1
        while true {
            var name: [UInt8] = []
            if position.pointee == UInt8(ascii: "\"") {
                position += 1
                try Self.quoted(&position, end, isLast, into: &name, &context.line, -2)
            } else {
                while position < end, ![0x2C, 0x0D, 0x0A].contains(position.pointee) {
                    name.append(position.pointee)
                    position += 1
                }
            }
            // The name may continue in the next piece of input.
            guard position < end || isLast else { throw RowError(.incomplete) }
            guard let field = name.withUnsafeBufferPointer({ context.table.field(named: $0) })
            else {
                context.unknownName = name
                throw RowError(.unknown)
            }
            if context.table.recordRepeats(field, in: context.attempt) {
                throw RowError(.twice, field: field)
            }
            found.append(field)
            guard position.pointee == UInt8(ascii: ",") else { break }
            position += 1
        }
        try Self.endLine(&position, end, isLast)
        if let missing = context.table.missing(in: context.attempt) {
            throw RowError(.missing, field: missing)
        }
        cells = found
        hasTime = found.contains(FieldTable.time)
        context.line += 1
    }

    @inline(__always)
    private func record(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ context: inout RowBuilder
    ) throws(RowError) {
        if cells.count > 1, position.pointee == 0x0A || position.pointee == 0x0D {
            throw RowError(.blankLine)
        }
        try context.columns.open()
        if !hasTime { context.columns.set(time: context.now) }
        var isFirst = true
        for field in cells {
            if !isFirst {
                guard position.pointee == UInt8(ascii: ",") else {
                    throw Self.wrongEnd(position, end)
                }
                position += 1
            }
            isFirst = false
            if field == FieldTable.time || context.kinds[field].isNumeric {
                try number(&position, end, isLast, field, &context)
            } else {
                try text(&position, end, isLast, field, &context)
            }
        }
        try Self.endLine(&position, end, isLast)
        context.columns.close()
        context.line += 1
    }

    @inline(__always)
    private func number(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ field: Int, _ context: inout RowBuilder
    ) throws(RowError) {
        let start = position
        if position.pointee == UInt8(ascii: "\"") {
            try text(&position, end, isLast, field, &context)
            return
        }
        do throws(RowError) {
            if field == FieldTable.time {
                try context.readTime(&position)
            } else {
                try context.readNumber(
                    &position, field, isInteger: context.kinds[field] == .integer)
            }
            guard position < end || isLast else { throw RowError(.incomplete) }
            let next = position.pointee
            if next == 0x2C || next == 0x0D || next == 0x0A || position == end { return }
        } catch {
            // A number cut by the end of the input may look malformed.
            if position == end, !isLast { throw RowError(.incomplete) }
            if error.reason != .notNumber, error.reason != .notTime { throw error }
        }
        position = start
        try wrongNumber(&position, end, isLast, field, &context)
    }

    /// Handles a time in RFC 3339, or reports a malformed number.
    @inline(never)
    private func wrongNumber(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ field: Int, _ context: inout RowBuilder
    ) throws(RowError) {
        guard field != FieldTable.time else {
            return try text(&position, end, isLast, field, &context)
        }
        while position < end, ![0x2C, 0x0D, 0x0A].contains(position.pointee) { position += 1 }
        guard position < end || isLast else { throw RowError(.incomplete) }
        let isInteger = context.kinds[field] == .integer
        throw RowError(isInteger ? .notInteger : .notNumber, field: field)
    }

    private func text(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ field: Int, _ context: inout RowBuilder
    ) throws(RowError) {
        if position.pointee == UInt8(ascii: "\"") {
            position += 1
            if try plainText(&position, end, field, &context) { return }
            try quotedText(&position, end, isLast, field, &context)
            return
        }
        let start = position
        var bits: UInt8 = 0
        while true {
            let byte = position.pointee
            if byte == 0x2C || byte == 0x0D || byte == 0x0A { break }
            if byte == UInt8(ascii: "\"") { throw RowError(.quote, field: field) }
            if byte < 0x20, byte != 0x09 {
                guard position >= end else { throw RowError(.control, field: field) }
                guard isLast else { throw RowError(.incomplete) }
                break
            }
            bits |= byte
            position += 1
        }
        let text = UnsafeBufferPointer(start: start, count: position - start)
        try context.take(text, field, isASCII: bits < 0x80)
    }

    /// The fast path: a quoted text without quotes and line ends, read from after its opening
    /// quote.
    ///
    /// - Returns: `false` for any other text, and then `position` is unchanged.
    private func plainText(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ field: Int,
        _ context: inout RowBuilder
    ) throws(RowError) -> Bool {
        guard field != FieldTable.time, !context.kinds[field].isNumeric else { return false }
        var (next, bits) = (position, UInt8(0))
        while next < end, next.pointee != UInt8(ascii: "\""), next.pointee != 0x0A {
            bits |= next.pointee
            next += 1
        }
        guard next + 1 < end, next[0] == UInt8(ascii: "\""), next[1] != UInt8(ascii: "\"") else {
            return false
        }
        let text = UnsafeBufferPointer(start: position, count: next - position)
        position = next + 1
        try context.take(text, field, isASCII: bits < 0x80)
        return true
    }

    /// Reads a quoted cell from after its opening quote.
    private func quotedText(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ field: Int, _ context: inout RowBuilder
    ) throws(RowError) {
        var text: [UInt8] = []
        try Self.quoted(&position, end, isLast, into: &text, &context.line, field)
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
        var position = start
        do throws(RowError) {
            if field == FieldTable.time {
                try context.readTime(&position)
            } else {
                try context.readNumber(
                    &position, field, isInteger: context.kinds[field] == .integer)
            }
        } catch {
            guard field == FieldTable.time else { throw error }
            return false
        }
        guard position == start + length else {
            guard field == FieldTable.time else { throw RowError(.notNumber, field: field) }
            return false
        }
        return true
    }

    private static func quoted(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        into text: inout [UInt8], _ line: inout Int, _ field: Int
    ) throws(RowError) {
        while true {
            guard position < end else { throw RowError(.incomplete) }
            let byte = position.pointee
            position += 1
            if byte == UInt8(ascii: "\"") {
                guard position < end || isLast else { throw RowError(.incomplete) }
                guard position.pointee == UInt8(ascii: "\"") else { return }
                position += 1
            } else if byte == 0x0A {
                line += 1
            }
            text.append(byte)
        }
    }

    @inline(__always)
    private static func endLine(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool
    ) throws(RowError) {
        if position.pointee == 0x0D {
            position += 1
            guard position < end || isLast else { throw RowError(.incomplete) }
            guard position.pointee == 0x0A else { throw RowError(.syntax) }
        }
        if position.pointee == 0x0A {
            position += 1
        } else {
            guard position >= end else { throw wrongEnd(position, end) }
            guard isLast else { throw RowError(.incomplete) }
        }
    }

    private static func wrongEnd(
        _ position: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) -> RowError {
        switch position.pointee {
        case 0x2C, 0x0D, 0x0A: RowError(.cells)
        default: RowError(position >= end ? .incomplete : .quote)
        }
    }
}
