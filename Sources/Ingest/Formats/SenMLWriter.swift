public import Samples

/// Writes samples as records of SenML (RFC 8428): one record for each field, whose name is that of the
/// sensor, `/`, and that of the field.
struct SenMLWriter {
    /// Times closer to 1970 than this, in seconds, are relative to the time of reception.
    ///
    /// Source: RFC 8428, section 4.5.3.
    static let firstAbsoluteSecond: Int64 = 1 << 28

    private struct Column {
        /// The constant text of a record from `"n"` up to its value.
        let head: [UInt8]
        let conversion: SenMLUnit.Conversion
    }

    private let columns: [Column]
    /// The members of the first record only.
    private let base: [UInt8]
    private var isFirst = true

    /// - Parameter sensor: whose samples are written; without it, names are those of the fields.
    init(_ fields: [Field], of sensor: SensorID?) {
        base = sensor.map { Array(#""bn":"\#($0)/","#.utf8) } ?? []
        columns = fields.map { field in
            var text = #""n":"\#(field.name)","#
            var conversion = SenMLUnit.Conversion.identity
            if field.kind.isNumeric,
                let written = SenMLUnit.written(ucum: field.unit, field: field.name)
            {
                text += #""u":"\#(written.unit)","#
                conversion = written.conversion
            }
            text += field.kind.isNumeric ? #""v":"# : #""vs":"#
            return Column(head: Array(text.utf8), conversion: conversion)
        }
    }

    /// Writes records, each preceded by a comma unless it is the first.
    mutating func write(
        _ batch: SampleBatch, _ range: Range<Int>, _ numbers: borrowing NumberWriter,
        _ sink: inout OutputBuffer
    ) {
        guard !range.isEmpty else { return }
        batch.withCells { times, cells in
            for row in range {
                for (index, column) in columns.enumerated() {
                    sink.append(Array((isFirst ? "{" : ",{").utf8))
                    if isFirst { sink.append(base) }
                    isFirst = false
                    if index == 0 { Self.writeBaseTime(times[row], &sink) }
                    sink.append(column.head)
                    Self.write(cells[index], row, index, column.conversion, numbers, &sink)
                    sink.append([UInt8(ascii: "}")])
                }
            }
        }
    }

    /// Writes `"bt":…,` in seconds with the microseconds as a fraction.
    private static func writeBaseTime(_ time: Timestamp, _ sink: inout OutputBuffer) {
        sink.append(Array(#""bt":"#.utf8))
        sink.reserve(NumberWriter.longest)
        if time.microseconds < 0 {
            sink.next.pointee = UInt8(ascii: "-")
            sink.next += 1
        }
        let (whole, rest) = time.microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        Digits.write(whole, &sink.next)
        if rest != 0 {
            sink.next.pointee = UInt8(ascii: ".")
            sink.next += 1
            Digits.write(rest, padded: 6, &sink.next)
        }
        sink.append([UInt8(ascii: ",")])
    }

    private static func write(
        _ cells: Cells, _ row: Int, _ column: Int, _ conversion: SenMLUnit.Conversion,
        _ numbers: borrowing NumberWriter, _ sink: inout OutputBuffer
    ) {
        sink.reserve(NumberWriter.longest)
        switch cells {
        case .numbers(let values):
            numbers.write(conversion.written(values[row]), column, &sink.next)
        case .integers(let values) where conversion.isIdentity:
            Digits.write(values[row], &sink.next)
        case .integers(let values):
            numbers.write(conversion.written(Double(values[row])), column, &sink.next)
        case .texts(let values):
            var text = values[row]
            text.withUTF8 { bytes in
                sink.reserve(TextWriter.maximumSize(bytes.count))
                TextWriter.json(bytes, &sink.next)
            }
        }
    }
}

extension SampleBatch {
    /// Whether SenML can express the times of these samples; it has no absolute times before
    /// 1978-07-04T21:24:16Z.
    public var hasSenMLTimes: Bool {
        let first = Timestamp(microseconds: SenMLWriter.firstAbsoluteSecond * 1_000_000)
        return times.allSatisfy { $0 >= first }
    }
}
