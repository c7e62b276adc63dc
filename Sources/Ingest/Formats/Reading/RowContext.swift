import Samples

/// What every form needs to turn text into rows.
struct RowContext: ~Copyable {
    var columns: ColumnBuilder
    let table: FieldTable
    let powers = PowersOfTen()
    /// The kinds of the fields.
    let kinds: [Field.Kind]
    /// The time of samples that have none, in microseconds since 1970.
    let now: Int64
    /// The line that is being read, from 1.
    var line = 1
    /// Grows with every sample that is begun, also with one that is begun again.
    var attempt = 0
    /// The name that no field has, where one stopped the reading.
    var strangeName: [UInt8] = []
    private var decoded: [UInt8] = []

    init(_ fields: [Field], limit: Int, now: Timestamp) {
        columns = ColumnBuilder(fields, limit: limit)
        table = FieldTable(fields)
        kinds = fields.map(\.kind)
        self.now = now.microseconds
    }

    /// Reads a number into a field of kind `number` or `integer`.
    @inline(__always)
    mutating func readNumber(
        _ place: inout UnsafePointer<UInt8>, _ field: Int, isInteger: Bool
    ) throws(RowStop) {
        let number: NumberText
        do throws(RowStop) {
            number = try NumberText(&place)
        } catch {
            throw RowStop(error.reason, field: field)
        }
        if isInteger {
            guard let value = number.integer() else { throw RowStop(.notInteger, field: field) }
            columns.set(integer: value, field)
        } else {
            guard let value = number.double(powers) else { throw RowStop(.range, field: field) }
            columns.set(number: value, field)
        }
    }

    /// Reads a time that is written as a number.
    @inline(__always)
    func readTime(_ place: inout UnsafePointer<UInt8>) throws(RowStop) {
        let number: NumberText
        do throws(RowStop) {
            number = try NumberText(&place)
        } catch {
            throw RowStop(error.reason == .notNumber ? .notTime : error.reason, field: -1)
        }
        guard let time = number.microseconds(), time != .max else {
            throw RowStop(.notTime, field: -1)
        }
        columns.set(time: time)
    }

    /// Takes the text of a cell, or of a time as RFC 3339 has it.
    mutating func take(
        _ text: UnsafeBufferPointer<UInt8>, _ field: Int, isASCII: Bool
    ) throws(RowStop) {
        if field == FieldTable.time {
            guard let time = Timestamp(rfc3339: text) else { throw RowStop(.notTime, field: -1) }
            columns.set(time: time.microseconds)
            return
        }
        guard text.count <= SampleParser.longestText else {
            throw RowStop(.longText, field: field)
        }
        if !isASCII { try check(text, field) }
        columns.set(text: text, field)
    }

    /// Stops at what is not UTF-8, and at more than 30 combining marks that follow each other: the
    /// time that comparing takes grows with the square of their number.
    ///
    /// Source: Unicode Standard Annex #15, section 13.
    func check(_ text: UnsafeBufferPointer<UInt8>, _ field: Int) throws(RowStop) {
        guard let string = String(validating: text, as: UTF8.self) else {
            throw RowStop(.notUTF8, field: field)
        }
        var run = 0
        for scalar in string.unicodeScalars {
            let isMark = scalar.properties.canonicalCombiningClass != .notReordered
            run = isMark ? run + 1 : 0
            if run > 30 { throw RowStop(.marks, field: field) }
        }
    }

    /// Bytes that a text is decoded into.
    mutating func withDecoded<T>(
        _ body: (inout [UInt8]) throws(RowStop) -> T
    ) throws(RowStop) -> T {
        decoded.removeAll(keepingCapacity: true)
        return try body(&decoded)
    }
}
