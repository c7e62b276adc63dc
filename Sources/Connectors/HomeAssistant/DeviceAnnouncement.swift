import Foundation
public import Samples
public import VM

/// The announcement of a sensor for Home Assistant, as a device of MQTT discovery with an entity for each field.
///
/// Source: home-assistant.io, "MQTT discovery", "Device discovery payload" (since 2024.11).
public struct DeviceAnnouncement: Hashable, Sendable {
    /// The start of the object in topics of all announcements of Nervous.
    static let objectPrefix = "nervous-"

    /// The topics of one host at a broker.
    public struct Topics: Hashable, Sendable {
        /// The topic levels before those of announcements.
        let prefix: String
        /// Distinguishes the hosts at a broker: letters, digits and hyphens.
        let host: String

        /// - Parameter host: distinguishes the hosts at a broker: letters, digits and hyphens.
        public init(prefix: String, host: String) {
            (self.prefix, self.host) = (prefix, host)
        }

        /// The client identifier of the host.
        public var clientID: String { "nervous-\(host)" }
        /// Whether the host is `online` or `offline`.
        public var status: String { "nervous/\(host)/status" }
        /// Where Home Assistant says that it has started.
        public var homeAssistantStatus: String { "\(prefix)/status" }
        /// The filter of announcements of devices.
        public var announcements: String { "\(prefix)/device/+/config" }

        /// The announcement of a sensor.
        public func announcement(of sensor: SensorID) -> String {
            // Identifiers have no underscores, so that the name is unique.
            let object = sensor.description.replacing(".", with: "_")
            return "\(prefix)/device/\(objectPrefix)\(host)-\(object)/config"
        }

        /// The sensor of an announcement of this host; `nil` for other topics.
        public func sensor(announcedAt topic: String) -> SensorID? {
            let start = "\(prefix)/device/\(objectPrefix)\(host)-"
            guard topic.hasPrefix(start), topic.hasSuffix("/config") else { return nil }
            let object = topic.dropFirst(start.count).dropLast("/config".count)
            return SensorID(String(object).replacing("_", with: "."))
        }

        /// The values of a sensor, as a JSON object.
        public func values(of sensor: SensorID) -> String { "nervous/\(host)/\(sensor)/values" }

        /// The statistics of a sensor, as a JSON object with one for each field.
        public func statistics(of sensor: SensorID) -> String {
            "nervous/\(host)/\(sensor)/statistics"
        }
    }

    /// What Home Assistant shows of a sensor.
    public enum Content: Hashable, Sendable {
        /// The newest sample.
        case samples
        /// The mean of each numeric field in recent time; its other statistics and its window are attributes.
        case means
    }

    /// Where it is published, retained.
    public let topic: String
    /// The JSON.
    public let payload: [UInt8]

    /// - Parameters:
    ///   - expireAfter: after how many seconds a value is no longer valid; `nil` for never.
    ///   - version: of Nervous.
    public init(
        _ sensor: Sensor, showing content: Content = .samples, expireAfter: Int?, topics: Topics,
        version: String
    ) {
        topic = topics.announcement(of: sensor.id)
        let id = "nervous_\(topics.host)_\(sensor.id.description.replacing(".", with: "_"))"
        var entities: [String: Entity] = [:]
        // Names are part of templates.
        let statistics = content == .means ? topics.statistics(of: sensor.id) : nil
        for field in sensor.fields where field.name.wholeMatch(of: /[A-Za-z][A-Za-z0-9]*/) != nil {
            let entity = Entity(
                field, of: sensor, id: "\(id)_\(field.name)", expireAfter: expireAfter)
            guard let statistics else {
                entities[field.name] = entity
                continue
            }
            // An entity with nothing but its platform is removed, if the samples were announced before.
            entities[field.name] =
                field.kind.isNumeric
                ? entity.showingMean(of: field, at: statistics)
                : Entity(platform: entity.platform)
        }
        let message = Message(
            device: .init(identifiers: [id], name: sensor.title, model: sensor.id.description),
            origin: .init(name: "Nervous", version: version), components: entities,
            values: statistics ?? topics.values(of: sensor.id), status: topics.status)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // The types have no values that cannot be encoded.
        payload = (try? encoder.encode(message)).map { Array($0) } ?? []
    }

    /// After how many seconds a value is no longer valid, if values come at an interval: three intervals, as for a
    /// stale sample, and a margin for the way, as 15 s, 30 s, 60 s and so on.
    ///
    /// - Parameter known: the value before; it stays unless it is too short or four times too long, so that sensors
    ///   without a fixed interval are not announced again with each sample.
    public static func expiry(of interval: Duration, known: Int?) -> Int {
        let wanted = max(interval * 3, .seconds(10)) + .seconds(5)
        var step = 15
        while step < 1 << 30, .seconds(step) < wanted { step *= 2 }
        guard let known, known >= step, known < 4 * step else { return step }
        return known
    }

    private struct Message: Encodable {
        struct Device: Encodable {
            let identifiers: [String]
            let name: String
            let model: String
        }

        struct Origin: Encodable {
            let name: String
            let version: String

            private enum CodingKeys: String, CodingKey {
                case name
                case version = "sw_version"
            }
        }

        let device: Device
        let origin: Origin
        let components: [String: Entity]
        let values: String
        let status: String

        private enum CodingKeys: String, CodingKey {
            case device, origin, components
            case values = "state_topic"
            case status = "availability_topic"
        }
    }
}

/// An entity of Home Assistant: one field of a sensor.
private struct Entity: Encodable {
    private enum CodingKeys: String, CodingKey {
        case platform, name
        case id = "unique_id"
        case template = "value_template"
        case unit = "unit_of_measurement"
        case deviceClass = "device_class"
        case stateClass = "state_class"
        case on = "payload_on"
        case off = "payload_off"
        case expireAfter = "expire_after"
        case attributes = "json_attributes_topic"
        case attributesTemplate = "json_attributes_template"
    }

    let platform: String
    var name: String?
    var id: String?
    var template: String?
    var unit: String?
    var deviceClass: String?
    var stateClass: String?
    var on: String?
    var off: String?
    var expireAfter: Int?
    var attributes: String?
    var attributesTemplate: String?

    /// An entity that is removed.
    init(platform: String) {
        self.platform = platform
    }

    init(_ field: Field, of sensor: Sensor, id: String, expireAfter: Int?) {
        (name, self.id, self.expireAfter) = (field.name, id, expireAfter)
        if field.kind == .state, let binary = DeviceClass.binary(of: sensor.id.kind) {
            platform = "binary_sensor"
            template = "{{ value_json['\(field.name)'] }}"
            (deviceClass, on, off) = (binary.name, binary.states.on, binary.states.off)
            return
        }
        platform = "sensor"
        guard field.kind.isNumeric else {
            // The longest state of Home Assistant.
            template = "{{ value_json['\(field.name)'][:255] }}"
            return
        }
        template = "{{ value_json['\(field.name)'] }}"
        let measure = HomeAssistantMeasure(field, of: sensor.id.kind)
        (unit, deviceClass, stateClass) = (measure.unit, measure.deviceClass, measure.stateClass)
    }

    /// The same entity with the mean of recent time as its state.
    func showingMean(of field: Field, at topic: String) -> Entity {
        var entity = self
        entity.name = "\(field.name) (mean)"
        entity.template = "{{ value_json['\(field.name)']['mean'] }}"
        // The mean of a meter's readings is not a reading.
        if stateClass != "measurement" { (entity.deviceClass, entity.stateClass) = (nil, nil) }
        entity.attributes = topic
        entity.attributesTemplate = "{{ value_json['\(field.name)'] | tojson }}"
        return entity
    }
}

/// The unit and the classes of a numeric field in Home Assistant.
///
/// Source: home-assistant.io, "Sensor entity": the units that each device class accepts.
struct HomeAssistantMeasure: Hashable {
    let unit: String?
    let deviceClass: String?
    let stateClass: String

    /// The names of units, and the device class that values in them always have.
    private static let units: [String: (name: String, deviceClass: String?)] = [
        "Cel": ("°C", "temperature"), "[degF]": ("°F", "temperature"), "K": ("K", "temperature"),
        "%": ("%", nil), "Pa": ("Pa", "pressure"), "hPa": ("hPa", "pressure"),
        "kPa": ("kPa", "pressure"), "mbar": ("mbar", "pressure"), "bar": ("bar", "pressure"),
        "lx": ("lx", "illuminance"), "W": ("W", "power"), "kW": ("kW", "power"),
        "V.A": ("VA", nil), "W.h": ("Wh", "energy"), "kW.h": ("kWh", "energy"),
        "MW.h": ("MWh", "energy"), "V": ("V", "voltage"), "mV": ("mV", "voltage"),
        "A": ("A", "current"), "mA": ("mA", "current"), "Hz": ("Hz", "frequency"),
        "kHz": ("kHz", "frequency"), "MHz": ("MHz", "frequency"), "GHz": ("GHz", "frequency"),
        "dB": ("dB", "sound_pressure"), "dB[SPL]": ("dBA", "sound_pressure"),
        "dB[mW]": ("dBm", "signal_strength"), "mm": ("mm", "distance"), "cm": ("cm", "distance"),
        "m": ("m", "distance"), "km": ("km", "distance"), "m/s": ("m/s", "speed"),
        "km/h": ("km/h", "speed"), "mm/s": ("mm/s", "speed"), "m/s2": ("m/s²", nil),
        "By": ("B", "data_size"), "By/s": ("B/s", "data_rate"), "bit": ("bit", "data_size"),
        "bit/s": ("bit/s", "data_rate"), "s": ("s", "duration"), "ms": ("ms", "duration"),
        "min": ("min", "duration"), "h": ("h", "duration"), "d": ("d", "duration"),
        "us": ("µs", nil), "g": ("g", "weight"), "kg": ("kg", "weight"), "[ppm]": ("ppm", nil),
        "[ppb]": ("ppb", nil), "ug/m3": ("µg/m³", nil), "mg/m3": ("mg/m³", nil),
        "uSv/h": ("µSv/h", nil), "deg": ("°", nil), "rad": ("rad", nil), "m2": ("m²", nil),
        "m3": ("m³", nil), "L": ("L", nil), "W/m2": ("W/m²", "irradiance"),
        "uS/cm": ("µS/cm", nil), "[pH]": ("pH", nil), "/s": ("1/s", nil), "/min": ("1/min", nil),
    ]

    /// The device classes of kinds and fields whose unit says too little.
    private static let classes: [String: [String: String]] = [
        "%": [
            "humidity": "humidity", "battery": "battery", "level": "battery",
            "moisture": "moisture",
        ],
        "[ppm]": ["carbon-dioxide": "carbon_dioxide", "carbon-monoxide": "carbon_monoxide"],
        "ug/m3": ["pm1": "pm1", "pm10": "pm10", "pm25": "pm25", "ozone": "ozone"],
        "hPa": ["barometer": "atmospheric_pressure"],
        "m/s": ["wind": "wind_speed"], "km/h": ["wind": "wind_speed"],
    ]

    /// - Parameter kind: of the sensor.
    init(_ field: Field, of kind: SensorID) {
        let ucum = field.unit ?? "1"
        let annotation = ucum.firstMatch(of: /\{([^}]*)\}/).map { String($0.1) }
        let bare = ucum.replacing(/\{[^}]*\}/, with: "")
        let known = Self.units[bare]
        switch (known?.name, annotation) {
        case (let name?, nil): unit = name
        case (nil, nil): unit = bare == "1" ? nil : bare
        case (_, let annotation?): unit = annotation + bare
        }
        let hints = Self.classes[ucum] ?? [:]
        // The level of something else than a battery is no charge.
        let named = field.name == "level" && kind != "battery" ? nil : hints[field.name]
        deviceClass =
            named ?? hints[kind.description] ?? (annotation == nil ? known?.deviceClass : nil)
        stateClass = deviceClass == "energy" ? "total" : "measurement"
    }
}
