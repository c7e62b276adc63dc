/// Reads samples as JSON: one object, an array of them, or an object whose only member `samples` is
/// such an array; or, with `isLines`, one object a line.
struct JSONReader {
    private enum Phase {
        case start
        /// Before an element of the array.
        case element(isFirst: Bool)
        /// After an element.
        case separator
        /// After the array in a wrapper object.
        case brace
        case tail
    }

    private let isLines: Bool
    private var phase = Phase.start
    private var isWrapped = false

    init(isLines: Bool) {
        self.isLines = isLines
    }

    /// Reads all complete rows.
    ///
    /// - Precondition: the bytes are followed by 16 zeros.
    /// - Returns: the start of the first incomplete row, where reading continues with more input.
    mutating func read(
        _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, isLast: Bool,
        _ context: inout RowBuilder
    ) throws(RowError) -> UnsafePointer<UInt8> {
        var place = start
        while true {
            let (begin, line) = (place, context.line)
            do throws(RowError) {
                let goesOn =
                    try isLines
                    ? lineStep(&place, end, isLast, &context) : step(&place, end, &context)
                guard goesOn else { return end }
            } catch {
                guard error.reason == .incomplete, !isLast else { throw error }
                context.line = line
                return begin
            }
        }
    }

    /// - Returns: whether more may follow.
    @inline(__always)
    private func lineStep(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ context: inout RowBuilder
    ) throws(RowError) -> Bool {
        // Empty lines are skipped because writers may end with one or two.
        JSONObjectReader.skipSpace(&place, &context.line)
        if place == end { return false }
        try JSONObjectReader.read(&place, end, &context, spansLines: false)
        while place.pointee == 0x20 || place.pointee == 0x0D || place.pointee == 0x09 { place += 1 }
        if place.pointee == 0x0A {
            place += 1
            context.line += 1
        } else if place < end {
            throw RowError(.syntax)
        } else if !isLast {
            throw RowError(.incomplete)
        }
        context.columns.close()
        return true
    }

    private mutating func step(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
        _ context: inout RowBuilder
    ) throws(RowError) -> Bool {
        JSONObjectReader.skipSpace(&place, &context.line)
        switch phase {
        case .start: try begin(&place, end, &context)
        case .element(let isFirst):
            if isFirst, place.pointee == UInt8(ascii: "]") {
                place += 1
                phase = isWrapped ? .brace : .tail
                return true
            }
            try JSONObjectReader.read(&place, end, &context, spansLines: true)
            context.columns.close()
            phase = .separator
        case .separator:
            switch place.pointee {
            case UInt8(ascii: ","): phase = .element(isFirst: false)
            case UInt8(ascii: "]"): phase = isWrapped ? .brace : .tail
            default: throw JSONObjectReader.unexpected(place, end)
            }
            place += 1
        case .brace:
            guard place.pointee == UInt8(ascii: "}") else {
                throw JSONObjectReader.unexpected(place, end)
            }
            place += 1
            phase = .tail
        case .tail:
            guard place == end else { throw RowError(.textAfterEnd) }
            return false
        }
        return true
    }

    private mutating func begin(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
        _ context: inout RowBuilder
    ) throws(RowError) {
        if place.pointee == UInt8(ascii: "[") {
            place += 1
            phase = .element(isFirst: true)
        } else if try opensWrapper(&place, end, &context.line) {
            isWrapped = true
            phase = .element(isFirst: true)
        } else {
            try JSONObjectReader.read(&place, end, &context, spansLines: true)
            context.columns.close()
            phase = .tail
        }
    }

    /// Consumes `{"samples":[` if present.
    private func opensWrapper(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ line: inout Int
    ) throws(RowError) -> Bool {
        var (next, lines) = (place, line)
        for word: StaticString in ["{", "\"samples\"", ":", "["] {
            JSONObjectReader.skipSpace(&next, &lines)
            for offset in 0..<word.utf8CodeUnitCount {
                guard next < end else { throw RowError(.incomplete) }
                guard next.pointee == word.utf8Start[offset] else { return false }
                next += 1
            }
        }
        (place, line) = (next, lines)
        return true
    }
}
