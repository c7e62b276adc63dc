/// Why reading stopped before the end of a row.
///
/// It is small, so that throwing it costs the many rows nothing that can be read.
struct RowStop: Error {
    enum Reason: UInt8 {
        /// The row goes on in bytes that are still to come.
        case incomplete
        case syntax, notUTF8, byteOrderMark, control, escape, surrogate, longNumber, longRow
        case twice, textAfterEnd, quote, cells, header, blankLine
        case magic, version, columnLength, name
        case unknown, missing, null, nested, notNumber, notInteger, notText, notTime, range
        case longText, marks, kind, none
        case tooMany
    }

    let reason: Reason
    /// The field it is about: its place among the sensor's, -1 for the time, -2 for none.
    var field = -2

    init(_ reason: Reason, field: Int = -2) {
        self.reason = reason
        self.field = field
    }

    var code: SampleFault.Code {
        switch reason {
        case .tooMany: .tooMany
        case .unknown, .missing, .null, .nested, .notNumber, .notInteger, .notText, .notTime,
            .range, .longText, .marks, .kind, .none:
            .unfit
        default: .malformed
        }
    }

    var message: String {
        switch reason {
        case .incomplete: "the text ends in the midst of a sample"
        case .syntax: "this is not what stands here in this form"
        case .notUTF8: "this is not UTF-8"
        case .byteOrderMark: "the text begins with a byte order mark; save it as UTF-8 without one"
        case .control: "a control character stands in a text; write it as an escape"
        case .escape: "this is no escape of JSON"
        case .surrogate: "half of a surrogate pair stands alone"
        case .longNumber: "the number has more than \(NumberText.longest) characters"
        case .longRow: "the sample has more than \(SampleParser.longestRow) bytes"
        case .twice: "the field stands here twice"
        case .textAfterEnd: "something follows the samples"
        case .quote:
            "a quote stands in a cell that is not quoted, or something follows a quoted one"
        case .cells: "there are more or fewer cells than in the header"
        case .header: "the header line is missing"
        case .blankLine: "the line is empty"
        case .magic: "a batch does not begin with the bytes 4E 56 43"
        case .version: "the version of the batch is not known here"
        case .columnLength: "the length of the columns is not that of their rows"
        case .name: "the name of the field is empty"
        case .unknown: "the sensor has no such field"
        case .missing: "the field is missing"
        case .null: "the value is missing"
        case .nested: "a list or an object is no value"
        case .notNumber: "the value is no number"
        case .notInteger: "the value is no integer of 64 bits"
        case .notText: "the value is no text"
        case .notTime:
            "the time is neither milliseconds since 1970 nor RFC 3339, or lies beyond what is kept"
        case .range: "the number is not finite or too large for 64 bits"
        case .longText: "the text has more than \(SampleParser.longestText) bytes"
        case .marks: "the text has more than 30 marks on one character"
        case .kind: "the kind of the column is not that of the field"
        case .none: "there is no sample"
        case .tooMany: "more samples came than are taken at once"
        }
    }
}
