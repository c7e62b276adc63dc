import API
import Foundation
import LAE
import NIOCore
import Samples
import Statistics

/// Writes statistics of several sensors: for each a column of the starts of its windows, and a column of
/// numbers for each statistic of each field.
struct StatisticsColumnsWriter {
    private var buffer = ByteBuffer(string: #"{"from":"#)
    private var isFirst = true
    /// How many numbers the answer may still have.
    private var room = StatisticsQuery.numberLimit
    /// The significant digits of statistics; `nil` for all.
    private let digits: Int?

    init(_ query: StatisticsQuery, digits: Int? = nil) {
        self.digits = digits
        write(query.range.from)
        buffer.writeString(#","every":"#)
        if let every = query.every {
            write(Double(every.wholeMicroseconds) / 1000)
        } else {
            buffer.writeString("null")
        }
        buffer.writeString(#","items":["#)
    }

    /// - Throws: `Problem` if the answer would have too many numbers.
    mutating func write(_ table: StatisticsTable, of sensor: SensorID) throws {
        room -= table.windows.count * table.fields.count * table.statistics.count
        guard room >= 0 else {
            throw Problem(
                .tooManyWindows,
                "The answer contains more than \(StatisticsQuery.numberLimit) numbers.",
                fix: "Ask for fewer sensors, fields, statistics or windows.")
        }
        begin(sensor)
        buffer.writeString(#","fields":"#)
        buffer.writeBytes(
            try JSONText.encode(table.fields.map(SensorDescription.FieldDescription.init)))
        buffer.writeString(#","from":["#)
        for (index, window) in table.windows.enumerated() {
            if index > 0 { buffer.writeString(",") }
            write(window.range.from)
        }
        buffer.writeString(#"],"to":"#)
        write(table.windows.last?.range.to ?? .distantFuture)
        if table.windows.contains(where: \.isFromSummaries) {
            buffer.writeString(#","approximate":true"#)
        }
        if table.windows.contains(where: \.isPartial) { buffer.writeString(#","partial":true"#) }
        if let damaged = DamagedRange.list(table.damage) {
            buffer.writeString(#","damaged":"#)
            buffer.writeBytes(try JSONText.encode(damaged))
        }
        let fields = table.fields.enumerated()
        for (row, field) in fields where !StatisticsColumns.members.contains(field.name) {
            write(field, row, of: table)
        }
        let others = fields.filter { StatisticsColumns.members.contains($0.element.name) }
        if !others.isEmpty {
            buffer.writeString(#","values":{"#)
            for (index, (row, field)) in others.enumerated() {
                write(field, row, of: table, isFirst: index == 0)
            }
            buffer.writeString("}")
        }
        buffer.writeString("}")
    }

    mutating func write(_ problem: Problem, of sensor: SensorID) {
        begin(sensor)
        buffer.writeString(#","problem":"#)
        buffer.writeBytes(problem.encoded())
        buffer.writeString("}")
    }

    consuming func finish() -> ByteBuffer {
        buffer.writeString("]}")
        return buffer
    }

    private mutating func begin(_ sensor: SensorID) {
        buffer.writeString(isFirst ? "{" : ",{")
        isFirst = false
        buffer.writeString(#""sensor":"#)
        buffer.writeJSON(sensor.description)
    }

    private mutating func write(
        _ field: Field, _ row: Int, of table: StatisticsTable, isFirst: Bool = false
    ) {
        if !isFirst { buffer.writeString(",") }
        buffer.writeJSON(field.name)
        buffer.writeString(":{")
        for (index, statistic) in table.statistics.enumerated() {
            if index > 0 { buffer.writeString(",") }
            buffer.writeJSON(statistic.description)
            buffer.writeString(":[")
            for (number, window) in table.windows.enumerated() {
                if number > 0 { buffer.writeString(",") }
                write(window.values[row][index].map(rounded))
            }
            buffer.writeString("]")
        }
        buffer.writeString("}")
    }

    private func rounded(_ number: Double) -> Double {
        guard let digits, number.isFinite, number != 0 else { return number }
        let places = digits - 1 - Int(log10(abs(number)).rounded(.down))
        let scale = pow(10, Double(abs(places)))
        guard scale.isFinite else { return number }
        // Dividing by a whole power of ten gives the double that is nearest to the decimal number.
        return places < 0 ? (number / scale).rounded() * scale : (number * scale).rounded() / scale
    }

    private mutating func write(_ time: Timestamp) {
        if let time = time.bounded {
            buffer.writeMilliseconds(time)
        } else {
            buffer.writeString("null")
        }
    }

    private mutating func write(_ number: Double?) {
        guard let number, number.isFinite else {
            buffer.writeString("null")
            return
        }
        // Shorter than with a fraction.
        if let integer = Int64(exactly: number), abs(number) < 1e15 {
            buffer.writeString(String(integer))
        } else {
            buffer.writeString("\(number)")
        }
    }
}
