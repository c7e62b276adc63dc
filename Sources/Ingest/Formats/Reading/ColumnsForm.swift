import Samples

/// Reads samples as columns of bytes; `docs/columns-format.md` says which.
struct ColumnsForm {
    private enum Phase {
        case header
        /// Times, numbers or integers, of which so many bytes are there.
        case cells(Int)
        /// The lengths of texts, of which so many are there.
        case lengths(Int)
        /// Texts, of which so many are there.
        case texts(Int)
    }

    private var phase = Phase.header
    /// The fields in the order of the columns; the times come before them.
    private var order: [Int] = []
    /// The column that is read, -1 for the times.
    private var column = -1
    private var rows = 0
    /// The bytes of the batch that are still to come.
    private var left: UInt64 = 0
    /// Those of them that the columns behind this one need, however short their texts are.
    private var reserved: UInt64 = 0
    private var lengths: [UInt32] = []
    private var offset = 0
    /// The batch that is read, from 1.
    private(set) var batch = 1
    /// The row in the batch that is wrong.
    private(set) var row: Int?

    /// Reads what is whole, or fills columns as far as it goes.
    ///
    /// - Returns: where to go on when more has come.
    mutating func read(
        _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, isLast: Bool,
        _ context: inout RowContext
    ) throws(RowStop) -> UnsafePointer<UInt8> {
        var place = start
        while true {
            let begin = place
            do throws(RowStop) {
                if case .header = phase {
                    if place == end { return end }
                    try header(&place, end, &context)
                } else {
                    try cells(&place, end, &context)
                }
            } catch {
                guard error.reason == .incomplete, !isLast else { throw error }
                return max(begin, place)
            }
        }
    }

    // MARK: - Private

    private mutating func header(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
        _ context: inout RowContext
    ) throws(RowStop) {
        let bytes = UnsafeRawPointer(place)
        guard end - place >= ColumnsHeader.length else {
            throw Self.begins(bytes, end - place) ? RowStop(.incomplete) : RowStop(.magic)
        }
        guard Self.begins(bytes, 3) else { throw RowStop(.magic) }
        guard place[3] == ColumnsHeader.version else { throw RowStop(.version) }
        let count = Int(
            UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self)))
        let length = UInt64(
            littleEndian: bytes.loadUnaligned(fromByteOffset: 10, as: UInt64.self))
        rows = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 6, as: UInt32.self)))
        var next = place + ColumnsHeader.length
        context.attempt += 1
        order = []
        for _ in 0..<count {
            guard next + 2 <= end else { throw RowStop(.incomplete) }
            let (kind, size) = (next[0], Int(next[1]))
            guard size > 0 else { throw RowStop(.name) }
            guard next + 2 + size <= end else { throw RowStop(.incomplete) }
            let name = UnsafeBufferPointer(start: next + 2, count: size)
            guard let field = context.table.field(named: name), field != FieldTable.time else {
                context.strangeName = Array(name)
                throw RowStop(.unknown)
            }
            guard !context.table.isTwice(field, in: context.attempt) else {
                throw RowStop(.twice, field: field)
            }
            guard kind == ColumnsHeader.code(of: context.kinds[field]) else {
                throw RowStop(.kind, field: field)
            }
            order.append(field)
            next += 2 + size
        }
        if let missing = context.table.missing(in: context.attempt) {
            throw RowStop(.missing, field: missing)
        }
        let texts = order.count { !context.kinds[$0].isNumeric }
        let least = UInt64(rows) * UInt64(8 * (1 + order.count - texts) + 4 * texts)
        guard texts > 0 ? length >= least : length == least else { throw RowStop(.columnLength) }
        try context.columns.grow(to: context.columns.count + rows)
        left = length
        reserved = least - UInt64(rows) * 8
        column = -1
        phase = .cells(0)
        place = next
    }

    private mutating func cells(
        _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
        _ context: inout RowContext
    ) throws(RowStop) {
        let field = column < 0 ? nil : order[column]
        switch phase {
        case .header: return
        case .cells(let done):
            let count = min(rows * 8 - done, end - place)
            let cells = context.columns.cells(field, from: context.columns.count)
            (cells + done).copyMemory(from: place, byteCount: count)
            take(count, &place)
            phase = .cells(done + count)
            guard done + count == rows * 8 else { throw RowStop(.incomplete) }
            try check(cells, field, context.kinds)
            try nextColumn(&context)
        case .lengths(let done):
            let count = min(rows - done, (end - place) / 4)
            for index in 0..<count {
                let length = UnsafeRawPointer(place).loadUnaligned(
                    fromByteOffset: 4 * index, as: UInt32.self)
                lengths.append(UInt32(littleEndian: length))
            }
            take(4 * count, &place)
            phase = .lengths(done + count)
            guard done + count == rows else { throw RowStop(.incomplete) }
            phase = .texts(0)
        case .texts(let done):
            try texts(done, field ?? 0, &place, end, &context)
            try nextColumn(&context)
        }
    }

    private mutating func texts(
        _ done: Int, _ field: Int, _ place: inout UnsafePointer<UInt8>,
        _ end: UnsafePointer<UInt8>, _ context: inout RowContext
    ) throws(RowStop) {
        for index in done..<rows {
            let length = Int(lengths[index])
            guard length <= SampleParser.longestText else {
                row = index
                throw RowStop(.longText, field: field)
            }
            guard UInt64(length) <= left - reserved else {
                throw RowStop(.columnLength, field: field)
            }
            phase = .texts(index)
            guard end - place >= length else { throw RowStop(.incomplete) }
            let text = UnsafeBufferPointer(start: place, count: length)
            if text.contains(where: { $0 >= 0x80 }) {
                row = index
                try context.check(text, field)
            }
            context.columns.set(text: text, field, row: context.columns.count + index)
            take(length, &place)
        }
    }

    private mutating func take(_ count: Int, _ place: inout UnsafePointer<UInt8>) {
        place += count
        left -= UInt64(count)
    }

    private mutating func nextColumn(_ context: inout RowContext) throws(RowStop) {
        column += 1
        guard column < order.count else {
            guard left == 0 else { throw RowStop(.columnLength) }
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

    /// Stops at a number that is not finite, and at the two times that stand for open ends.
    private mutating func check(
        _ cells: UnsafeMutableRawPointer, _ field: Int?, _ kinds: [Field.Kind]
    ) throws(RowStop) {
        guard let field else {
            let times = cells.assumingMemoryBound(to: Int64.self)
            for index in 0..<rows where times[index] == .max || times[index] == .min {
                row = index
                throw RowStop(.notTime, field: FieldTable.time)
            }
            return
        }
        guard kinds[field] == .number else { return }
        let bits = cells.assumingMemoryBound(to: UInt64.self)
        let exponent: UInt64 = 0x7FF0_0000_0000_0000
        for index in 0..<rows where bits[index] & exponent == exponent {
            row = index
            throw RowStop(.range, field: field)
        }
    }

    private static func begins(_ bytes: UnsafeRawPointer, _ count: Int) -> Bool {
        zip(ColumnsHeader.magic, 0..<count).allSatisfy {
            bytes.load(fromByteOffset: $1, as: UInt8.self) == $0
        }
    }
}
