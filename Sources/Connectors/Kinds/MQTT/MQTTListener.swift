/// Who is told what happens on a connection to a broker; called on the thread of the connection only.
protocol MQTTListener: Sendable {
    /// What is asked for as soon as the broker lets one in; the connection ends when it refuses.
    var filters: [MQTTFilter] { get }

    /// The broker has granted all of ``filters``.
    func begin(_ session: MQTTSession)

    func take(_ message: MQTTMessage, _ session: MQTTSession)

    /// The broker does not pass on what was asked for later.
    func refused(_ topic: String)

    /// Nothing more of what came is waiting.
    func rest(_ session: MQTTSession)
}

/// What to listen to.
struct MQTTFilter: Hashable, Sendable {
    /// A topic; `+` stands for one level of it, `#` at the end for any number.
    let topic: String
    /// 0 for at most once, 1 for at least once, 2 for exactly once.
    var quality = 0
}
