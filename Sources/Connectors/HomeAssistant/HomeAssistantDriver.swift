import Samples
public import Scheduling
import Synchronization
public import VM

/// Sensors announced with Home Assistant's MQTT discovery, as by Zigbee2MQTT and ESPHome, and with
/// Tasmota's.
///
/// Announcements and samples share one connection, which is open and re-established as long as
/// ``changes()`` is consumed.
public final class HomeAssistantDriver: SensorDriver {
    /// Home Assistant's default prefix.
    public static let standardPrefix = "homeassistant"

    private let announcements: Announcements
    private let time: any TimeSource

    /// Creates a driver for a broker.
    ///
    /// - Parameters:
    ///   - prefix: the topic levels before those of announcements.
    ///   - time: the time of arrival, and the wait between attempts to connect.
    public init(
        broker: MQTTBroker, prefix: String = standardPrefix,
        time: any TimeSource = .system
    ) {
        announcements = Announcements(broker: broker, prefix: prefix, time: time)
        self.time = time
    }

    /// Whether a text is a valid prefix.
    public static func isPrefix(_ text: String) -> Bool {
        text.wholeMatch(of: /[^\/+#\p{C}]+(\/[^\/+#\p{C}]+)*/) != nil && text.utf8.count <= 64
    }

    /// The announced sensors, and a sensor that counts them and is unavailable without the broker.
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
                    reason: link.problem ?? "the broker is not connected yet",
                    remedy: link.problem == nil ? "collect, as with nervous serve" : nil))
        return [own] + announcements.sensors()
    }

    /// Yields when sensors were added, changed or removed.
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
            try? await time.sleep(for: backoff.wait())
        }
    }

    private struct Reader: SampleReader {
        let announcements: Announcements

        var remark: String? { announcements.remark }

        mutating func read() -> [Value]? {
            let counts = announcements.counts
            return [.integer(Int64(counts.taken)), .integer(Int64(counts.refused))]
        }
    }
}

/// Passes messages to the announcements, and subscribes to the topics of announced sensors.
private final class AnnouncementListener: MQTTListener {
    let filters: [MQTTFilter]

    private let announcements: Announcements
    private let change: AsyncStream<Void>.Continuation
    private let isChanged = Mutex(false)

    init(_ announcements: Announcements, _ change: AsyncStream<Void>.Continuation) {
        (self.announcements, self.change) = (announcements, change)
        filters = AnnouncementTopic.filters(prefix: announcements.prefix)
    }

    func begin(_ session: MQTTSession) {
        let devices = AnnouncementTopic.deviceFilters(prefix: announcements.prefix)
        let topics = announcements.connected().sorted().map { MQTTFilter(topic: $0) }
        for filter in devices + topics { session.subscribe(to: filter) }
        isChanged.withLock { $0 = true }
    }

    func take(_ message: MQTTMessage, _ session: MQTTSession) {
        let change = announcements.take(message)
        for topic in change.unsubscribe { session.unsubscribe(from: topic) }
        for topic in change.subscribe { session.subscribe(to: MQTTFilter(topic: topic)) }
        if change.changesSensors { isChanged.withLock { $0 = true } }
    }

    func refused(_ topic: String) {
        announcements.refused(topic)
    }

    func didProcessMessages(_ session: MQTTSession) {
        // Announcements arrive in bursts after connecting; one notification per burst is enough.
        let isDue = isChanged.withLock { isChanged in
            defer { isChanged = false }
            return isChanged
        }
        if isDue { change.yield() }
    }
}
