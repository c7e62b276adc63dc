/// Where a sensor is announced: `PREFIX/sensor/[NODE/]OBJECT/config`.
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

    /// What to listen to for all of them.
    static func filters(prefix: String) -> [MQTTFilter] {
        [Component.sensor, .binary].flatMap { component in
            ["+/config", "+/+/config"].map {
                MQTTFilter(topic: "\(prefix)/\(component.rawValue)/\($0)")
            }
        }
    }
}
