/// Reads samples as JSON: one object, an array of them, or an object whose only member `samples` is
/// such an array; or, with `isLines`, one object a line.
struct JSONForm {
    private enum Phase {
        case start
        /// Before an element, the first of an array or another one.
        case element(isFirst: Bool)
        /// Behind an element.
        case separator
        /// Behind the array in an object.
        case brace
        case tail
    }

    private let isLines: Bool
    private var phase = Phase.start
    private var isWrapped = false

    init(isLines: Bool) {
        self.isLines = isLines
    }

    /// Reads what is whole.
    ///
    /// - Precondition: 16 zeros follow the bytes.
    /// - Returns: where to go on when more has come.
    mutating func read(
        _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, isLast: Bool,
        _ context: inout RowContext
    ) throws(RowStop) -> UnsafePointer<UInt8> {
        var place = start
        while true {
            let (begin, line) = (place, context.line)
            do throws(RowStop) {
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

    // MARK: - Private

    /// - Returns: whether something may follow.
    @inline(__always)
    private func lineStep(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ context: inout RowContext
    ) throws(RowStop) -> Bool {
        // Empty lines are nothing, as writers end with one or two.
        JSONObject.skipSpace(&place, &context.line)
        if place == end { return false }
        try JSONObject.read(&place, end, &context, spansLines: false)
        while place.pointee == 0x20 || place.pointee == 0x0D || place.pointee == 0x09 { place += 1 }
        if place.pointee == 0x0A {
            place += 1
            context.line += 1
        } else if place < end {
            throw RowStop(.syntax)
        } else if !isLast {
            throw RowStop(.incomplete)
        }
        context.columns.close()
        return true
    }

    private mutating func step(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
        _ context: inout RowContext
    ) throws(RowStop) -> Bool {
        JSONObject.skipSpace(&place, &context.line)
        switch phase {
        case .start: try begin(&place, end, &context)
        case .element(let isFirst):
            if isFirst, place.pointee == UInt8(ascii: "]") {
                place += 1
                phase = isWrapped ? .brace : .tail
                return true
            }
            try JSONObject.read(&place, end, &context, spansLines: true)
            context.columns.close()
            phase = .separator
        case .separator:
            switch place.pointee {
            case UInt8(ascii: ","): phase = .element(isFirst: false)
            case UInt8(ascii: "]"): phase = isWrapped ? .brace : .tail
            default: throw JSONObject.unexpected(place, end)
            }
            place += 1
        case .brace:
            guard place.pointee == UInt8(ascii: "}") else {
                throw JSONObject.unexpected(place, end)
            }
            place += 1
            phase = .tail
        case .tail:
            guard place == end else { throw RowStop(.textAfterEnd) }
            return false
        }
        return true
    }

    private mutating func begin(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
        _ context: inout RowContext
    ) throws(RowStop) {
        if place.pointee == UInt8(ascii: "[") {
            place += 1
            phase = .element(isFirst: true)
        } else if try opensWrapper(&place, end, &context.line) {
            isWrapped = true
            phase = .element(isFirst: true)
        } else {
            try JSONObject.read(&place, end, &context, spansLines: true)
            context.columns.close()
            phase = .tail
        }
    }

    /// Steps over `{"samples":[` if it stands here.
    private func opensWrapper(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ line: inout Int
    ) throws(RowStop) -> Bool {
        var (next, lines) = (place, line)
        for word: StaticString in ["{", "\"samples\"", ":", "["] {
            JSONObject.skipSpace(&next, &lines)
            for offset in 0..<word.utf8CodeUnitCount {
                guard next < end else { throw RowStop(.incomplete) }
                guard next.pointee == word.utf8Start[offset] else { return false }
                next += 1
            }
        }
        (place, line) = (next, lines)
        return true
    }
}
