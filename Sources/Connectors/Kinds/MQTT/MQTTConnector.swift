import CMosquitto

/// Messages of an MQTT broker (MQTT 3.1.1), each a sample.
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

    public init(_ source: inout PackObject) throws(PackError) {
        broker = try MQTTBroker(&source)
        let topic = try source.requiredText("topic")
        guard mosquitto_sub_topic_check(topic) == MOSQ_ERR_SUCCESS.rawValue else {
            throw source.wrong("topic", "is no topic of MQTT; + stands for a level, # for the rest")
        }
        filter = MQTTFilter(topic: topic, quality: try source.integer("qos", in: 0...2) ?? 0)
        clientID = try source.text("clientID")
        guard clientID.map({ mosquitto_validate_utf8($0, Int32($0.utf8.count)) }) ?? 0 == 0 else {
            throw source.wrong("clientID", "is no name of a client")
        }
        takesRetained = try source.flag("retained") ?? false
    }

    public var place: String { "\(broker)/\(filter.topic)" }

    public func connect(_ inlet: Inlet) async throws {
        try await MQTTConnection(broker: broker, clientID: clientID)
            .run(Listener(inlet: inlet, filters: [filter], takesRetained: takesRetained))
    }

    private struct Listener: MQTTListener {
        let inlet: Inlet
        let filters: [MQTTFilter]
        let takesRetained: Bool

        func begin(_ session: MQTTSession) { inlet.connected() }

        func take(_ message: MQTTMessage, _ session: MQTTSession) {
            guard takesRetained || !message.isRetained else { return }
            inlet.take(message.payload)
        }

        func refused(_ topic: String) {}

        func rest(_ session: MQTTSession) {}
    }
}
