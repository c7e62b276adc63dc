import CMosquitto

/// What the library calls, on the thread that called it.
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
            MQTTSession.of(object)?.complain(String(cString: text))
        }
    }

    private static func of(_ object: UnsafeMutableRawPointer?) -> MQTTSession? {
        object.map { Unmanaged<MQTTSession>.fromOpaque($0).takeUnretainedValue() }
    }

    private func connected(_ code: Int32) {
        guard code == 0 else {
            refusal = MQTTFault.refused(broker, code)
            return
        }
        missing = listener.filters.count
        for filter in listener.filters { subscribe(to: filter) }
    }

    private func subscribed(_ number: Int32, _ isGranted: Bool) {
        guard let topic = asked.removeValue(forKey: number) else { return }
        isStirred = true
        guard let missing, missing > 0 else {
            if !isGranted { listener.refused(topic) }
            return
        }
        guard isGranted else {
            refusal = MQTTFault.withheld(broker, topic)
            return
        }
        self.missing = missing - 1
        if missing == 1 { listener.begin(self) }
    }

    private func take(_ message: MQTTMessage) {
        isStirred = true
        listener.take(message, self)
    }

    private func complain(_ text: String) {
        // The first is the cause, the others its consequences.
        if complaint == nil { complaint = text }
    }
}
