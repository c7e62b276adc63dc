import Foundation
import LAE
import NIOCore
import Samples
import Text

/// The JSON of this server: sorted keys, unescaped slashes.
enum JSONText {
    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }
}

extension ByteBuffer {
    /// Writes `{"t":…,"field":…}`: `t` in milliseconds since 1970, values in the fields' units.
    mutating func writeJSON(_ sample: StoredSample, _ fields: [Field]) {
        writeString(#"{"t":"#)
        writeMilliseconds(sample.time)
        for (field, value) in zip(fields, sample.values) {
            writeString(",")
            writeJSON(field.name)
            writeString(":")
            writeJSON(value)
        }
        writeString("}")
    }

    /// Milliseconds with the microseconds as a fraction, written exactly.
    mutating func writeMilliseconds(_ time: Timestamp) {
        let (whole, rest) = time.microseconds.quotientAndRemainder(dividingBy: 1000)
        if time.microseconds < 0, whole == 0, rest != 0 { writeString("-") }
        writeString(String(whole))
        if rest != 0 {
            let digits = String(rest.magnitude)
            writeString("." + String(repeating: "0", count: 3 - digits.count) + digits)
        }
    }

    mutating func writeJSON(_ value: Value) {
        switch value {
        case .number(let number): writeString(number.isFinite ? "\(number)" : "null")
        case .integer(let integer): writeString(String(integer))
        case .text(let text): writeJSON(text)
        }
    }

    mutating func writeJSON(_ text: String) {
        JSONString.write(text) { _ = writeBytes($0) }
    }
}
