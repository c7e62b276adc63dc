import Synchronization

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
