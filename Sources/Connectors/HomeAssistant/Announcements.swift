import Ingest
import Samples
import Scheduling
import Synchronization
import Text
import VM

/// The sensors announced at a broker, by topic.
///
/// Announcements persist while the broker is disconnected; an empty message removes one.
final class Announcements: Sendable {
    /// The maximum number of sensors; more are refused.
    static let sensorLimit = 256

    struct Entry {
        var announcement: Announcement
        /// `nil` if its messages cannot be read.
        var source: AnnouncedSource?
    }

    struct State {
        var entries: [String: Entry] = [:]
        /// Reasons of refused announcements by topic.
        var refused: [String: String] = [:]
        var isConnected = false
        var problem: String?
    }

    /// The actions for the connection.
    struct Change {
        var subscribe: String?
        var unsubscribe: String?
        /// Whether the sensors may have changed.
        var changesSensors = false
    }

    let broker: MQTTBroker
    let prefix: String
    private let state = Mutex(State())
    private let time: any TimeSource

    init(broker: MQTTBroker, prefix: String, time: any TimeSource) {
        (self.broker, self.prefix, self.time) = (broker, prefix, time)
    }

    // MARK: - Events

    /// Processes a message of the broker.
    func take(_ message: MQTTMessage) -> Change {
        if let topic = AnnouncementTopic(message.topic, prefix: prefix) {
            return state.withLock { $0.take(message, at: topic, time) }
        }
        // The age of retained values is unknown.
        guard !message.isRetained else { return Change() }
        let sources = state.withLock { state in
            state.entries.values.filter { $0.announcement.topic == message.topic }
                .compactMap(\.source)
        }
        for source in sources { source.take(message.payload) }
        return Change()
    }

    /// Marks the broker as connected.
    ///
    /// - Returns: the topics to subscribe to.
    func connected() -> Set<String> {
        state.withLock { state in
            (state.isConnected, state.problem) = (true, nil)
            for entry in state.entries.values { entry.source?.connected() }
            return Set(state.entries.values.filter { $0.source != nil }.map(\.announcement.topic))
        }
    }

    func disconnected(_ problem: String) {
        state.withLock { state in
            (state.isConnected, state.problem) = (false, problem)
            for entry in state.entries.values { entry.source?.disconnected(problem) }
        }
    }

    func refused(_ topic: String) {
        let problem = MQTTErrors.subscriptionDenied(broker, topic).message
        state.withLock { state in
            for entry in state.entries.values where entry.announcement.topic == topic {
                entry.source?.warn(problem)
            }
        }
    }

    // MARK: - State

    /// The numbers of announced sensors and of refused announcements.
    var counts: (taken: Int, refused: Int) {
        state.withLock { ($0.entries.count, $0.refused.count) }
    }

    /// Whether the broker is connected, and the last problem.
    var link: (isConnected: Bool, problem: String?) {
        state.withLock { ($0.isConnected, $0.problem) }
    }

    /// All announced sensors.
    func sensors() -> [DiscoveredSensor] {
        let entries = state.withLock { $0.entries }
        let names = AnnouncedNames(entries.mapValues(\.announcement))
        return entries.keys.sorted().compactMap { key in
            guard let entry = entries[key], let id = names[key] else { return nil }
            let announcement = entry.announcement
            guard
                let sensor = try? Sensor(
                    external: id, title: announcement.title, fields: [announcement.rule.field],
                    source: announcement.source(at: broker))
            else { return nil }
            guard let source = entry.source else {
                return DiscoveredSensor(
                    sensor,
                    .unavailable(
                        reason: "unsupported value_template; only {{ value }} and "
                            + "{{ value_json.NAME }} are supported", remedy: nil))
            }
            return DiscoveredSensor(sensor, .pushed(source))
        }
    }
}

extension Announcements.State {
    fileprivate mutating func take(
        _ message: MQTTMessage, at announcementTopic: AnnouncementTopic,
        _ time: any TimeSource
    ) -> Announcements.Change {
        let key = message.topic
        guard !message.payload.isEmpty else {
            refused[key] = nil
            return forget(key)
        }
        let announcement: Announcement
        do {
            announcement = try Announcement(message.payload, at: announcementTopic)
        } catch {
            return refuse(key, error.message)
        }
        guard entries[key] != nil || entries.count < Announcements.sensorLimit else {
            return refuse(key, "there are already \(Announcements.sensorLimit)")
        }
        refused[key] = nil
        let former = entries[key]
        guard former?.announcement != announcement else { return Announcements.Change() }
        var change = Announcements.Change(changesSensors: true)
        if let former, former.announcement.topic != announcement.topic {
            change.unsubscribe = forget(key).unsubscribe
        }
        let isSubscribed = entries.values.contains {
            $0.source != nil && $0.announcement.topic == announcement.topic
        }
        var entry = Announcements.Entry(announcement: announcement)
        if let maker = announcement.maker {
            if let source = former?.source,
                former?.announcement.rule.field == announcement.rule.field
            {
                source.read(with: maker)
                entry.source = source
            } else {
                // The fields differ, so consumers of the former source must not get its samples.
                entry.source = AnnouncedSource(maker, time: time)
                if isConnected { entry.source?.connected() }
            }
            change.subscribe = isSubscribed ? nil : announcement.topic
        }
        entries[key] = entry
        return change
    }

    /// Refuses an announcement and removes the sensor it replaces.
    private mutating func refuse(_ key: String, _ reason: String) -> Announcements.Change {
        if refused.count < Announcements.sensorLimit { refused[key] = reason }
        return forget(key)
    }

    private mutating func forget(_ key: String) -> Announcements.Change {
        guard let former = entries.removeValue(forKey: key) else { return Announcements.Change() }
        let topic = former.announcement.topic
        let isShared = entries.values.contains { $0.announcement.topic == topic }
        return Announcements.Change(unsubscribe: isShared ? nil : topic, changesSensors: true)
    }
}

/// The identifiers of announced sensors, independent of the order of the announcements.
///
/// Sensors that would get the same identifier get a suffix that is a hash of their topic, so an
/// identifier never moves to another sensor.
struct AnnouncedNames {
    private var names: [String: SensorID] = [:]

    /// - Parameter announcements: the announcements by topic.
    init(_ announcements: [String: Announcement]) {
        let plain = announcements.mapValues { $0.classification.kind.instance($0.instance) }
        let groups = Dictionary(grouping: plain.keys) { plain[$0] }
        for (id, topics) in groups {
            guard let id else { continue }
            for topic in topics { names[topic] = topics.count == 1 ? id : Self.numbered(id, topic) }
        }
    }

    subscript(topic: String) -> SensorID? { names[topic] }

    private static func numbered(_ id: SensorID, _ topic: String) -> SensorID {
        // FNV-1a of 32 bits, Fowler, Noll and Vo.
        let hash = topic.utf8.reduce(into: UInt32(2_166_136_261)) { hash, byte in
            hash = (hash ^ UInt32(byte)) &* 16_777_619
        }
        let suffix = "-" + String(hash, radix: 16)
        let limit = SensorID.maximumLength - suffix.utf8.count
        let rest = id.description.prefix(limit).dropFirst(id.kind.description.utf8.count + 1)
        return id.kind.instance(rest + suffix)
    }
}
