import Ingest
import Text

/// The topic of an announcement.
struct AnnouncementTopic: Hashable, Sendable {
    enum Component: String, Sendable {
        case sensor
        case binary = "binary_sensor"
    }

    enum Form: Hashable, Sendable {
        /// `PREFIX/sensor/[NODE/]OBJECT/config`
        case single(Component)
        /// `PREFIX/device/[NODE/]OBJECT/config`: all sensors of a device.
        case device
        /// `tasmota/discovery/MAC/config` or `…/sensors`.
        case tasmota(TasmotaDevice.Part)
    }

    private static let tasmotaPrefix = "tasmota/discovery/"

    let form: Form
    /// The object, with the node before it, or the address of the device.
    let object: String

    /// - Returns: `nil` for another topic.
    init?(_ topic: String, prefix: String) {
        guard topic.utf8.count <= 256 else { return nil }
        if topic.hasPrefix(Self.tasmotaPrefix) {
            let levels = topic.dropFirst(Self.tasmotaPrefix.count).split(separator: "/")
            guard levels.count == 2, let part = TasmotaDevice.Part(rawValue: String(levels[1]))
            else { return nil }
            (form, object) = (.tasmota(part), String(levels[0]))
            return
        }
        guard topic.hasPrefix(prefix + "/") else { return nil }
        let levels = topic.dropFirst(prefix.count + 1)
            .split(separator: "/", omittingEmptySubsequences: false)
        guard (3...4).contains(levels.count), levels.last == "config" else { return nil }
        if levels[0] == "device" {
            form = .device
        } else if let component = Component(rawValue: String(levels[0])) {
            form = .single(component)
        } else {
            return nil
        }
        object = levels.dropFirst().dropLast().joined(separator: "-")
        // Announcements of Nervous itself would come back as sensors.
        guard !object.hasPrefix(DeviceAnnouncement.objectPrefix) else { return nil }
    }

    /// What all announcements of a device have in common, as the start of their keys.
    func group(_ topic: String) -> String {
        if case .tasmota = form { Self.tasmotaPrefix + object } else { topic }
    }

    /// The subscriptions for announcements of single sensors.
    static func filters(prefix: String) -> [MQTTFilter] {
        [Component.sensor, .binary].flatMap { component in
            ["+/config", "+/+/config"].map {
                MQTTFilter(topic: "\(prefix)/\(component.rawValue)/\($0)")
            }
        }
    }

    /// The subscriptions for announcements of devices, which a broker may refuse.
    static func deviceFilters(prefix: String) -> [MQTTFilter] {
        [
            "\(prefix)/device/+/config", "\(prefix)/device/+/+/config",
            tasmotaPrefix + "+/config", tasmotaPrefix + "+/sensors",
        ].map { MQTTFilter(topic: $0) }
    }
}

/// A sensor of an announcement, or why it is refused.
struct AnnouncedSensor {
    /// The topic of the announcement, and the name of the sensor if the announcement has several.
    let key: String
    let result: Result<Announcement, PayloadError>

    private static let limit = 16 << 10
    private static let deviceLimit = 64 << 10

    /// The sensors of an announcement by Home Assistant's discovery.
    static func sensors(_ message: MQTTMessage, _ topic: AnnouncementTopic) -> [AnnouncedSensor] {
        do {
            return try read(message, topic)
        } catch {
            return [AnnouncedSensor(key: message.topic, result: .failure(error))]
        }
    }

    /// - Throws: ``PayloadError`` unless it is a JSON object within the limit.
    static func object(
        _ payload: [UInt8], _ topic: AnnouncementTopic
    ) throws(PayloadError) -> JSONValue {
        let isSingle = if case .single = topic.form { true } else { false }
        let limit = isSingle ? limit : deviceLimit
        guard payload.count <= limit else {
            throw PayloadError("it has more than \(limit >> 10) KiB")
        }
        let whole: JSONValue
        do {
            whole = try StrictJSON(maximumBytes: limit).parse(payload)
        } catch {
            throw PayloadError(error.message)
        }
        guard whole.object != nil else { throw PayloadError("it is not an object") }
        return whole
    }

    private static func read(
        _ message: MQTTMessage, _ topic: AnnouncementTopic
    ) throws(PayloadError) -> [AnnouncedSensor] {
        let texts = AnnouncementTexts(try object(message.payload, topic))
        guard case .single(let component) = topic.form else {
            guard let parts = texts.parts("components") else {
                throw PayloadError("it has no components")
            }
            return parts.compactMap { name, part in
                // A component with only a platform is removed; others than sensors are not for us.
                guard let component = part["platform"].flatMap(AnnouncementTopic.Component.init),
                    part.count > 1
                else { return nil }
                let result = Result { () throws(PayloadError) in
                    try Announcement(part, component, object: "\(topic.object)-\(name)")
                }
                return AnnouncedSensor(key: "\(message.topic) \(name)", result: result)
            }
        }
        let announcement = try Announcement(texts, component, object: topic.object)
        return [AnnouncedSensor(key: message.topic, result: .success(announcement))]
    }
}
