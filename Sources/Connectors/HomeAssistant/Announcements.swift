import Ingest
import Samples
import Synchronization
import Text
import VM

/// The sensors that are announced at a broker, by where they are announced.
///
/// What was announced stays while the broker is away, and goes when an empty message takes it back.
final class Announcements: Sendable {
    /// The most sensors; more are refused.
    static let most = 256

    struct Entry {
        var announcement: Announcement
        /// `nil` where what it says cannot be read.
        var source: AnnouncedSource?
    }

    struct State {
        var entries: [String: Entry] = [:]
        /// Announcements that describe no sensor, by their topics; the last so many.
        var refused: [String: String] = [:]
        var isConnected = false
        var problem: String?
    }

    /// What the connection has to do now.
    struct Change {
        var subscribe: String?
        var unsubscribe: String?
        /// Whether there may be other sensors than before.
        var isSeen = false
    }

    let broker: MQTTBroker
    let prefix: String
    private let state = Mutex(State())
    private let now: @Sendable () -> Timestamp

    init(broker: MQTTBroker, prefix: String, now: @escaping @Sendable () -> Timestamp) {
        (self.broker, self.prefix, self.now) = (broker, prefix, now)
    }

    // MARK: - What comes

    /// Takes what a broker passed on.
    func take(_ message: MQTTMessage) -> Change {
        if let topic = AnnouncementTopic(message.topic, prefix: prefix) {
            return state.withLock { $0.take(message, at: topic, now) }
        }
        // What was kept is old, and nobody says how old.
        guard !message.isRetained else { return Change() }
        let sources = state.withLock { state in
            state.entries.values.filter { $0.announcement.topic == message.topic }
                .compactMap(\.source)
        }
        for source in sources { source.take(message.payload) }
        return Change()
    }

    /// The broker is there; what is to be listened to again.
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
        let problem = MQTTErrors.withheld(broker, topic).message
        state.withLock { state in
            for entry in state.entries.values where entry.announcement.topic == topic {
                entry.source?.warn(problem)
            }
        }
    }

    // MARK: - What there is

    /// How many are announced, and how many announcements describe no sensor.
    var counts: (taken: Int, refused: Int) {
        state.withLock { ($0.entries.count, $0.refused.count) }
    }

    /// Whether the broker is there, and if not, why.
    var link: (isConnected: Bool, problem: String?) {
        state.withLock { ($0.isConnected, $0.problem) }
    }

    /// Every sensor that is announced.
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
                        reason: "its value_template computes, and only {{ value }} and "
                            + "{{ value_json.NAME }} are understood", remedy: nil))
            }
            return DiscoveredSensor(sensor, .pushed(source))
        }
    }
}

extension Announcements.State {
    fileprivate mutating func take(
        _ message: MQTTMessage, at place: AnnouncementTopic,
        _ now: @escaping @Sendable () -> Timestamp
    ) -> Announcements.Change {
        let key = message.topic
        guard !message.payload.isEmpty else {
            refused[key] = nil
            return forget(key)
        }
        let announcement: Announcement
        do {
            announcement = try Announcement(message.payload, place: place)
        } catch {
            return refuse(key, error.message)
        }
        guard entries[key] != nil || entries.count < Announcements.most else {
            return refuse(key, "there are \(Announcements.most) already")
        }
        refused[key] = nil
        let former = entries[key]
        guard former?.announcement != announcement else { return Announcements.Change() }
        var change = Announcements.Change(isSeen: true)
        if let former, former.announcement.topic != announcement.topic {
            change.unsubscribe = forget(key).unsubscribe
        }
        let isHeard = entries.values.contains {
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
                // Of other fields, so what still listens to the former one must not see it.
                entry.source = AnnouncedSource(maker, now: now)
                if isConnected { entry.source?.connected() }
            }
            change.subscribe = isHeard ? nil : announcement.topic
        }
        entries[key] = entry
        return change
    }

    /// What is announced and is no sensor takes away what was one.
    private mutating func refuse(_ key: String, _ reason: String) -> Announcements.Change {
        if refused.count < Announcements.most { refused[key] = reason }
        return forget(key)
    }

    private mutating func forget(_ key: String) -> Announcements.Change {
        guard let former = entries.removeValue(forKey: key) else { return Announcements.Change() }
        let topic = former.announcement.topic
        let isShared = entries.values.contains { $0.announcement.topic == topic }
        return Announcements.Change(unsubscribe: isShared ? nil : topic, isSeen: true)
    }
}

/// The identifiers of announced sensors, which do not depend on the order of the announcements.
///
/// Where several would have the same, each has a number behind it that follows from where it is
/// announced, so that none ever takes the name of another.
struct AnnouncedNames {
    private var names: [String: SensorID] = [:]

    /// - Parameter announcements: by their topics.
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
        let room = SensorID.maximumLength - suffix.utf8.count
        let rest = id.description.prefix(room).dropFirst(id.kind.description.utf8.count + 1)
        return id.kind.instance(rest + suffix)
    }
}
