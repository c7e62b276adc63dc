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
    /// The maximum number of reasons in ``remark``.
    private static let shownLimit = 20

    struct Entry {
        /// What the sensors of one announcement have in common.
        let group: String
        let announcement: Announcement
        /// `nil` if its messages cannot be read.
        var source: AnnouncedSource?
        var availability = AnnouncedAvailability.State()
    }

    struct State {
        var entries: [String: Entry] = [:]
        /// Refused announcements by key.
        var refused: [String: Refusal] = [:]
        var devices: [String: TasmotaDevice] = [:]
        var isConnected = false
        var problem: String?
        /// The subscriptions, if one has wildcards, so that several may match one topic; else empty.
        var overlapping: [MQTTFilter] = []
        /// The last message that several subscriptions match, and how many copies may follow.
        var copied: (message: MQTTMessage, remaining: Int)?
    }

    struct Refusal {
        let group: String
        let reason: String
    }

    /// The actions for the connection.
    struct Change {
        var subscribe: [String] = []
        var unsubscribe: [String] = []
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
            return state.withLock { $0.announce(message, topic, time) }
        }
        let sources = state.withLock { state -> [AnnouncedSource] in
            state.isCopy(message) ? [] : state.sources(of: message.topic)
        }
        let input = TemplateInput(message.payload)
        for source in sources { source.take(input, isRetained: message.isRetained) }
        if let input { state.withLock { $0.takeAvailability(input, at: message.topic) } }
        return Change()
    }

    /// Marks the broker as connected.
    ///
    /// - Returns: the topics to subscribe to.
    func connected() -> Set<String> {
        state.withLock { state in
            (state.isConnected, state.problem) = (true, nil)
            for key in state.entries.keys {
                // The broker sends what devices have said last.
                state.entries[key]?.availability = AnnouncedAvailability.State()
                state.entries[key]?.source?.connected()
            }
            return state.topics
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

    /// The refused announcements and the sensors that cannot be read, with reasons; `nil` if there are
    /// none.
    var remark: String? {
        let refused = state.withLock { state in
            state.refused.mapValues(\.reason)
                .merging(state.entries.compactMapValues(\.announcement.unsupported)) { $1 }
        }
        guard !refused.isEmpty else { return nil }
        var reasons = refused.keys.sorted().prefix(Self.shownLimit).map { key in
            "\(key.escapedForDisplay(limit: 120)): "
                + (refused[key] ?? "").escapedForDisplay(limit: 160)
        }
        if refused.count > reasons.count {
            reasons.append("and \(refused.count - reasons.count) more")
        }
        return "\(refused.count) announcements are not usable:\n" + reasons.joined(separator: "\n")
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
                        reason: announcement.unsupported ?? "unsupported value_template",
                        remedy: "change its value_template, or install a sensor pack for its topic")
                )
            }
            return DiscoveredSensor(sensor, .pushed(source))
        }
    }
}

extension Announcement {
    /// Why its messages cannot be read, as a clause.
    fileprivate var unsupported: String? {
        guard case .unsupported(let reason) = template else { return nil }
        return "unsupported value_template: \(reason)"
    }
}

extension Announcements.State {
    /// The topics to subscribe to.
    fileprivate var topics: Set<String> {
        entries.values.reduce(into: []) { topics, entry in
            if entry.source != nil { topics.formUnion(entry.announcement.topics) }
        }
    }

    fileprivate func sources(of topic: String) -> [AnnouncedSource] {
        entries.values.filter { MQTTFilter(topic: $0.announcement.topic).matches(topic) }
            .compactMap(\.source)
    }

    /// Whether a message is another copy of the previous one, since several subscriptions match it.
    ///
    /// MQTT 3.1.1, 3.3.5: a broker may then deliver one copy for each.
    fileprivate mutating func isCopy(_ message: MQTTMessage) -> Bool {
        guard !overlapping.isEmpty else { return false }
        if let former = copied, former.remaining > 0, former.message.topic == message.topic,
            former.message.payload == message.payload,
            former.message.isRetained == message.isRetained
        {
            copied?.remaining -= 1
            return true
        }
        let matches = overlapping.count { $0.matches(message.topic) }
        copied = matches > 1 ? (message, matches - 1) : nil
        return false
    }

    fileprivate mutating func takeAvailability(_ input: TemplateInput, at topic: String) {
        for (key, entry) in entries where entry.source != nil {
            var availability = entry.availability
            guard
                let isAvailable = entry.announcement.availability.take(
                    input, at: topic, &availability)
            else { continue }
            entries[key]?.availability = availability
            if isAvailable {
                if isConnected { entry.source?.connected() }
            } else {
                entry.source?.disconnected(
                    "The device is offline, as it says under \(topic.escapedForDisplay(limit: 120))."
                )
            }
        }
    }

    fileprivate mutating func announce(
        _ message: MQTTMessage, _ topic: AnnouncementTopic, _ time: any TimeSource
    ) -> Announcements.Change {
        let group = topic.group(message.topic)
        guard case .tasmota(let part) = topic.form else {
            let sensors =
                message.payload.isEmpty ? [] : AnnouncedSensor.sensors(message, topic)
            return replace(group, sensors, time)
        }
        var device = devices[group] ?? TasmotaDevice()
        do {
            device[part] =
                message.payload.isEmpty ? nil : try AnnouncedSensor.object(message.payload, topic)
        } catch {
            return replace(group, [AnnouncedSensor(key: group, result: .failure(error))], time)
        }
        guard devices[group] != nil || devices.count < Announcements.sensorLimit else {
            return Announcements.Change()
        }
        devices[group] = device.isEmpty ? nil : device
        return replace(group, device.sensors(group: group, address: topic.object), time)
    }

    /// Replaces all sensors of an announcement.
    private mutating func replace(
        _ group: String, _ sensors: [AnnouncedSensor], _ time: any TimeSource
    ) -> Announcements.Change {
        let before = topics
        var change = Announcements.Change()
        var wanted: Set<String> = []
        refused = refused.filter { $0.value.group != group }
        let keys = Set(sensors.map(\.key))
        for (key, entry) in entries where entry.group == group && !keys.contains(key) {
            entries[key] = nil
            change.changesSensors = true
        }
        for sensor in sensors {
            switch sensor.result {
            case .success(let announcement):
                guard adopt(announcement, sensor.key, group, time) else { continue }
                change.changesSensors = true
                if entries[sensor.key]?.source != nil {
                    wanted.formUnion(announcement.retainedTopics)
                }
            case .failure(let error):
                if refuse(sensor.key, group, error.message) { change.changesSensors = true }
            }
        }
        guard change.changesSensors else { return change }
        let after = topics
        let hasWildcards = after.contains { $0.utf8.contains { $0 == 0x2B || $0 == 0x23 } }
        overlapping = hasWildcards ? after.map { MQTTFilter(topic: $0) } : []
        // A second subscription makes the broker send retained messages again, to the new sensor.
        change.subscribe = after.subtracting(before).union(wanted).sorted()
        change.unsubscribe = before.subtracting(after).sorted()
        return change
    }

    /// - Returns: whether something changed.
    private mutating func adopt(
        _ announcement: Announcement, _ key: String, _ group: String, _ time: any TimeSource
    ) -> Bool {
        let former = entries[key]
        guard former != nil || entries.count < Announcements.sensorLimit else {
            return refuse(key, group, "there are already \(Announcements.sensorLimit) sensors")
        }
        guard former?.announcement != announcement else { return false }
        var entry = Announcements.Entry(group: group, announcement: announcement)
        if let reader = announcement.reader {
            if let source = former?.source,
                former?.announcement.rule.field == announcement.rule.field
            {
                source.read(with: reader)
                entry.source = source
            } else {
                // The fields differ, so consumers of the former source must not get its samples.
                entry.source = AnnouncedSource(reader, time: time)
            }
            if isConnected { entry.source?.connected() }
        }
        entries[key] = entry
        return true
    }

    /// Refuses an announcement and removes the sensor it replaces.
    ///
    /// - Returns: whether a sensor was removed.
    private mutating func refuse(_ key: String, _ group: String, _ reason: String) -> Bool {
        if refused.count < Announcements.sensorLimit {
            refused[key] = Announcements.Refusal(group: group, reason: reason)
        }
        return entries.removeValue(forKey: key) != nil
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
