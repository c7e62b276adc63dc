import RunnerProtocol
public import Samples

/// An event that a run reports while it is active.
///
/// All texts are the app's: escape them.
public enum RunEvent: Hashable, Sendable {
    /// The process is confined by `layers`; there are none with `--insecure-no-sandbox`.
    case started(layers: [String])
    /// A line for the console.
    case console(level: Level, text: String)
    /// An error that the app did not catch.
    case uncaught(message: String, location: String?, stack: String)
    /// The visible text of the app's page has changed.
    case view(text: String)
    /// The document of the app's page at the end of the run.
    case markup(text: String)

    /// The method of `console` that wrote a line.
    public enum Level: Hashable, Sendable {
        /// The method of this name.
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

/// An event of a run, and when the host received it.
public struct TimedRunEvent: Hashable, Sendable {
    /// When the host received it.
    public let time: Timestamp
    /// The event.
    public let event: RunEvent
}

/// Turns the output of a runner into events, within the limits of the run.
struct RunOutput {
    enum Decision {
        case event(RunEvent)
        /// The output exceeds the budget, or was not requested.
        case end(RunOutcome)
    }

    private let presentation: RunPresentation
    private var hasShownMarkup = false

    init(_ presentation: RunPresentation) {
        self.presentation = presentation
    }

    /// - Parameter frame: `console`, `uncaught`, `view` or `markup`.
    mutating func event(
        for frame: RunnerFrame, _ meter: inout UsageMeter, at now: ContinuousClock.Instant
    ) -> Decision {
        switch frame {
        case .console(let level, let text):
            guard meter.addLine(text.utf8.count, at: now) else { break }
            return .event(.console(level: RunEvent.Level(level), text: text))
        case .uncaught(let error):
            let bytes =
                error.file.utf8.count + error.message.utf8.count + error.stack.utf8.count
            guard meter.addLine(bytes, at: now) else { break }
            let location = error.file.isEmpty ? nil : "\(error.file):\(error.line):\(error.column)"
            return .event(.uncaught(message: error.message, location: location, stack: error.stack))
        case .view(let text):
            guard presentation.showsText else {
                return .end(.protocolViolation("unrequested view"))
            }
            guard meter.addLine(text.utf8.count, at: now) else { break }
            return .event(.view(text: text))
        case .markup(let text):
            guard presentation.showsMarkup, !hasShownMarkup else {
                return .end(.protocolViolation("unrequested document"))
            }
            hasShownMarkup = true
            return .event(.markup(text: text))
        default: return .end(.protocolViolation("not output"))
        }
        return .end(.exceeded(.logPerMinute))
    }
}

/// The latest events of a run, bounded in number and in bytes.
struct RecentEvents {
    private static let count = 200
    private static let bytes = 64 << 10

    private(set) var events: [TimedRunEvent] = []
    private var bytes = 0

    /// Adds an event, and drops the oldest ones that exceed a bound.
    mutating func add(_ event: RunEvent, at time: Timestamp) {
        events.append(TimedRunEvent(time: time, event: event))
        bytes += event.size
        var surplus = 0
        while events.count - surplus > 1,
            events.count - surplus > Self.count || bytes > Self.bytes
        {
            bytes -= events[surplus].event.size
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
        case .uncaught(let message, let location, let stack):
            message.utf8.count + (location?.utf8.count ?? 0) + stack.utf8.count
        case .view(let text), .markup(let text): text.utf8.count
        }
    }
}
