public import Samples
import Synchronization
public import VM

/// The sensors that programs announce at a broker as Home Assistant wants it, such as Zigbee2MQTT,
/// Tasmota and ESPHome.
///
/// One connection brings the announcements and all their samples. It stands while somebody listens to
/// ``changes()``, and comes back by itself.
public final class HomeAssistantDriver: SensorDriver {
    /// Where Home Assistant looks unless it is told otherwise.
    public static let standardPrefix = "homeassistant"

    private let announcements: Announcements
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter prefix: the levels of a topic under which sensors are announced.
    public init(
        broker: MQTTBroker, prefix: String = standardPrefix,
        now: @escaping @Sendable () -> Timestamp = { .now() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        }
    ) {
        announcements = Announcements(broker: broker, prefix: prefix, now: now)
        self.sleep = sleep
    }

    /// Whether a text can stand before the topics of announcements.
    public static func isPrefix(_ text: String) -> Bool {
        text.wholeMatch(of: /[^\/+#\p{C}]+(\/[^\/+#\p{C}]+)*/) != nil && text.utf8.count <= 64
    }

    /// The announced sensors, and one that tells whether the broker is there and how many they are.
    public func discover() -> [DiscoveredSensor] {
        let sensor = Sensor(
            id: "mqtt-discovery", title: "Sensors announced over MQTT",
            fields: [
                Field("sensors", unit: "{sensor}", kind: .integer),
                Field("refused", unit: "{announcement}", kind: .integer),
            ], source: "\(announcements.broker)/\(announcements.prefix)/", cadence: .slow)
        let link = announcements.link
        let own =
            link.isConnected
            ? DiscoveredSensor(sensor, .polled(Reader(announcements: announcements)))
            : DiscoveredSensor(
                sensor,
                .unavailable(
                    reason: link.problem ?? "the broker is not connected to yet",
                    remedy: link.problem == nil ? "collect, as with nervous serve" : nil))
        return [own] + announcements.sensors()
    }

    /// Yields when sensors came, changed or went.
    public func changes() -> AsyncStream<Void>? {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { change in
            let task = Task { await listen(change) }
            change.onTermination = { _ in task.cancel() }
        }
    }

    private func listen(_ change: AsyncStream<Void>.Continuation) async {
        let connection = MQTTConnection(broker: announcements.broker)
        let listener = AnnouncementListener(announcements, change)
        var backoff = Backoff()
        while !Task.isCancelled {
            var problem = "\(announcements.broker) ended the connection."
            do {
                try await connection.run(listener)
            } catch {
                problem = error.message
            }
            if announcements.link.isConnected { backoff.reset() }
            announcements.disconnected(problem)
            change.yield()
            try? await sleep(backoff.wait())
        }
    }

    private struct Reader: SampleReader {
        let announcements: Announcements

        mutating func read() -> [Value]? {
            let counts = announcements.counts
            return [.integer(Int64(counts.taken)), .integer(Int64(counts.refused))]
        }
    }
}

/// Passes on what a broker says to the announcements, and asks for the samples of what they announce.
final class AnnouncementListener: MQTTListener {
    let filters: [MQTTFilter]

    private let announcements: Announcements
    private let change: AsyncStream<Void>.Continuation
    private let isChanged = Mutex(false)

    init(_ announcements: Announcements, _ change: AsyncStream<Void>.Continuation) {
        (self.announcements, self.change) = (announcements, change)
        filters = AnnouncementTopic.filters(prefix: announcements.prefix)
    }

    func begin(_ session: MQTTSession) {
        for topic in announcements.connected().sorted() {
            session.subscribe(to: MQTTFilter(topic: topic))
        }
        isChanged.withLock { $0 = true }
    }

    func take(_ message: MQTTMessage, _ session: MQTTSession) {
        let wanted = announcements.take(message)
        if let topic = wanted.unsubscribe { session.unsubscribe(from: topic) }
        if let topic = wanted.subscribe { session.subscribe(to: MQTTFilter(topic: topic)) }
        if wanted.isSeen { isChanged.withLock { $0 = true } }
    }

    func refused(_ topic: String) {
        announcements.refused(topic)
    }

    func rest(_ session: MQTTSession) {
        // Announcements come in a flood when a connection begins; one look for all of them is enough.
        let isDue = isChanged.withLock { isChanged in
            defer { isChanged = false }
            return isChanged
        }
        if isDue { change.yield() }
    }
}
