import CMosquitto
import Glibc

/// A client of libmosquitto, confined to one thread.
///
/// The library's own loop is not used because its `select` is limited to descriptors below 1024.
final class MQTTSession {
    /// The keep-alive interval in seconds.
    private static let keepAlive: Int32 = 30
    /// The time limit for establishing the connection.
    private static let timeout = Duration.seconds(15)
    /// How often the library checks the keep-alive interval.
    private static let tick = Duration.seconds(5)

    /// Initialises the library once per process.
    private static let isReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

    let broker: MQTTBroker
    let listener: any MQTTListener
    let handle: OpaquePointer
    /// The first error message of the library.
    var logMessage: String?
    /// Why the broker refused the connection or a subscription.
    var refusal: ConnectorError?
    /// Pending subscriptions by message identifier.
    var pendingSubscriptions: [Int32: String] = [:]
    /// The number of pending initial subscriptions; `nil` before the broker accepted the
    /// connection.
    var missing: Int?
    /// Whether something was received since the last ``MQTTListener/didProcessMessages(_:)``.
    var hasUnreportedMessages = false

    /// - Throws: ``ConnectorError`` for an invalid parameter.
    init(
        _ broker: MQTTBroker, clientID: String?, _ listener: any MQTTListener
    ) throws(ConnectorError) {
        guard Self.isReady, let handle = mosquitto_new(clientID, true, nil) else {
            throw ConnectorError("libmosquitto cannot be used: \(MQTTBroker.reason(errno)).")
        }
        (self.broker, self.listener, self.handle) = (broker, listener, handle)
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        setCallbacks()
        try check(
            mosquitto_int_option(
                handle, MOSQ_OPT_PROTOCOL_VERSION, Int32(MQTT_PROTOCOL_V311)))
        if let username = broker.username {
            let secret = try broker.secret()
            try check(mosquitto_username_pw_set(handle, username, secret))
        }
        if let (topic, payload) = listener.will {
            try check(
                mosquitto_will_set(handle, topic, Int32(payload.utf8.count), payload, 1, true))
        }
        switch broker.trust {
        case nil: break
        case .system: try check(mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1))
        case .authorities(let file):
            guard access(file, R_OK) == 0 else {
                throw ConnectorError(
                    "The authorities of \(broker) cannot be read: \(file): "
                        + "\(MQTTBroker.reason(errno)).")
            }
            try check(mosquitto_tls_set(handle, file, nil, nil, nil, nil))
        }
    }

    deinit { mosquitto_destroy(handle) }

    /// Starts connecting.
    func connect(_ cancellation: MQTTCancellation) throws(ConnectorError) {
        let result = cancellation.uninterruptible {
            mosquitto_connect_async(handle, broker.host, Int32(broker.port), Self.keepAlive)
        }
        if result != MOSQ_ERR_SUCCESS.rawValue { throw fault(result, errno) }
    }

    /// Processes events until the broker ends the connection or the task is cancelled.
    func listen(_ cancellation: MQTTCancellation) throws(ConnectorError) {
        let deadline = ContinuousClock.now + Self.timeout
        while !cancellation.isCancelled {
            let socket = mosquitto_socket(handle)
            guard socket >= 0 else { throw fault(MOSQ_ERR_CONN_LOST.rawValue, 0) }
            var entries = [
                pollfd(fd: socket, events: wanted, revents: 0),
                pollfd(fd: cancellation.descriptor, events: Int16(POLLIN), revents: 0),
                // Negative descriptors are ignored.
                pollfd(
                    fd: missing == 0 ? listener.wakeDescriptor : -1, events: Int16(POLLIN),
                    revents: 0),
            ]
            if hasUnreportedMessages, poll(&entries, 3, 0) == 0 {
                hasUnreportedMessages = false
                listener.didProcessMessages(self)
                continue
            }
            let time = missing == 0 ? Self.tick : deadline - .now
            guard time > .zero else { throw MQTTErrors.noAnswer(broker) }
            guard
                poll(&entries, 3, Int32(min(time, Self.tick) / .milliseconds(1)) + 1) >= 0
                    || errno == EINTR
            else { throw fault(MOSQ_ERR_ERRNO.rawValue, errno) }
            if entries[1].revents != 0 { break }
            if entries[2].revents != 0 { listener.woken(self) }
            if try !serve(socket, entries[0].revents) { return }
        }
        if missing == 0 { listener.end(self) }
        mosquitto_disconnect(handle)
        flush()
    }

    /// Publishes a message; retained messages at least once, others at most once.
    func publish(_ payload: [UInt8], to topic: String, isRetained: Bool) {
        mosquitto_publish(
            handle, nil, topic, Int32(payload.count), payload, isRetained ? 1 : 0, isRetained)
    }

    /// Subscribes to a topic.
    func subscribe(to filter: MQTTFilter) {
        var number: Int32 = 0
        guard
            mosquitto_subscribe(handle, &number, filter.topic, Int32(filter.quality))
                == MOSQ_ERR_SUCCESS.rawValue
        else { return listener.refused(filter.topic) }
        pendingSubscriptions[number] = filter.topic
    }

    /// Unsubscribes from a topic.
    func unsubscribe(from topic: String) {
        mosquitto_unsubscribe(handle, nil, topic)
    }

    // MARK: - Private

    /// Writes what is buffered, for at most a second.
    private func flush() {
        let deadline = ContinuousClock.now + .seconds(1)
        while mosquitto_want_write(handle), .now < deadline {
            var entry = pollfd(fd: mosquitto_socket(handle), events: Int16(POLLOUT), revents: 0)
            guard entry.fd >= 0, poll(&entry, 1, 100) >= 0,
                mosquitto_loop_write(handle, 1) == MOSQ_ERR_SUCCESS.rawValue
            else { return }
        }
    }

    private var wanted: Int16 {
        Int16(POLLIN) | (mosquitto_want_write(handle) ? Int16(POLLOUT) : 0)
    }

    /// - Returns: whether the connection is still open.
    private func serve(_ socket: Int32, _ events: Int16) throws(ConnectorError) -> Bool {
        if missing == nil, events & Int16(POLLERR) != 0 {
            var number: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(socket, SOL_SOCKET, SO_ERROR, &number, &length)
            if number != 0 { throw MQTTErrors.unreachable(broker, number) }
        }
        var result = MOSQ_ERR_SUCCESS.rawValue
        if events & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
            result = mosquitto_loop_read(handle, 1)
        }
        if result == 0, events & Int16(POLLOUT) != 0 { result = mosquitto_loop_write(handle, 1) }
        if result == 0 { result = mosquitto_loop_misc(handle) }
        let number = errno
        if let refusal { throw refusal }
        guard result != MOSQ_ERR_SUCCESS.rawValue else { return true }
        if missing == 0, result == MOSQ_ERR_CONN_LOST.rawValue { return false }
        throw fault(result, number)
    }

    private func check(_ result: Int32) throws(ConnectorError) {
        guard result == MOSQ_ERR_SUCCESS.rawValue else { throw fault(result, errno) }
    }

    private func fault(_ result: Int32, _ number: Int32) -> ConnectorError {
        MQTTErrors.of(result, number, broker, logMessage: logMessage, wasAccepted: missing != nil)
    }
}

/// The callbacks of the library, which run on the thread of the connection.
extension MQTTSession {
    func setCallbacks() {
        mosquitto_connect_callback_set(handle) { _, object, code in
            MQTTSession.of(object)?.connected(code)
        }
        mosquitto_subscribe_callback_set(handle) { _, object, number, count, granted in
            let isGranted = count == 1 && granted.map { (0...2).contains($0.pointee) } == true
            MQTTSession.of(object)?.subscribed(number, isGranted)
        }
        mosquitto_message_callback_set(handle) { _, object, message in
            guard let message = message?.pointee, let topic = message.topic else { return }
            let bytes = UnsafeRawBufferPointer(
                start: message.payload, count: Int(message.payloadlen))
            MQTTSession.of(object)?.take(
                MQTTMessage(
                    topic: String(cString: topic), payload: Array(bytes),
                    isRetained: message.retain))
        }
        mosquitto_log_callback_set(handle) { _, object, level, text in
            guard level == MOSQ_LOG_ERR || level == MOSQ_LOG_WARNING, let text else { return }
            MQTTSession.of(object)?.recordLog(String(cString: text))
        }
    }

    private static func of(_ object: UnsafeMutableRawPointer?) -> MQTTSession? {
        object.map { Unmanaged<MQTTSession>.fromOpaque($0).takeUnretainedValue() }
    }

    private func connected(_ code: Int32) {
        guard code == 0 else {
            refusal = MQTTErrors.refused(broker, code)
            return
        }
        missing = listener.filters.count
        for filter in listener.filters { subscribe(to: filter) }
    }

    private func subscribed(_ number: Int32, _ isGranted: Bool) {
        guard let topic = pendingSubscriptions.removeValue(forKey: number) else { return }
        hasUnreportedMessages = true
        guard let missing, missing > 0 else {
            if !isGranted { listener.refused(topic) }
            return
        }
        guard isGranted else {
            refusal = MQTTErrors.subscriptionDenied(broker, topic)
            return
        }
        self.missing = missing - 1
        if missing == 1 { listener.begin(self) }
    }

    private func take(_ message: MQTTMessage) {
        hasUnreportedMessages = true
        listener.take(message, self)
    }

    private func recordLog(_ text: String) {
        // The first message is the cause; later ones are consequences.
        if logMessage == nil { logMessage = text }
    }
}
