import Foundation
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
    /// A topic, or a topic filter with `+` and `#`.
    let topic: String
    let template: Template
    let rule: FieldRule
    /// A unit that has no UCUM equivalent.
    let foreignUnit: String?
    let availability: AnnouncedAvailability
    /// The time after which a value is stale without a further message, in seconds.
    let expiry: Int64?

    /// How the value is read from a message.
    enum Template: Hashable, Sendable {
        case supported(ValueTemplate)
        /// What is not supported, as a clause.
        case unsupported(String)
    }

    /// Describes the sensor `object`.
    ///
    /// - Throws: ``PayloadError`` if it does not describe a sensor.
    init(
        _ texts: AnnouncementTexts, _ component: AnnouncementTopic.Component, object: String
    ) throws(PayloadError) {
        guard let topic = texts.topic("state_topic") else {
            throw PayloadError("it has no state_topic")
        }
        guard Self.isFilter(topic) else {
            throw PayloadError("its state_topic is not a valid topic, or takes all topics")
        }
        self.topic = topic
        template = Self.template(texts["value_template"])
        self.object = object
        name = Self.name(texts["name"])
        device = Self.name(texts.device?["name"])
        availability = AnnouncedAvailability(texts)
        expiry = texts["expire_after"].flatMap { Int64($0) }.flatMap {
            (1...Self.longestExpiry).contains($0) ? $0 : nil
        }
        let given = texts["device_class"]
        let unit = texts["unit_of_measurement"].flatMap { $0.isEmpty ? nil : $0 }
        let isCounted = unit != nil || texts["state_class"] != nil
        switch component {
        case .binary:
            classification = .binary(given)
            rule = Self.rule(texts, classification)
            foreignUnit = nil
        case .sensor where isCounted || given != nil && !Self.isText(given):
            classification = .number(given)
            let known = unit.flatMap(UnitNames.ucum)
            rule = classification.rule(unit: known)
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
    var reader: AnnouncedReader? {
        guard case .supported(let template) = template else { return nil }
        return AnnouncedReader(template: template, rule: rule, expiry: expiry)
    }

    /// The topics of values and of availability.
    var topics: Set<String> { Set(availability.sources.map(\.topic) + [topic]) }

    /// The topics whose retained messages matter: of availability, and of the values of a state.
    var retainedTopics: Set<String> {
        rule.field.kind == .state ? topics : topics.subtracting([topic])
    }

    /// The source for display.
    func source(at broker: MQTTBroker) -> String {
        guard case .supported(let template) = template, let name = template.name else {
            return "\(broker)/\(topic)"
        }
        return "\(broker)/\(topic) \(name.escapedForDisplay(limit: 80))"
    }

    // MARK: - Private

    private static let longestExpiry: Int64 = 366 * 86_400

    /// Whether a text is a topic filter that names at least one level.
    private static func isFilter(_ topic: String) -> Bool {
        (1...longestTopic).contains(topic.utf8.count)
            && !topic.unicodeScalars.contains { $0.isUnsafeToDisplay }
            && MQTTFilter(topic: topic).isValid
            && topic.split(separator: "/").contains { $0 != "+" && $0 != "#" }
    }

    private static func template(_ text: String?) -> Template {
        guard let text, !text.isEmpty else { return .supported(.whole) }
        do {
            return .supported(try ValueTemplate(text))
        } catch {
            return .unsupported(error.message)
        }
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
            // Jinja prints the booleans of JSON capitalised; devices send them as in JSON.
            if ["true", "false"].contains(payload.lowercased()) {
                table[payload.lowercased()] = state
                table[payload.capitalized] = state
            }
        }
        return FieldRule(Field(own.field, kind: .state), states: table)
    }
}
