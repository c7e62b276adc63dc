import CMosquitto

/// Receives messages of an MQTT broker (MQTT 3.1.1), one sample each.
///
/// ```json
/// { "kind": "mqtt", "host": "broker.home", "topic": "garden/+/weather", "tls": true }
/// ```
public struct MQTTConnector: ConnectorKind {
    public static let kind = "mqtt"

    private let broker: MQTTBroker
    private let filter: MQTTFilter
    private let clientID: String?
    private let takesRetained: Bool

    /// Reads the keys of ``MQTTBroker``, `topic`, `qos` (0), `clientID` and `retained` (false).
    public init(_ source: inout PackObject) throws(PackError) {
        broker = try MQTTBroker(&source)
        let topic = try source.requiredText("topic")
        guard MQTTFilter(topic: topic).isValid else {
            throw source.wrong(
                "topic", "is not an MQTT topic filter; + matches a level, # the rest")
        }
        filter = MQTTFilter(topic: topic, quality: try source.integer("qos", in: 0...2) ?? 0)
        clientID = try source.text("clientID")
        guard clientID.map({ mosquitto_validate_utf8($0, Int32($0.utf8.count)) }) ?? 0 == 0 else {
            throw source.wrong("clientID", "is not a valid client identifier")
        }
        takesRetained = try source.flag("retained") ?? false
    }

    public var sourceName: String { "\(broker)/\(filter.topic)" }

    public func connect(_ sink: SampleSink) async throws {
        try await MQTTConnection(broker: broker, clientID: clientID)
            .run(Listener(sink: sink, filters: [filter], takesRetained: takesRetained))
    }

    private struct Listener: MQTTListener {
        let sink: SampleSink
        let filters: [MQTTFilter]
        let takesRetained: Bool

        func begin(_ session: MQTTSession) { sink.connected() }

        func take(_ message: MQTTMessage, _ session: MQTTSession) {
            guard takesRetained || !message.isRetained else { return }
            sink.take(message.payload)
        }

        func refused(_ topic: String) {}

        func didProcessMessages(_ session: MQTTSession) {}
    }
}

/// Receives the events of a connection to a broker, on the thread of the connection.
protocol MQTTListener: Sendable {
    /// The initial subscriptions; the connection ends if one is refused.
    var filters: [MQTTFilter] { get }

    /// The broker has granted all of ``filters``.
    func begin(_ session: MQTTSession)

    func take(_ message: MQTTMessage, _ session: MQTTSession)

    /// The broker refused a later subscription.
    func refused(_ topic: String)

    /// All received messages have been processed.
    func didProcessMessages(_ session: MQTTSession)

    /// The message that the broker publishes, retained, when the connection breaks.
    var will: (topic: String, payload: String)? { get }

    /// A descriptor that is readable when ``woken(_:)`` should be called; -1 for none.
    var wakeDescriptor: Int32 { get }

    func woken(_ session: MQTTSession)

    /// The connection is about to be closed in order.
    func end(_ session: MQTTSession)
}

extension MQTTListener {
    var will: (topic: String, payload: String)? { nil }
    var wakeDescriptor: Int32 { -1 }
    func woken(_ session: MQTTSession) {}
    func end(_ session: MQTTSession) {}
}

/// A subscription.
struct MQTTFilter: Hashable, Sendable {
    /// A topic filter; `+` matches one level, `#` at the end any number.
    let topic: String
    /// 0 for at most once, 1 for at least once, 2 for exactly once.
    var quality = 0

    var isValid: Bool { mosquitto_sub_topic_check(topic) == MOSQ_ERR_SUCCESS.rawValue }

    /// Whether messages of a topic are received.
    func matches(_ other: String) -> Bool {
        guard topic.utf8.contains(where: { $0 == 0x2B || $0 == 0x23 }) else {
            return topic == other
        }
        var isMatch = false
        return mosquitto_topic_matches_sub(topic, other, &isMatch) == MOSQ_ERR_SUCCESS.rawValue
            && isMatch
    }
}

/// A message of a broker.
struct MQTTMessage: Sendable {
    let topic: String
    let payload: [UInt8]
    /// Whether the broker had stored it before the subscription; its age is unknown.
    let isRetained: Bool
}
