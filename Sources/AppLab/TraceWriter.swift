package import API
import Auth
import Foundation
import Host
import Text

/// Writes the lines of a trace.
///
/// Numbers are copied as text, so that they do not change.
package struct TraceWriter {
    private let write: (String) throws -> Void
    private var count = 0

    package init(write: @escaping (String) throws -> Void) {
        self.write = write
    }

    private struct Header: Encodable {
        struct Sensor: Encodable {
            let id: String
            let title: String
            let fields: [Field]
        }

        struct Field: Encodable {
            let name: String
            let kind: String
            let unit: String?
        }

        let format: String
        let version: Int
        let start: Double
        let sensors: [Sensor]
    }

    /// - Parameter start: milliseconds since 1970.
    package func begin(_ sensors: [SensorDescription], start: Double) throws {
        let header = Header(
            format: Trace.format, version: Trace.version, start: start,
            sensors: sensors.map { sensor in
                Header.Sensor(
                    id: sensor.id, title: sensor.title,
                    fields: sensor.fields.map {
                        Header.Field(name: $0.name, kind: $0.kind, unit: $0.unit)
                    })
            })
        try write(String(decoding: try JSONEncoder.sorted.encode(header), as: UTF8.self))
    }

    /// Writes one sample.
    ///
    /// - Parameter line: the sample as the host returned it.
    /// - Throws: `CommandFailure` if it is not a sample of the sensor.
    package mutating func sample(_ line: [UInt8], of sensor: SensorDescription) throws {
        guard let value = try? StrictJSON(maximumBytes: 2 << 20).parse(line),
            let time = value["t"]?.number?.literal
        else { throw Self.invalid(sensor) }
        let values = try sensor.fields.map { field in
            switch value[field.name]?.content {
            case .number(let number): return number.literal
            case .string(let text):
                return String(decoding: try JSONEncoder.sorted.encode(text), as: UTF8.self)
            default: throw Self.invalid(sensor)
            }
        }
        try write(
            #"{"sensor":"\#(sensor.id)","t":\#(time),"values":[\#(values.joined(separator: ","))]}"#
        )
        count += 1
    }

    /// - Parameter end: milliseconds since 1970.
    /// - Returns: the number of samples.
    package func finish(end: Double) throws -> Int {
        try write(#"{"end":\#(Self.text(end)),"samples":\#(count)}"#)
        return count
    }

    private static func text(_ milliseconds: Double) -> String {
        let data = (try? JSONEncoder.sorted.encode([milliseconds])) ?? Data()
        return String(decoding: data.dropFirst().dropLast(), as: UTF8.self)
    }

    private static func invalid(_ sensor: SensorDescription) -> CommandFailure {
        CommandFailure(.remote, "The host returned an invalid sample of \(sensor.id).")
    }
}
