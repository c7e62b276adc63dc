import HTTPTypes
import LAE
import NIOCore
import Samples

/// The forms in which samples are given out, chosen by `Accept`.
enum SampleFormat: String, CaseIterable {
    case json = "application/json"
    /// One JSON object a line.
    case ndjson = "application/x-ndjson"
    /// RFC 4180, with a header line.
    case csv = "text/csv"

    /// The form that the caller likes best, the first of equals; JSON when it says nothing.
    init(accept: String?) throws {
        guard let accept else {
            self = .json
            return
        }
        var best: (form: Self, quality: Double)?
        for range in accept.split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
            guard let form = parts.first.flatMap({ Self(range: $0.lowercased()) }) else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
            let quality = weight.flatMap { Double($0.dropFirst(2)) } ?? 1
            if quality > best?.quality ?? 0 { best = (form, quality) }
        }
        if let best {
            self = best.form
            return
        }
        throw Problem(
            status: .notAcceptable, code: "not-acceptable", title: "No form of it is acceptable",
            detail: "Samples come as \(Self.allCases.map(\.rawValue).joined(separator: ", ")).")
    }

    private init?(range: String) {
        switch range {
        case "*/*", "application/*": self = .json
        case "text/*": self = .csv
        default: self.init(rawValue: range)
        }
    }

    var mediaType: String {
        self == .csv ? "text/csv; charset=utf-8; header=present" : rawValue
    }

    func encode(_ page: SamplePage, of sensor: SensorID) -> ByteBuffer {
        var buffer = ByteBuffer()
        switch self {
        case .json: encodeJSON(page, sensor, &buffer)
        case .ndjson:
            for sample in page.samples {
                buffer.writeJSON(sample, page.fields)
                buffer.writeString("\n")
            }
        case .csv: encodeCSV(page, &buffer)
        }
        return buffer
    }

    private func encodeJSON(_ page: SamplePage, _ sensor: SensorID, _ buffer: inout ByteBuffer) {
        buffer.writeString(#"{"sensor":"#)
        buffer.writeJSON(sensor.description)
        buffer.writeString(#","items":["#)
        for (number, sample) in page.samples.enumerated() {
            if number > 0 { buffer.writeString(",") }
            buffer.writeJSON(sample, page.fields)
        }
        buffer.writeString("]")
        if let next = page.next {
            buffer.writeString(#","next":"#)
            buffer.writeJSON(next.cursor)
        }
        buffer.writeString("}")
    }

    private func encodeCSV(_ page: SamplePage, _ buffer: inout ByteBuffer) {
        buffer.writeString((["t"] + page.fields.map(\.name)).joined(separator: ",") + "\r\n")
        for sample in page.samples {
            buffer.writeMilliseconds(sample.time)
            for value in sample.values {
                buffer.writeString(",")
                if case .text(let text) = value {
                    buffer.writeString("\"\(text.replacing("\"", with: "\"\""))\"")
                } else {
                    buffer.writeJSON(value)
                }
            }
            buffer.writeString("\r\n")
        }
    }
}
