public import Samples

/// Serialises samples of one sensor.
///
/// Output is buffered until ``take(_:)``; take it often to bound memory.
///
/// ```swift
/// var writer = SampleWriter(.csv, fields: sensor.fields)
/// writer.begin()
/// writer.write(batch, rows: 0..<batch.count)
/// let bytes = writer.take { Array($0) }
/// ```
public struct SampleWriter: ~Copyable {
    private static let capacity = 1 << 16

    private let format: SampleFormat
    private let fields: [Field]
    private var sink = OutputBuffer(capacity: capacity)
    private let numbers: NumberWriter
    private let rows: RowTemplate
    private var senml: SenMLWriter
    /// Whether the next element is the first of its array.
    private var isFirst = true

    /// Creates a writer for samples with the given fields.
    ///
    /// - Parameter sensor: whose samples they are; SenML has its name in the names of the records.
    public init(_ format: SampleFormat, fields: [Field], of sensor: SensorID? = nil) {
        self.format = format
        self.fields = fields
        numbers = NumberWriter(columns: fields.count)
        rows = RowTemplate(format, fields)
        senml = SenMLWriter(fields, of: sensor)
    }

    /// The number of buffered bytes.
    public var count: Int { sink.count }

    /// Writes the start of the output: the header line of CSV, the bracket of SenML.
    public mutating func begin() {
        if format == .senml { sink.append([UInt8(ascii: "[")]) }
        guard format == .csv else { return }
        sink.append(Array((["t"] + fields.map(\.name)).joined(separator: ",").utf8))
        sink.append([0x0D, 0x0A])
    }

    /// Writes the end of the output: the bracket of SenML, which must have at least one record.
    public mutating func end() {
        if format == .senml { sink.append([UInt8(ascii: "]")]) }
    }

    /// Writes samples as lines, as array elements separated by commas, or as one batch of columns.
    ///
    /// - Precondition: the columns match the fields; for SenML, `hasSenMLTimes`.
    public mutating func write(_ batch: SampleBatch, rows range: Range<Int>) {
        if format == .columns {
            writeColumns(batch, range)
        } else if format == .senml {
            senml.write(batch, range, numbers, &sink)
        } else if !range.isEmpty {
            batch.withCells { times, cells in writeRows(times, cells, range) }
        }
    }

    /// Passes the buffered bytes to `body` and clears the buffer.
    public mutating func take<T>(_ body: (UnsafeRawBufferPointer) -> T) -> T {
        let result = body(UnsafeRawBufferPointer(start: sink.start, count: sink.count))
        sink.removeAll()
        return result
    }

    private mutating func writeRows(
        _ times: UnsafePointer<Timestamp>, _ cells: [Cells], _ range: Range<Int>
    ) {
        let isCSV = format == .csv
        cells.withUnsafeBufferPointer { cells in
            for row in range {
                sink.reserve(rows.maximumSize)
                var output = sink.next
                if format == .json, !isFirst {
                    output.pointee = UInt8(ascii: ",")
                    output += 1
                }
                isFirst = false
                rows.copy(0, &output)
                Digits.write(milliseconds: times[row].microseconds, &output)
                for column in cells.indices {
                    rows.copy(column + 1, &output)
                    switch cells[column] {
                    case .numbers(let values):
                        let value = values[row]
                        if value.isFinite {
                            numbers.write(value, column, &output)
                        } else {
                            rows.copyNull(&output)
                        }
                    case .integers(let values): Digits.write(values[row], &output)
                    case .texts(let values):
                        sink.next = output
                        write(values[row], isCSV: isCSV)
                        output = sink.next
                    }
                }
                rows.copy(cells.count + 1, &output)
                sink.next = output
            }
        }
    }

    private mutating func write(_ text: String, isCSV: Bool) {
        var text = text
        text.withUTF8 { bytes in
            // Reserves space for the text and for the rest of the row.
            sink.reserve(TextWriter.maximumSize(bytes.count) + rows.maximumSize)
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
        // All supported machines are little-endian, like the format.
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

/// The constant parts of a row: the text before, between and after the values.
struct RowTemplate: ~Copyable {
    /// The maximum size of a row without its texts.
    let maximumSize: Int
    private let bytes: UnsafeMutablePointer<UInt8>
    private let starts: [Int]
    private let lengths: [Int]

    init(_ format: SampleFormat, _ fields: [Field]) {
        var parts: [[UInt8]]
        if format == .csv {
            parts = [[]] + fields.map { _ in [UInt8(ascii: ",")] } + [[0x0D, 0x0A]]
        } else {
            parts = [Array(#"{"t":"#.utf8)]
            for field in fields {
                var sink = OutputBuffer(capacity: TextWriter.maximumSize(field.name.utf8.count) + 2)
                sink.append([UInt8(ascii: ",")])
                var name = field.name
                name.withUTF8 { TextWriter.json($0, &sink.next) }
                sink.append([UInt8(ascii: ":")])
                parts.append(Array(UnsafeBufferPointer(start: sink.start, count: sink.count)))
            }
            parts.append(format == .ndjson ? [UInt8(ascii: "}"), 0x0A] : [UInt8(ascii: "}")])
        }
        parts.append(Array("null".utf8))
        // Parts are copied as whole words, so each is aligned to one.
        var (starts, size) = ([Int](), 0)
        for part in parts {
            starts.append(size)
            size += (part.count + 7) / 8 * 8
        }
        bytes = .allocate(capacity: size)
        bytes.initialize(repeating: 0, count: size)
        for (start, part) in zip(starts, parts) {
            for (offset, byte) in part.enumerated() { bytes[start + offset] = byte }
        }
        self.starts = starts
        lengths = parts.map(\.count)
        maximumSize = lengths.reduce(0, +) + (fields.count + 2) * NumberWriter.longest
    }

    deinit { bytes.deallocate() }

    /// Copies a part; may overwrite seven bytes after it.
    @inline(__always)
    func copy(_ part: Int, _ output: inout Digits.Output) {
        let length = lengths[part]
        let source = UnsafeRawPointer(bytes + starts[part])
        let target = UnsafeMutableRawPointer(output)
        var offset = 0
        while offset < length {
            let word = source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            target.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        output += length
    }

    func copyNull(_ output: inout Digits.Output) { copy(lengths.count - 1, &output) }
}

/// Pointers to the values of one column, valid while its batch is retained.
enum Cells {
    case numbers(UnsafePointer<Double>)
    case integers(UnsafePointer<Int64>)
    case texts([String])
}

extension SampleBatch {
    /// Calls `body` with pointers to the times and the columns.
    func withCells(
        _ columns: ArraySlice<Column>? = nil, _ cells: [Cells] = [],
        _ body: (UnsafePointer<Timestamp>, [Cells]) -> Void
    ) {
        let rest = columns ?? self.columns[...]
        guard let first = rest.first else {
            return times.withUnsafeBufferPointer { times in
                if let base = times.baseAddress { body(base, cells) }
            }
        }
        switch first {
        case .numbers(let values):
            values.withUnsafeBufferPointer { values in
                guard let base = values.baseAddress else { return }
                withCells(rest.dropFirst(), cells + [.numbers(base)], body)
            }
        case .integers(let values):
            values.withUnsafeBufferPointer { values in
                guard let base = values.baseAddress else { return }
                withCells(rest.dropFirst(), cells + [.integers(base)], body)
            }
        case .texts(let values):
            withCells(rest.dropFirst(), cells + [.texts(values)], body)
        }
    }
}
