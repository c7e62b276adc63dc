import Glibc
public import Scheduling
import Synchronization

/// Publishes messages at a broker over one connection, which is re-established when it breaks.
///
/// The retained message `online` of a status topic becomes `offline` when the connection ends, whether in order or
/// not.
///
/// ```swift
/// let publisher = MQTTPublisher(
///     broker: broker, clientID: "nervous-1", statusTopic: "nervous/1/status", subscriptions: [])
/// async let running: Void = publisher.run()
/// for await event in publisher.events where event == .connected {
///     publisher.publish(Array("online".utf8), to: "nervous/1/status", isRetained: true)
/// }
/// ```
public final class MQTTPublisher: Sendable {
    /// What happened at the broker.
    public enum Event: Hashable, Sendable {
        /// The broker accepted the connection and the subscriptions.
        case connected
        /// The connection ended, or could not be made, for a reason in a sentence.
        case disconnected(String)
        /// A message of one of the subscriptions.
        case message(topic: String, payload: [UInt8])
    }

    /// The events, for one consumer.
    public let events: AsyncStream<Event>

    private let broker: MQTTBroker
    private let clientID: String
    private let time: any TimeSource
    private let listener: PublishingListener

    /// - Parameters:
    ///   - clientID: at the broker. It should be the same after a restart, so that the connection replaces the
    ///     previous one, whose `offline` could otherwise arrive later than the new `online`.
    ///   - time: the wait between attempts to connect.
    public init(
        broker: MQTTBroker, clientID: String, statusTopic: String, subscriptions: [String],
        time: any TimeSource = .system
    ) {
        (self.broker, self.clientID, self.time) = (broker, clientID, time)
        let signal: AsyncStream<Event>.Continuation
        (events, signal) = AsyncStream.makeStream()
        listener = PublishingListener(
            filters: subscriptions.map { MQTTFilter(topic: $0) }, statusTopic: statusTopic, signal)
    }

    /// Publishes at least the messages of a connection's time, until cancelled; then the events end.
    public func run() async {
        let connection = MQTTConnection(broker: broker, clientID: clientID)
        var backoff = Backoff()
        while !Task.isCancelled {
            var problem = "\(broker) ended the connection."
            do {
                try await connection.run(listener)
            } catch {
                problem = error.message
            }
            if listener.disconnected(problem) { backoff.reset() }
            guard !Task.isCancelled else { break }
            try? await time.sleep(for: backoff.wait())
        }
        listener.finish()
    }

    /// Sends a message; without a connection it is dropped.
    ///
    /// An empty retained message removes the retained one.
    public func publish(_ payload: [UInt8], to topic: String, isRetained: Bool) {
        listener.enqueue(.init(topic: topic, payload: payload, isRetained: isRetained))
    }
}

/// Passes messages between the connection's thread and its users.
private final class PublishingListener: MQTTListener {
    struct Message: Sendable {
        let topic: String
        let payload: [UInt8]
        let isRetained: Bool
    }

    private struct State {
        var isConnected = false
        var waiting: [Message] = []
    }

    let filters: [MQTTFilter]
    /// Readable while messages wait; -1 if too many files are open, and then messages wait for others.
    let wakeDescriptor: Int32
    private let wakingDescriptor: Int32

    private let statusTopic: String
    private let signal: AsyncStream<MQTTPublisher.Event>.Continuation
    private let state = Mutex(State())

    init(
        filters: [MQTTFilter], statusTopic: String,
        _ signal: AsyncStream<MQTTPublisher.Event>.Continuation
    ) {
        (self.filters, self.statusTopic, self.signal) = (filters, statusTopic, signal)
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        _ = socketpair(AF_UNIX, kind, 0, &ends)
        (wakeDescriptor, wakingDescriptor) = (ends[0], ends[1])
    }

    deinit {
        for end in [wakeDescriptor, wakingDescriptor] where end >= 0 { close(end) }
    }

    var will: (topic: String, payload: String)? { (statusTopic, "offline") }

    func enqueue(_ message: Message) {
        let isQueued = state.withLock { state in
            if state.isConnected { state.waiting.append(message) }
            return state.isConnected
        }
        guard isQueued else { return }
        // If the socket is full, the connection has yet to wake up anyway.
        var byte: UInt8 = 1
        _ = write(wakingDescriptor, &byte, 1)
    }

    func begin(_ session: MQTTSession) {
        state.withLock { $0 = State(isConnected: true) }
        signal.yield(.connected)
    }

    func take(_ message: MQTTMessage, _ session: MQTTSession) {
        signal.yield(.message(topic: message.topic, payload: message.payload))
    }

    /// There are no later subscriptions.
    func refused(_ topic: String) {}

    func didProcessMessages(_ session: MQTTSession) {}

    func woken(_ session: MQTTSession) {
        var bytes = [UInt8](repeating: 0, count: 256)
        while read(wakeDescriptor, &bytes, bytes.count) == bytes.count {}
        send(session)
    }

    func end(_ session: MQTTSession) {
        send(session)
        session.publish(Array("offline".utf8), to: statusTopic, isRetained: true)
    }

    /// - Returns: whether there was a connection.
    func disconnected(_ problem: String) -> Bool {
        let wasConnected = state.withLock { state in
            defer { state = State() }
            return state.isConnected
        }
        signal.yield(.disconnected(problem))
        return wasConnected
    }

    func finish() { signal.finish() }

    private func send(_ session: MQTTSession) {
        let messages = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for message in messages {
            session.publish(message.payload, to: message.topic, isRetained: message.isRetained)
        }
    }
}
