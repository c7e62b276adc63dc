import RunnerProtocol

/// What a run shows while it is active.
///
/// All texts are the app's: escape them.
public enum RunEvent: Hashable, Sendable {
    /// The process is confined by `layers`; they are empty with `--insecure`.
    case started(layers: [String])
    /// A line for the console.
    case console(level: Level, text: String)
    /// An error that the app did not catch.
    case uncaught(message: String, place: String?, stack: String)
    /// The visible text of the app's page has changed.
    case view(text: String)
    /// The document of the app's page at the end of the run.
    case markup(text: String)

    /// The method of `console` that wrote a line.
    public enum Level: Hashable, Sendable {
        /// As the methods are named.
        case debug, log, info, warn, error

        init(_ level: ConsoleLevel) {
            self =
                switch level {
                case .debug: .debug
                case .log: .log
                case .info: .info
                case .warn: .warn
                case .error: .error
                }
        }
    }
}

/// The latest events of a run, bounded in number and in bytes.
struct RecentEvents {
    private static let count = 200
    private static let bytes = 64 << 10

    private(set) var events: [RunEvent] = []
    private var bytes = 0

    /// Adds an event, and drops the oldest ones that exceed a bound.
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
