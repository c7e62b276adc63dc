import Text

/// The texts of an announcement by their full names, with abbreviations resolved.
///
/// Source: https://www.home-assistant.io/integrations/mqtt/#supported-abbreviations-in-mqtt-discovery-messages
struct AnnouncementTexts {
    private static let short = [
        "availability": "avty", "availability_mode": "avty_mode",
        "availability_template": "avty_tpl",
        "availability_topic": "avty_t", "components": "cmps", "device": "dev",
        "device_class": "dev_cla", "expire_after": "exp_aft", "payload_available": "pl_avail",
        "payload_not_available": "pl_not_avail", "payload_off": "pl_off", "payload_on": "pl_on",
        "platform": "p", "state_class": "stat_cla", "state_topic": "stat_t", "topic": "t",
        "unit_of_measurement": "unit_of_meas", "value_template": "val_tpl",
    ]
    /// What the sensors of a device share with it.
    private static let shared: Set<String> = [
        "~", "availability", "availability_mode", "availability_template", "availability_topic",
        "device", "payload_available", "payload_not_available", "state_topic",
    ]

    private let value: JSONValue
    /// The announcement of the device, if it announces all its sensors at once.
    private let base: JSONValue?

    init(_ value: JSONValue, of base: JSONValue? = nil) {
        (self.value, self.base) = (value, base)
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

    /// A topic with the base topic `~` inserted.
    func topic(_ key: String) -> String? {
        guard let topic = self[key] else { return nil }
        guard let base = self["~"] else { return topic }
        if topic.hasPrefix("~") { return base + topic.dropFirst() }
        return topic.hasSuffix("~") ? topic.dropLast() + base : topic
    }

    /// The description of the device, if given.
    var device: AnnouncementTexts? { member("device").map { AnnouncementTexts($0) } }

    /// The elements of a list, with the base topic of this announcement.
    func elements(_ key: String) -> [AnnouncementTexts] {
        let base = member("~").map { JSONValue([(key: "~", value: $0)]) }
        let list = member(key)
        // A single element may stand without a list.
        let items = list?.array ?? (list?.object == nil ? [] : list.map { [$0] } ?? [])
        return items.map { AnnouncementTexts($0, of: base) }
    }

    /// The members of an object by their names, as parts of this announcement.
    func parts(_ key: String) -> [(name: String, texts: AnnouncementTexts)]? {
        member(key)?.object?.map { ($0.key, AnnouncementTexts($0.value, of: value)) }
    }

    /// The number of keys.
    var count: Int { value.object?.count ?? 0 }

    private func member(_ key: String) -> JSONValue? {
        Self.member(key, of: value)
            ?? (Self.shared.contains(key) ? base.flatMap { Self.member(key, of: $0) } : nil)
    }

    private static func member(_ key: String, of value: JSONValue) -> JSONValue? {
        value[key] ?? short[key].flatMap { value[$0] }
    }
}
