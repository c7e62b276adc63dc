/// The newest events of a run's console, bounded in number and in bytes.
struct RecentEvents {
    private static let count = 200
    private static let bytes = 64 << 10

    private(set) var events: [RunEvent] = []
    private var bytes = 0

    /// Adds one, and forgets the oldest until the rest is within bounds.
    mutating func add(_ event: RunEvent) {
        events.append(event)
        bytes += event.size
        var surplus = 0
        while events.count - surplus > 1,
            events.count - surplus > Self.count || bytes > Self.bytes
        {
            bytes -= events[surplus].size
            surplus += 1
        }
        events.removeFirst(surplus)
    }
}

extension RunEvent {
    /// UTF-8 bytes of its texts.
    fileprivate var size: Int {
        switch self {
        case .started(let layers): layers.reduce(0) { $0 + $1.utf8.count }
        case .console(_, let text): text.utf8.count
        case .uncaught(let message, let place, let stack):
            message.utf8.count + (place?.utf8.count ?? 0) + stack.utf8.count
        case .view(let text), .markup(let text): text.utf8.count
        }
    }
}
