import LAE
import NIOCore
import Samples

/// Samples of the host, written as published apps know them.
struct PublishedSample {
    let form: PublishedSensor
    /// The fields of the samples, in their order.
    let fields: [Field]

    /// One answer: `{"x":…}`, with the time in milliseconds where it is wanted.
    func write(_ sample: StoredSample, withTime: Bool, to buffer: inout ByteBuffer) {
        buffer.writeString("{")
        var isFirst = true
        if withTime {
            buffer.writeString(#""timestamp":"#)
            buffer.writeMilliseconds(sample.time)
            isFirst = false
        }
        for (name, origin) in form.fields {
            if !isFirst { buffer.writeString(",") }
            isFirst = false
            buffer.writeJSON(name)
            buffer.writeString(":")
            write(value(origin, of: sample), to: &buffer)
        }
        buffer.writeString("}")
    }

    /// A list of samples.
    func write(_ samples: [StoredSample], withTime: Bool, to buffer: inout ByteBuffer) {
        for (index, sample) in samples.enumerated() {
            if index > 0 { buffer.writeString(",") }
            write(sample, withTime: withTime, to: &buffer)
        }
    }

    private func write(_ value: Value?, to buffer: inout ByteBuffer) {
        guard let value else {
            buffer.writeString("null")
            return
        }
        guard form.isList else { return buffer.writeJSON(value) }
        switch value {
        case .number(let number): buffer.writeJSON("\(number)")
        case .integer(let integer): buffer.writeJSON("\(integer)")
        case .text(let text): buffer.writeJSON(text)
        }
    }

    /// - Returns: `nil` where the sensor has no such field.
    private func value(_ origin: PublishedSensor.Origin, of sample: StoredSample) -> Value? {
        let name =
            switch origin {
            case .field(let name): name
            case .flag(let name, _): name
            }
        guard let index = fields.firstIndex(where: { $0.name == name }) else { return nil }
        let value = sample.values[index]
        guard case .flag(_, let text) = origin else { return value }
        return .integer(value == .text(text) ? 1 : 0)
    }
}
