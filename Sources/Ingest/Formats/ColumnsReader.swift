import Samples

/// Reads samples in the columns format, see `docs/columns-format.md`.
struct ColumnsReader {
    private enum Phase {
        case header
        /// Times, numbers or integers; the value counts the bytes read so far.
        case cells(Int)
        /// Lengths of texts; the value counts those read so far.
        case lengths(Int)
        /// Texts; the value counts those read so far.
        case texts(Int)
    }

    private var phase = Phase.header
    /// The fields in the order of the columns, which follow the times.
    private var order: [Int] = []
    /// The current column, -1 for the times.
    private var column = -1
    private var rows = 0
    /// The remaining bytes of the batch.
    private var left: UInt64 = 0
    /// The part of ``left`` that the columns after the current one would need if all texts were empty.
    private var reserved: UInt64 = 0
    private var lengths: [UInt32] = []
    private var offset = 0
    /// The number of the current batch, from 1.
    private(set) var batch = 1
    /// The invalid row of the current batch.
    private(set) var row: Int?

    /// Reads complete headers and texts, and partial numeric columns.
    ///
    /// - Returns: where reading continues with more input.
    mutating func read(
        _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, isLast: Bool,
        _ context: inout RowBuilder
    ) throws(RowError) -> UnsafePointer<UInt8> {
        var position = start
        while true {
            let begin = position
            do throws(RowError) {
                if case .header = phase {
                    if position == end { return end }
                    try header(&position, end, &context)
                } else {
                    try cells(&position, end, &context)
                }
            } catch {
                guard error.reason == .incomplete, !isLast else { throw error }
                return max(begin, position)
            }
        }
    }

    private mutating func header(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
        _ context: inout RowBuilder
    ) throws(RowError) {
        let bytes = UnsafeRawPointer(position)
        guard end - position >= ColumnsHeader.length else {
            throw Self.begins(bytes, end - position) ? RowError(.incomplete) : RowError(.magic)
        }
        guard Self.begins(bytes, 3) else { throw RowError(.magic) }
        guard position[3] == ColumnsHeader.version else { throw RowError(.version) }
        let count = Int(
            UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self)))
        let length = UInt64(
            littleEndian: bytes.loadUnaligned(fromByteOffset: 10, as: UInt64.self))
        rows = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 6, as: UInt32.self)))
        var next = position + ColumnsHeader.length
        context.attempt += 1
        order = []
        for _ in 0..<count {
            guard next + 2 <= end else { throw RowError(.incomplete) }
            let (kind, size) = (next[0], Int(next[1]))
            guard size > 0 else { throw RowError(.name) }
            guard next + 2 + size <= end else { throw RowError(.incomplete) }
            let name = UnsafeBufferPointer(start: next + 2, count: size)
            guard let field = context.table.field(named: name), field != FieldTable.time else {
                context.unknownName = Array(name)
                throw RowError(.unknown)
            }
            guard !context.table.recordRepeats(field, in: context.attempt) else {
                throw RowError(.twice, field: field)
            }
            guard kind == ColumnsHeader.code(of: context.kinds[field]) else {
                throw RowError(.kind, field: field)
            }
            order.append(field)
            next += 2 + size
        }
        if let missing = context.table.missing(in: context.attempt) {
            throw RowError(.missing, field: missing)
        }
        let texts = order.count { !context.kinds[$0].isNumeric }
        let least = UInt64(rows) * UInt64(8 * (1 + order.count - texts) + 4 * texts)
        guard texts > 0 ? length >= least : length == least else { throw RowError(.columnLength) }
        try context.columns.grow(to: context.columns.count + rows)
        left = length
        reserved = least - UInt64(rows) * 8
        column = -1
        phase = .cells(0)
        position = next
    }

    private mutating func cells(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
        _ context: inout RowBuilder
    ) throws(RowError) {
        let field = column < 0 ? nil : order[column]
        switch phase {
        case .header: return
        case .cells(let done):
            let count = min(rows * 8 - done, end - position)
            let cells = context.columns.cells(field, from: context.columns.count)
            (cells + done).copyMemory(from: position, byteCount: count)
            take(count, &position)
            phase = .cells(done + count)
            guard done + count == rows * 8 else { throw RowError(.incomplete) }
            try check(cells, field, context.kinds)
            try nextColumn(&context)
        case .lengths(let done):
            let count = min(rows - done, (end - position) / 4)
            for index in 0..<count {
                let length = UnsafeRawPointer(position).loadUnaligned(
                    fromByteOffset: 4 * index, as: UInt32.self)
                lengths.append(UInt32(littleEndian: length))
            }
            take(4 * count, &position)
            phase = .lengths(done + count)
            guard done + count == rows else { throw RowError(.incomplete) }
            phase = .texts(0)
        case .texts(let done):
            try texts(done, field ?? 0, &position, end, &context)
            try nextColumn(&context)
        }
    }

    private mutating func texts(
        _ done: Int, _ field: Int, _ position: inout UnsafePointer<UInt8>,
        _ end: UnsafePointer<UInt8>, _ context: inout RowBuilder
    ) throws(RowError) {
        for index in done..<rows {
            let length = Int(lengths[index])
            guard length <= SampleParser.longestText else {
                row = index
                throw RowError(.longText, field: field)
            }
            guard UInt64(length) <= left - reserved else {
                throw RowError(.columnLength, field: field)
            }
            phase = .texts(index)
            guard end - position >= length else { throw RowError(.incomplete) }
            let text = UnsafeBufferPointer(start: position, count: length)
            if text.contains(where: { $0 >= 0x80 }) {
                row = index
                try context.check(text, field)
            }
            context.columns.set(text: text, field, row: context.columns.count + index)
            take(length, &position)
        }
    }

    private mutating func take(_ count: Int, _ position: inout UnsafePointer<UInt8>) {
        position += count
        left -= UInt64(count)
    }

    private mutating func nextColumn(_ context: inout RowBuilder) throws(RowError) {
        column += 1
        guard column < order.count else {
            guard left == 0 else { throw RowError(.columnLength) }
            context.columns.close(rows: rows)
            phase = .header
            batch += 1
            return
        }
        let isNumeric = context.kinds[order[column]].isNumeric
        reserved -= UInt64(rows * (isNumeric ? 8 : 4))
        phase = isNumeric ? .cells(0) : .lengths(0)
        lengths.removeAll(keepingCapacity: true)
    }

    /// Rejects numbers that are not finite, and the two times that encode open ends.
    private mutating func check(
        _ cells: UnsafeMutableRawPointer, _ field: Int?, _ kinds: [Field.Kind]
    ) throws(RowError) {
        guard let field else {
            let times = cells.assumingMemoryBound(to: Int64.self)
            for index in 0..<rows where times[index] == .max || times[index] == .min {
                row = index
                throw RowError(.notTime, field: FieldTable.time)
            }
            return
        }
        guard kinds[field] == .number else { return }
        let bits = cells.assumingMemoryBound(to: UInt64.self)
        let exponent: UInt64 = 0x7FF0_0000_0000_0000
        for index in 0..<rows where bits[index] & exponent == exponent {
            row = index
            throw RowError(.range, field: field)
        }
    }

    private static func begins(_ bytes: UnsafeRawPointer, _ count: Int) -> Bool {
        zip(ColumnsHeader.magic, 0..<count).allSatisfy {
            bytes.load(fromByteOffset: $1, as: UInt8.self) == $0
        }
    }
}

/// The header of a batch in the columns format.
enum ColumnsHeader {
    /// `NVC` in ASCII.
    static let magic: [UInt8] = [0x4E, 0x56, 0x43]
    static let version: UInt8 = 1
    /// The bytes before the names of the fields.
    static let length = 18

    /// The byte that encodes a kind of field.
    static func code(of kind: Field.Kind) -> UInt8 {
        switch kind {
        case .number: 0
        case .integer: 1
        case .state: 2
        case .text: 3
        }
    }
}
