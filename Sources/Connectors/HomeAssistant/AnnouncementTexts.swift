import Text

/// The texts of an announcement by their full names, however they are abbreviated.
struct AnnouncementTexts {
    private static let short = [
        "state_topic": "stat_t", "value_template": "val_tpl", "unit_of_measurement": "unit_of_meas",
        "device_class": "dev_cla", "state_class": "stat_cla", "payload_on": "pl_on",
        "payload_off": "pl_off", "device": "dev",
    ]

    private let value: JSONValue

    init(_ value: JSONValue) {
        self.value = value
    }

    /// A text, or a number or truth value as its text; `nil` for anything else.
    subscript(key: String) -> String? {
        switch member(key)?.content {
        case .string(let text): text
        case .bool(let flag): flag ? "true" : "false"
        case .number(let number): number.int64.map { "\($0)" } ?? "\(number.double)"
        case .null, .array, .object, nil: nil
        }
    }

    /// What is said of the device; `nil` where nothing is.
    var device: AnnouncementTexts? { member("device").map(AnnouncementTexts.init) }

    private func member(_ key: String) -> JSONValue? {
        value[key] ?? Self.short[key].flatMap { value[$0] }
    }
}
