public import Samples

/// Writes samples of one sensor column by column of memory and row by row of text.
///
/// What was written is held until it is taken, so take it often.
///
/// ```swift
/// var writer = SampleWriter(.csv, fields: sensor.fields)
/// writer.begin()
/// writer.write(batch, rows: 0..<batch.count)
/// let bytes = writer.take { Array($0) }
/// ```
public struct SampleWriter: ~Copyable {
    private static let capacity = 1 << 16

    private let form: SampleForm
    private let fields: [Field]
    private var sink = ByteSink(capacity: capacity)
    private let numbers: NumberWriter
    private let rows: RowShape
    /// Whether the next element is the first of its array.
    private var isFirst = true

    public init(_ form: SampleForm, fields: [Field]) {
        self.form = form
        self.fields = fields
        numbers = NumberWriter(columns: fields.count)
        rows = RowShape(form, fields)
    }

    /// The bytes that wait to be taken.
    public var count: Int { sink.count }

    /// Writes what stands before the first sample: the header line of CSV.
    public mutating func begin() {
        guard form == .csv else { return }
        sink.append(Array((["t"] + fields.map(\.name)).joined(separator: ",").utf8))
        sink.append([0x0D, 0x0A])
    }

    /// Writes samples: lines, elements with commas between them, or one batch of columns.
    ///
    /// - Precondition: the columns are those of the fields.
    public mutating func write(_ batch: SampleBatch, rows range: Range<Int>) {
        if form == .columns {
            writeColumns(batch, range)
        } else if !range.isEmpty {
            batch.withCells { times, cells in writeRows(times, cells, range) }
        }
    }

    /// Takes the bytes that were written since the last time.
    public mutating func take<T>(_ body: (UnsafeRawBufferPointer) -> T) -> T {
        let result = body(UnsafeRawBufferPointer(start: sink.start, count: sink.count))
        sink.removeAll()
        return result
    }

    // MARK: - Private

    private mutating func writeRows(
        _ times: UnsafePointer<Timestamp>, _ cells: [Cells], _ range: Range<Int>
    ) {
        let isCSV = form == .csv
        cells.withUnsafeBufferPointer { cells in
            for row in range {
                sink.reserve(rows.most)
                var place = sink.next
                if form == .json, !isFirst {
                    place.pointee = UInt8(ascii: ",")
                    place += 1
                }
                isFirst = false
                rows.copy(0, &place)
                Digits.write(milliseconds: times[row].microseconds, &place)
                for column in cells.indices {
                    rows.copy(column + 1, &place)
                    switch cells[column] {
                    case .numbers(let values):
                        let value = values[row]
                        if value.isFinite {
                            numbers.write(value, column, &place)
                        } else {
                            rows.copyNull(&place)
                        }
                    case .integers(let values): Digits.write(values[row], &place)
                    case .texts(let values):
                        sink.next = place
                        write(values[row], isCSV: isCSV)
                        place = sink.next
                    }
                }
                rows.copy(cells.count + 1, &place)
                sink.next = place
            }
        }
    }

    private mutating func write(_ text: String, isCSV: Bool) {
        var text = text
        text.withUTF8 { bytes in
            // And what the rest of the row may need.
            sink.reserve(TextWriter.most(bytes.count) + rows.most)
            if isCSV {
                TextWriter.csv(bytes, &sink.next)
            } else {
                TextWriter.json(bytes, &sink.next)
            }
        }
    }

    private mutating func writeColumns(_ batch: SampleBatch, _ range: Range<Int>) {
        let columns = range == batch.indices ? batch.columns : batch.columns.map { $0[range] }
        let sizes = columns.map { column -> Int in
            switch column {
            case .numbers, .integers: 8 * range.count
            case .texts(let texts): texts.reduce(4 * range.count) { $0 + $1.utf8.count }
            }
        }
        sink.append(ColumnsHeader.magic + [ColumnsHeader.version])
        sink.append(UInt16(fields.count))
        sink.append(UInt32(range.count))
        sink.append(UInt64(sizes.reduce(8 * range.count, +)))
        for field in fields {
            let name = Array(field.name.utf8.prefix(255))
            sink.append([ColumnsHeader.code(of: field.kind), UInt8(name.count)] + name)
        }
        // Every machine this runs on is little-endian, as the form is.
        batch.times[range].withUnsafeBytes { sink.append($0) }
        for column in columns {
            switch column {
            case .numbers(let values): values.withUnsafeBytes { sink.append($0) }
            case .integers(let values): values.withUnsafeBytes { sink.append($0) }
            case .texts(let texts):
                for text in texts { sink.append(UInt32(text.utf8.count)) }
                for text in texts {
                    var text = text
                    text.withUTF8 { sink.append(UnsafeRawBufferPointer($0)) }
                }
            }
        }
    }
}
