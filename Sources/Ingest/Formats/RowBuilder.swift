import Samples

/// Converts cells to values and collects them as rows; shared by the readers of all formats.
struct RowBuilder: ~Copyable {
    var columns: ColumnBuilder
    let table: FieldTable
    let powers = PowersOfTen()
    /// The kinds of the fields.
    let kinds: [Field.Kind]
    /// The time of samples that have none, in microseconds since 1970.
    let now: Int64
    /// The current line, from 1.
    var line = 1
    /// Counts the samples started, including those started again with more input.
    var attempt = 0
    /// The name of the unknown field at which reading stopped.
    var unknownName: [UInt8] = []
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
        _ position: inout UnsafePointer<UInt8>, _ field: Int, isInteger: Bool
    ) throws(RowError) {
        let number: DecimalLiteral
        do throws(RowError) {
            number = try DecimalLiteral(&position)
        } catch {
            throw RowError(error.reason, field: field)
        }
        if isInteger {
            guard let value = number.integer() else { throw RowError(.notInteger, field: field) }
            columns.set(integer: value, field)
        } else {
            guard let value = number.double(powers) else { throw RowError(.range, field: field) }
            columns.set(number: value, field)
        }
    }

    /// Reads a numeric time.
    @inline(__always)
    func readTime(_ position: inout UnsafePointer<UInt8>) throws(RowError) {
        let number: DecimalLiteral
        do throws(RowError) {
            number = try DecimalLiteral(&position)
        } catch {
            throw RowError(error.reason == .notNumber ? .notTime : error.reason, field: -1)
        }
        guard let time = number.microseconds(), time != .max else {
            throw RowError(.notTime, field: -1)
        }
        columns.set(time: time)
    }

    /// Stores the text of a cell, or a time in RFC 3339.
    mutating func take(
        _ text: UnsafeBufferPointer<UInt8>, _ field: Int, isASCII: Bool
    ) throws(RowError) {
        if field == FieldTable.time {
            guard let time = Timestamp(rfc3339: text) else { throw RowError(.notTime, field: -1) }
            columns.set(time: time.microseconds)
            return
        }
        guard text.count <= SampleParser.longestText else {
            throw RowError(.longText, field: field)
        }
        if !isASCII { try check(text, field) }
        columns.set(text: text, field)
    }

    /// Rejects invalid UTF-8, and more than 30 combining marks in a row because comparing them takes
    /// quadratic time.
    ///
    /// Source: Unicode Standard Annex #15, section 13.
    func check(_ text: UnsafeBufferPointer<UInt8>, _ field: Int) throws(RowError) {
        guard let string = String(validating: text, as: UTF8.self) else {
            throw RowError(.notUTF8, field: field)
        }
        var run = 0
        for scalar in string.unicodeScalars {
            let isMark = scalar.properties.canonicalCombiningClass != .notReordered
            run = isMark ? run + 1 : 0
            if run > 30 { throw RowError(.marks, field: field) }
        }
    }

    /// Calls `body` with an empty buffer that is reused between texts.
    mutating func withDecoded<T>(
        _ body: (inout [UInt8]) throws(RowError) -> T
    ) throws(RowError) -> T {
        decoded.removeAll(keepingCapacity: true)
        return try body(&decoded)
    }
}

/// Why a row could not be read.
///
/// The value is small so that the throwing functions stay cheap for valid rows.
struct RowError: Error {
    enum Reason: UInt8 {
        /// The row continues beyond the available input.
        case incomplete
        case syntax, notUTF8, byteOrderMark, control, escape, surrogate, longNumber, longRow
        case twice, textAfterEnd, quote, cells, header, blankLine
        case magic, version, columnLength, name
        case unknown, missing, null, nested, notNumber, notInteger, notText, notTime, range
        case longText, marks, kind, none
        case tooMany
        // SenML.
        case member, memberType, baseVersion, mustUnderstand, senmlName, otherDevice
        case noValue, values, unit, boolean, dataValue, noSumField
    }

    let reason: Reason
    /// The index of the field concerned, -1 for the time, -2 for none.
    var field = -2

    init(_ reason: Reason, field: Int = -2) {
        self.reason = reason
        self.field = field
    }

    var code: SampleFault.Code {
        switch reason {
        case .tooMany: .tooMany
        case .unknown, .missing, .null, .nested, .notNumber, .notInteger, .notText, .notTime,
            .range, .longText, .marks, .kind, .none, .otherDevice, .unit, .boolean, .dataValue,
            .noSumField:
            .unfit
        default: .malformed
        }
    }

    var message: String {
        switch reason {
        case .incomplete: "the input ends within a sample"
        case .syntax: "unexpected character"
        case .notUTF8: "the text is not valid UTF-8"
        case .byteOrderMark: "the input begins with a byte order mark; save it as UTF-8 without one"
        case .control: "a text contains a control character; escape it"
        case .escape: "invalid escape sequence"
        case .surrogate: "unpaired surrogate"
        case .longNumber: "the number has more than \(DecimalLiteral.longest) characters"
        case .longRow: "the sample has more than \(SampleParser.longestRow) bytes"
        case .twice: "the field occurs twice"
        case .textAfterEnd: "unexpected input after the samples"
        case .quote:
            "an unquoted cell contains a quote, or text follows a quoted cell"
        case .cells: "the number of cells differs from the header"
        case .header: "the header line is missing"
        case .blankLine: "the line is empty"
        case .magic: "a batch does not begin with the bytes 4E 56 43"
        case .version: "unsupported batch version"
        case .columnLength: "the length of the columns does not match their rows"
        case .name: "the field name is empty"
        case .unknown: "the sensor has no such field"
        case .missing: "the field is missing"
        case .null: "the value is missing"
        case .nested: "an array or object cannot be a value"
        case .notNumber: "the value is not a number"
        case .notInteger: "the value is not a 64-bit integer"
        case .notText: "the value is not a text"
        case .notTime:
            "the time is neither milliseconds since 1970 nor RFC 3339, or is out of range"
        case .range: "the number is not finite or exceeds 64 bits"
        case .longText: "the text has more than \(SampleParser.longestText) bytes"
        case .marks: "the text has more than 30 combining marks on one character"
        case .kind: "the kind of the column does not match the field"
        case .none: "there are no samples"
        case .tooMany: "too many samples in one request"
        case .member: "a member occurs twice"
        case .memberType: "a member of a record has a value of another type than SenML says"
        case .baseVersion: "the version (bver) of the pack is later than 10, or changes"
        case .mustUnderstand: "a member whose name ends with _ must be understood, and is not"
        case .senmlName:
            "the name (bn and n) is empty, has characters other than letters, digits and -:./_, or"
                + " begins with one of these"
        case .otherDevice: "the name is that of another device than in the records before"
        case .noValue: "the record has neither a value (v, vs, vb, vd) nor a sum (s)"
        case .values: "the record has more than one of v, vs, vb and vd"
        case .unit: "the unit cannot be converted to that of the field"
        case .boolean: "a boolean (vb) cannot be stored; send a number (v) or a text (vs)"
        case .dataValue: "binary data (vd) cannot be stored"
        case .noSumField:
            "the sensor has no field for the sum (s): its name is that of the field followed by Sum"
        }
    }
}
