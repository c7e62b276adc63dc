import Samples

/// Builds the columns of one sensor row by row.
struct ColumnBuilder: ~Copyable {
    private static let firstCapacity = 1024

    let fields: [Field]
    /// The maximum number of rows.
    let limit: Int
    private(set) var capacity = 0
    /// Completed rows; the cells of the next one may already be written.
    private(set) var count = 0
    /// Microseconds since 1970.
    private var times: UnsafeMutablePointer<Int64>
    /// The bits of numbers and integers, by field.
    private let words: UnsafeMutablePointer<UnsafeMutablePointer<UInt64>>
    private var texts: [TextColumn]

    init(_ fields: [Field], limit: Int) {
        self.fields = fields
        self.limit = limit
        times = .allocate(capacity: 0)
        words = .allocate(capacity: fields.count)
        for field in fields.indices { words[field] = .allocate(capacity: 0) }
        texts = fields.map { _ in TextColumn() }
    }

    deinit {
        times.deallocate()
        for field in fields.indices { words[field].deallocate() }
        words.deallocate()
    }

    /// Reserves space for the cells of one more row.
    @inline(__always)
    mutating func open() throws(RowError) {
        if count == capacity { try grow(to: count + 1) }
    }

    /// Reserves space for `rows` rows in total.
    mutating func grow(to rows: Int) throws(RowError) {
        guard rows <= limit else { throw RowError(.tooMany) }
        guard rows > capacity else { return }
        let larger = min(limit, max(rows, capacity * 2, Self.firstCapacity))
        times = Self.moved(times, count, to: larger)
        for field in fields.indices where fields[field].kind.isNumeric {
            words[field] = Self.moved(words[field], count, to: larger)
        }
        capacity = larger
    }

    @inline(__always)
    func set(time: Int64) { times[count] = time }

    @inline(__always)
    func set(number: Double, _ field: Int) { words[field][count] = number.bitPattern }

    @inline(__always)
    func set(integer: Int64, _ field: Int) {
        words[field][count] = UInt64(bitPattern: integer)
    }

    /// - Precondition: the bytes are UTF-8.
    @inline(__always)
    mutating func set(text: UnsafeBufferPointer<UInt8>, _ field: Int) {
        texts[field].set(text, at: count)
    }

    /// Completes the current row.
    @inline(__always)
    mutating func close() { count += 1 }

    /// The storage of a numeric column from `row` on, for filling whole columns.
    ///
    /// - Parameter field: `nil` for the times.
    /// - Precondition: `grow` has reserved the rows, and the field is not a text.
    func cells(_ field: Int?, from row: Int) -> UnsafeMutableRawPointer {
        guard let field else { return UnsafeMutableRawPointer(times + row) }
        return UnsafeMutableRawPointer(words[field] + row)
    }

    mutating func set(text: UnsafeBufferPointer<UInt8>, _ field: Int, row: Int) {
        texts[field].set(text, at: row)
    }

    /// Completes `rows` rows that were filled as columns.
    mutating func close(rows: Int) { count += rows }

    /// The samples of all completed rows.
    consuming func batch() -> SampleBatch {
        let count = count
        let moments = [Timestamp](unsafeUninitializedCapacity: count) { buffer, filled in
            for row in 0..<count {
                buffer.initializeElement(at: row, to: Timestamp(microseconds: times[row]))
            }
            filled = count
        }
        let columns = fields.indices.map { field -> Column in
            let cells = words[field]
            switch fields[field].kind {
            case .number:
                return .numbers(
                    [Double](unsafeUninitializedCapacity: count) { buffer, filled in
                        for row in 0..<count {
                            buffer.initializeElement(at: row, to: Double(bitPattern: cells[row]))
                        }
                        filled = count
                    })
            case .integer:
                return .integers(
                    [Int64](unsafeUninitializedCapacity: count) { buffer, filled in
                        for row in 0..<count {
                            buffer.initializeElement(at: row, to: Int64(bitPattern: cells[row]))
                        }
                        filled = count
                    })
            case .state, .text:
                return .texts(texts[field].values(count))
            }
        }
        return SampleBatch(times: moments, columns: columns)
    }

    private static func moved<T>(
        _ old: UnsafeMutablePointer<T>, _ count: Int, to capacity: Int
    ) -> UnsafeMutablePointer<T> {
        let new = UnsafeMutablePointer<T>.allocate(capacity: capacity)
        new.moveInitialize(from: old, count: count)
        old.deallocate()
        return new
    }
}

/// The texts of one field; equal consecutive texts share storage.
struct TextColumn {
    private var texts: [String] = []
    private var last: [UInt8] = []

    /// - Parameter row: at most the number of texts; an existing text is replaced.
    mutating func set(_ bytes: UnsafeBufferPointer<UInt8>, at row: Int) {
        let text: String
        if let previous = texts.last, last.count == bytes.count, last.elementsEqual(bytes) {
            text = previous
        } else {
            text = String(decoding: bytes, as: UTF8.self)
            last.removeAll(keepingCapacity: true)
            last.append(contentsOf: bytes)
        }
        if row < texts.count { texts.removeSubrange(row...) }
        texts.append(text)
    }

    func values(_ count: Int) -> [String] {
        texts.count == count ? texts : Array(texts.prefix(count))
    }
}
