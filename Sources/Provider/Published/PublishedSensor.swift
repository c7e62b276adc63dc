import Samples

/// A sensor under the name, and with the fields, that published apps know it by.
///
/// This is the one table between their words and the host's. Numbers keep the host's units; where
/// those apps were promised another unit that the host does not know, the field is left out.
struct PublishedSensor: Sendable {
    /// Where a field's value comes from.
    enum Origin: Sendable, Equatable {
        /// The sensor's field of this name.
        case field(String)
        /// 1 where the field is this text, else 0.
        case flag(String, is: String)
    }

    let name: String
    let sensor: SensorID
    let fields: [(name: String, origin: Origin)]
    /// Whether an answer lists what was seen of late, each value as a text.
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
        // Air pressure: `pressure` is how busy the machine is.
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
