import LAE
import NIOCore
import Samples

/// A sensor with the name and fields of the earlier nervousnet generations.
///
/// This is the only table between their names and the host's. Numbers have the host's units; a
/// field is omitted if the host cannot provide the unit that apps of these generations expect.
struct PublishedSensor: Sendable {
    /// The origin of a field's value.
    enum Origin: Sendable, Equatable {
        /// The sensor's field of this name.
        case field(String)
        /// 1 if the field has this text, otherwise 0.
        case flag(String, is: String)
    }

    let name: String
    let sensor: SensorID
    let fields: [(name: String, origin: Origin)]
    /// Whether an answer is a list of recent items, each value as a string.
    var isList = false

    /// The names are case-sensitive.
    static func named(_ name: String) -> PublishedSensor? { table[name] }

    static let all = [
        PublishedSensor(
            "GPS", "location",
            [("lat", "latitude"), ("long", "longitude"), ("speed", "speed")]),
        PublishedSensor(
            "Accelerometer", "accelerometer", axes + axes.map { ("acc\($0.0.uppercased())", $0.1) }),
        PublishedSensor("Gyroscope", "gyroscope", axes),
        PublishedSensor("Magnetometer", "magnetometer", axes),
        PublishedSensor("BLE", "bluetooth", [("blepacket", "packet")]),
        PublishedSensor(
            "Battery", "battery", [("level", "level"), ("percent", "level"), ("status", "state")],
            [("isCharging", .flag("state", is: "charging"))]),
        PublishedSensor("Light", "light", [("lux", "illuminance")]),
        PublishedSensor("Noise", "noise", [("dB", "level")]),
        // Air pressure: the sensor `pressure` is the pressure stall information of the machine.
        PublishedSensor("Pressure", "barometer", [("pressure", "pressure")]),
        PublishedSensor("Proximity", "proximity", [("proximity", "proximity")]),
        PublishedSensor("Temperature", "temperature", [("celsius", "temperature")]),
        PublishedSensor("Humidity", "humidity", [("humidity", "humidity")]),
        PublishedSensor(
            "Beacon", "beacon",
            ["uuid", "major", "minor", "proximity", "accuracy"].map { ($0, $0) }, isList: true),
    ]

    private static let table = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
    private static let axes = [("x", "x"), ("y", "y"), ("z", "z")]

    private init(
        _ name: String, _ sensor: SensorID, _ fields: [(String, String)],
        _ derived: [(String, Origin)] = [], isList: Bool = false
    ) {
        self.name = name
        self.sensor = sensor
        self.fields = fields.map { ($0.0, .field($0.1)) } + derived.map { ($0.0, $0.1) }
        self.isList = isList
    }
}

/// Writes samples in the form of the earlier generations.
struct PublishedSample {
    let form: PublishedSensor
    /// The fields of the samples, in their order.
    let fields: [Field]

    /// Writes `{"x":…}`, optionally with the time in milliseconds.
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

    /// - Returns: `nil` if the sensor has no such field.
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
