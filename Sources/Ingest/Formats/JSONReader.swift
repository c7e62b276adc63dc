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
        var position = start
        while true {
            let (begin, line) = (position, context.line)
            do throws(RowError) {
                let goesOn =
                    try isLines
                    ? lineStep(&position, end, isLast, &context) : step(&position, end, &context)
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
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ context: inout RowBuilder
    ) throws(RowError) -> Bool {
        // Empty lines are skipped because writers may end with one or two.
        JSONObjectReader.skipSpace(&position, &context.line)
        if position == end { return false }
        try JSONObjectReader.read(&position, end, &context, spansLines: false)
        while position.pointee == 0x20 || position.pointee == 0x0D || position.pointee == 0x09 {
            position += 1
        }
        if position.pointee == 0x0A {
            position += 1
            context.line += 1
        } else if position < end {
            throw RowError(.syntax)
        } else if !isLast {
            throw RowError(.incomplete)
        }
        context.columns.close()
        return true
    }

    private mutating func step(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
        _ context: inout RowBuilder
    ) throws(RowError) -> Bool {
        JSONObjectReader.skipSpace(&position, &context.line)
        switch phase {
        case .start: try begin(&position, end, &context)
        case .element(let isFirst):
            if isFirst, position.pointee == UInt8(ascii: "]") {
                position += 1
                phase = isWrapped ? .brace : .tail
                return true
            }
            try JSONObjectReader.read(&position, end, &context, spansLines: true)
            context.columns.close()
            phase = .separator
        case .separator:
            switch position.pointee {
            case UInt8(ascii: ","): phase = .element(isFirst: false)
            case UInt8(ascii: "]"): phase = isWrapped ? .brace : .tail
            default: throw JSONObjectReader.unexpected(position, end)
            }
            position += 1
        case .brace:
            guard position.pointee == UInt8(ascii: "}") else {
                throw JSONObjectReader.unexpected(position, end)
            }
            position += 1
            phase = .tail
        case .tail:
            guard position == end else { throw RowError(.textAfterEnd) }
            return false
        }
        return true
    }

    private mutating func begin(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
        _ context: inout RowBuilder
    ) throws(RowError) {
        if position.pointee == UInt8(ascii: "[") {
            position += 1
            phase = .element(isFirst: true)
        } else if try opensWrapper(&position, end, &context.line) {
            isWrapped = true
            phase = .element(isFirst: true)
        } else {
            try JSONObjectReader.read(&position, end, &context, spansLines: true)
            context.columns.close()
            phase = .tail
        }
    }

    /// Consumes `{"samples":[` if present.
    private func opensWrapper(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ line: inout Int
    ) throws(RowError) -> Bool {
        var (next, lines) = (position, line)
        for word: StaticString in ["{", "\"samples\"", ":", "["] {
            JSONObjectReader.skipSpace(&next, &lines)
            for offset in 0..<word.utf8CodeUnitCount {
                guard next < end else { throw RowError(.incomplete) }
                guard next.pointee == word.utf8Start[offset] else { return false }
                next += 1
            }
        }
        (position, line) = (next, lines)
        return true
    }
}
