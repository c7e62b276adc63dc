import Ingest
import Samples
import Text
import VM

/// A sensor described by an MQTT discovery message.
///
/// Source: https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery, with its abbreviations.
struct Announcement: Hashable, Sendable {
    /// The maximum size of a discovery message in bytes.
    static let limit = 16 << 10
    private static let longestTopic = 256
    private static let longestName = 60

    let classification: DeviceClass
    /// The name of the device, such as `Living room`, if given.
    let device: String?
    let name: String?
    /// The name used if there is no other.
    let object: String
    let topic: String
    let template: ValueTemplate?
    let rule: FieldRule
    /// A unit that has no UCUM equivalent.
    let foreignUnit: String?

    /// - Throws: ``PayloadError`` if it does not describe a sensor.
    init(_ payload: [UInt8], at announcementTopic: AnnouncementTopic) throws(PayloadError) {
        let whole: JSONValue
        do {
            whole = try StrictJSON(maximumBytes: Self.limit).parse(payload)
        } catch {
            throw PayloadError(error.message)
        }
        guard whole.object != nil else { throw PayloadError("it is not an object") }
        let texts = AnnouncementTexts(whole)
        topic = try Self.topic(texts)
        let template = texts["value_template"]
        self.template = template.map(ValueTemplate.init) ?? .whole
        object = announcementTopic.object
        name = Self.name(texts["name"])
        device = Self.name(texts.device?["name"])
        let given = texts["device_class"]
        let unit = texts["unit_of_measurement"].flatMap { $0.isEmpty ? nil : $0 }
        let isCounted = unit != nil || texts["state_class"] != nil
        switch announcementTopic.component {
        case .binary:
            classification = .binary(given)
            rule = Self.rule(texts, classification)
            foreignUnit = nil
        case .sensor where isCounted || given != nil && !Self.isText(given):
            classification = .number(given)
            let known = unit.flatMap(UnitNames.ucum)
            rule = FieldRule(Field(classification.field, unit: known ?? "1"))
            foreignUnit = known == nil ? unit.flatMap(Self.name) : nil
        case .sensor:
            classification = .state
            rule = FieldRule(
                Field(classification.field, kind: given == "enum" ? .state : .text))
            foreignUnit = nil
        }
    }

    /// The name of the instance, from the names of the device and the sensor.
    var instance: String {
        guard let device = device ?? (name == nil ? object : nil) else { return name ?? object }
        // “Living room temperature” is the temperature of the living room.
        var own = name ?? ""
        if own.lowercased().hasPrefix(device.lowercased()) { own.removeFirst(device.count) }
        let slug = Self.slug(own)
        let isRedundant = [
            "unnamed", classification.kind.description, classification.field.lowercased(),
        ]
        .contains(slug)
        return isRedundant ? device : "\(device) \(own)"
    }

    /// The title for display.
    var title: String {
        var words = [device, name == device ? nil : name].compactMap { $0 }
        if let device, let name, name.lowercased().hasPrefix(device.lowercased()) { words = [name] }
        if words.isEmpty { words = [object] }
        let unit = foreignUnit.map { " (\($0))" } ?? ""
        var text = words.joined(separator: " ").escapedForDisplay(limit: Self.longestName)
        // A title has at most 120 bytes.
        while text.utf8.count + unit.utf8.count > 120, !text.isEmpty { text.removeLast() }
        return text + unit
    }

    /// Converts the messages to samples; `nil` if the template is not supported.
    var maker: SampleMaker? {
        template.flatMap { template in
            try? SampleMaker(format: template.format, names: [template.name], rules: [rule])
        }
    }

    /// The source for display.
    func source(at broker: MQTTBroker) -> String {
        guard case .member = template, let name = template?.name else {
            return "\(broker)/\(topic)"
        }
        return "\(broker)/\(topic) \(name.escapedForDisplay(limit: 80))"
    }

    // MARK: - Private

    private static func topic(_ texts: AnnouncementTexts) throws(PayloadError) -> String {
        guard var topic = texts["state_topic"] else { throw PayloadError("it has no state_topic") }
        if let base = texts["~"] {
            if topic.hasPrefix("~") {
                topic = base + topic.dropFirst()
            } else if topic.hasSuffix("~") {
                topic = topic.dropLast() + base
            }
        }
        guard (1...longestTopic).contains(topic.utf8.count),
            !topic.unicodeScalars.contains(where: { $0.isUnsafeToDisplay || $0 == "+" || $0 == "#" }
            )
        else { throw PayloadError("its state_topic is not a valid topic") }
        return topic
    }

    private static func name(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        return text.escapedForDisplay(limit: longestName)
    }

    private static func slug(_ text: String) -> String {
        let any: SensorID = "any"
        return String(any.instance(text).description.dropFirst("any.".count))
    }

    private static func isText(_ given: String?) -> Bool {
        ["enum", "date", "timestamp"].contains(given)
    }

    private static func rule(_ texts: AnnouncementTexts, _ own: DeviceClass) -> FieldRule {
        let states = own.states ?? DeviceClass.States(on: "on", off: "off")
        var table: [String: String] = [:]
        for (key, standard, state) in [
            ("payload_off", "OFF", states.off), ("payload_on", "ON", states.on),
        ] {
            let payload = texts[key] ?? standard
            table[payload] = state
            // Jinja prints the booleans of JSON capitalised.
            if payload == "True" || payload == "False" { table[payload.lowercased()] = state }
        }
        return FieldRule(Field(own.field, kind: .state), states: table)
    }
}

/// The texts of an announcement by their full names, with abbreviations resolved.
private struct AnnouncementTexts {
    private static let short = [
        "state_topic": "stat_t", "value_template": "val_tpl", "unit_of_measurement": "unit_of_meas",
        "device_class": "dev_cla", "state_class": "stat_cla", "payload_on": "pl_on",
        "payload_off": "pl_off", "device": "dev",
    ]

    private let value: JSONValue

    init(_ value: JSONValue) {
        self.value = value
    }

    /// A text, or a number or boolean as text; `nil` for anything else.
    subscript(key: String) -> String? {
        switch member(key)?.content {
        case .string(let text): text
        case .bool(let flag): flag ? "true" : "false"
        case .number(let number): number.int64.map { "\($0)" } ?? "\(number.double)"
        case .null, .array, .object, nil: nil
        }
    }

    /// The description of the device, if given.
    var device: AnnouncementTexts? { member("device").map(AnnouncementTexts.init) }

    private func member(_ key: String) -> JSONValue? {
        value[key] ?? Self.short[key].flatMap { value[$0] }
    }
}

/// The topic of an announcement: `PREFIX/sensor/[NODE/]OBJECT/config`.
struct AnnouncementTopic: Hashable, Sendable {
    enum Component: String, Sendable {
        case sensor
        case binary = "binary_sensor"
    }

    let component: Component
    let object: String

    /// - Returns: `nil` for another topic.
    init?(_ topic: String, prefix: String) {
        guard topic.hasPrefix(prefix + "/"), topic.utf8.count <= 256 else { return nil }
        let levels = topic.dropFirst(prefix.count + 1)
            .split(separator: "/", omittingEmptySubsequences: false)
        guard (3...4).contains(levels.count), levels.last == "config",
            let component = Component(rawValue: String(levels[0]))
        else { return nil }
        self.component = component
        object = levels.dropFirst().dropLast().joined(separator: "-")
    }

    /// The subscriptions for all announcements.
    static func filters(prefix: String) -> [MQTTFilter] {
        [Component.sensor, .binary].flatMap { component in
            ["+/config", "+/+/config"].map {
                MQTTFilter(topic: "\(prefix)/\(component.rawValue)/\($0)")
            }
        }
    }
}
