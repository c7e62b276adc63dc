import Ingest
import Text

/// A device that announces itself with Tasmota's own discovery.
///
/// Source: https://tasmota.github.io/docs/Home-Assistant and the topics of
/// https://tasmota.github.io/docs/MQTT.
struct TasmotaDevice: Sendable {
    enum Part: String, Sendable {
        case config, sensors
    }

    private struct Quantity {
        var deviceClass: String?
        var unit: String?
    }

    private static let maximumSensors = 64
    private static let quantities: [String: Quantity] = [
        "ApparentPower": Quantity(deviceClass: "apparent_power", unit: "VA"),
        "CarbonDioxide": Quantity(deviceClass: "carbon_dioxide", unit: "ppm"),
        "Current": Quantity(deviceClass: "current", unit: "A"),
        "Distance": Quantity(deviceClass: "distance", unit: "cm"),
        "Energy": Quantity(deviceClass: "energy", unit: "kWh"),
        "ExportTotal": Quantity(deviceClass: "energy", unit: "kWh"),
        "Factor": Quantity(deviceClass: "power_factor"),
        "Frequency": Quantity(deviceClass: "frequency", unit: "Hz"),
        "Humidity": Quantity(deviceClass: "humidity", unit: "%"),
        "Illuminance": Quantity(deviceClass: "illuminance", unit: "lx"),
        "Moisture": Quantity(deviceClass: "moisture", unit: "%"),
        "Noise": Quantity(unit: "dB"),
        "PM1": Quantity(deviceClass: "pm1", unit: "µg/m³"),
        "PM10": Quantity(deviceClass: "pm10", unit: "µg/m³"),
        "PM2.5": Quantity(deviceClass: "pm25", unit: "µg/m³"),
        "Period": Quantity(deviceClass: "energy", unit: "Wh"),
        "Power": Quantity(deviceClass: "power", unit: "W"),
        "ReactivePower": Quantity(deviceClass: "reactive_power", unit: "var"),
        "Today": Quantity(deviceClass: "energy", unit: "kWh"),
        "Total": Quantity(deviceClass: "energy", unit: "kWh"),
        "TVOC": Quantity(unit: "ppb"),
        "Voltage": Quantity(deviceClass: "voltage", unit: "V"),
        "Weight": Quantity(deviceClass: "weight", unit: "kg"),
        "Yesterday": Quantity(deviceClass: "energy", unit: "kWh"),
        "eCO2": Quantity(deviceClass: "carbon_dioxide", unit: "ppm"),
    ]

    private var parts: [Part: JSONValue] = [:]

    var isEmpty: Bool { parts.isEmpty }

    subscript(part: Part) -> JSONValue? {
        get { parts[part] }
        set { parts[part] = newValue }
    }

    /// The sensors: the readings of `sensors`, and the Wi-Fi signal; empty until `config` has come.
    ///
    /// - Parameter group: the start of their keys.
    func sensors(group: String, address: String) -> [AnnouncedSensor] {
        guard let config = parts[.config] else { return [] }
        do {
            let topics = try Topics(config, address: address)
            var readings: [Reading] = []
            if let list = parts[.sensors]?["sn"] { Self.collect(list, [], list, &readings) }
            readings.append(
                Reading(
                    path: ["Wifi", "Signal"],
                    quantity: Quantity(deviceClass: "signal_strength", unit: "dBm"),
                    isState: true))
            return readings.prefix(Self.maximumSensors).map { reading in
                let key = "\(group) \(reading.path.joined(separator: " "))"
                let result = Result { () throws(PayloadError) in
                    try Announcement(
                        reading.texts(topics), .sensor,
                        object: "\(address)-\(reading.path.joined(separator: "-"))")
                }
                return AnnouncedSensor(key: key, result: result)
            }
        } catch {
            return [AnnouncedSensor(key: group, result: .failure(error))]
        }
    }

    /// The topics of a device, from its pattern such as `%prefix%/%topic%/`.
    private struct Topics {
        let name: String
        let telemetry: String
        let online: String
        let offline: String

        init(_ config: JSONValue, address: String) throws(PayloadError) {
            guard let topic = config["t"]?.string, var pattern = config["ft"]?.string,
                let prefixes = config["tp"]?.array, prefixes.count == 3,
                let telemetry = prefixes[2].string
            else { throw PayloadError("it lacks the topic (t, ft or tp)") }
            if !pattern.hasSuffix("/") { pattern += "/" }
            self.telemetry = pattern.replacing("%prefix%", with: telemetry)
                .replacing("%topic%", with: topic)
                .replacing("%hostname%", with: config["hn"]?.string ?? "")
                .replacing("%id%", with: address.suffix(6))
            name = config["dn"]?.string ?? topic
            online = config["onln"]?.string ?? "Online"
            offline = config["ofln"]?.string ?? "Offline"
        }
    }

    private struct Reading {
        let path: [String]
        let quantity: Quantity
        /// Whether it is in the message STATE and not in SENSOR.
        var isState = false

        func texts(_ topics: Topics) -> AnnouncementTexts {
            let steps = path.map { step in
                Int(step).map { "[\($0)]" }
                    ?? "['\(step.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))']"
            }
            let topic = topics.telemetry + (isState ? "STATE" : "SENSOR")
            var members: [(key: String, value: JSONValue)] = [
                ("state_topic", JSONValue(topic)),
                ("value_template", JSONValue("{{ value_json\(steps.joined()) }}")),
                ("state_class", JSONValue("measurement")),
                ("name", JSONValue(path.joined(separator: " "))),
                ("device", JSONValue([(key: "name", value: JSONValue(topics.name))])),
                ("availability_topic", JSONValue(topics.telemetry + "LWT")),
                ("payload_available", JSONValue(topics.online)),
                ("payload_not_available", JSONValue(topics.offline)),
            ]
            if let unit = quantity.unit { members.append(("unit_of_measurement", JSONValue(unit))) }
            if let name = quantity.deviceClass { members.append(("device_class", JSONValue(name))) }
            return AnnouncementTexts(JSONValue(members))
        }
    }

    private static func collect(
        _ value: JSONValue, _ path: [String], _ whole: JSONValue, _ readings: inout [Reading]
    ) {
        guard path.count <= 4, readings.count < maximumSensors else { return }
        switch value.content {
        case .object(let members):
            for member in members { collect(member.value, path + [member.key], whole, &readings) }
        case .array(let items):
            for (index, item) in items.enumerated() {
                collect(item, path + ["\(index)"], whole, &readings)
            }
        case .number, .null:
            guard path.count > 1, let name = path.last(where: { Int($0) == nil }) else { return }
            readings.append(Reading(path: path, quantity: quantity(name, whole)))
        // Texts are identifiers and times.
        case .string, .bool: return
        }
    }

    private static func quantity(_ name: String, _ whole: JSONValue) -> Quantity {
        func unit(_ key: String) -> String? { whole[key]?.string }
        let plain = quantities[name] == nil ? String(name.trimmingDigits) : name
        switch plain {
        case "Temperature", "DewPoint":
            return Quantity(deviceClass: "temperature", unit: "°" + (unit("TempUnit") ?? "C"))
        case "Pressure", "SeaPressure":
            return Quantity(deviceClass: "pressure", unit: unit("PressureUnit") ?? "hPa")
        case "Speed": return Quantity(deviceClass: "speed", unit: unit("SpeedUnit"))
        default: return quantities[plain] ?? Quantity()
        }
    }
}

extension String {
    /// The text without digits at its end.
    fileprivate var trimmingDigits: Substring {
        var rest = self[...]
        while let last = rest.last, last.isASCII, last.isNumber { rest.removeLast() }
        return rest
    }
}
