import AppRuns
import AppStorage
import Auth

/// Something a run says: one line of the answer that starts it.
///
/// Every text is the app's: escape it, but for those of `message`, which are harmless already.
public struct RunEventItem: Codable, Sendable {
    /// `started`, `console`, `uncaught`, `asks`, `message`, `view`, `markup`, `ended`
    /// or `failed`.
    public let event: String
    /// Of `console`: `debug`, `log`, `info`, `warn` or `error`.
    public var level: String?
    public var text: String?
    /// Of `message`, what the app tells the person; `text` is the rest of it.
    public var title: String?
    /// Of `uncaught`: file, line and column.
    public var place: String?
    public var stack: String?
    /// Of `started`: what confines the app; empty where nothing does.
    public var layers: [String]?
    /// Of `asks`: what the app wants and nobody has decided; its call waits for a while.
    public var privilege: String?
    /// Of `ended`.
    public var run: RunDescription?
    /// Of `failed`: the problem's code, and what to do.
    public var code: String?
    public var fix: String?

    init(_ event: RunEvent) {
        switch event {
        case .started(let layers):
            self.event = "started"
            self.layers = layers
        case .console(let level, let text):
            self.event = "console"
            self.level = "\(level)"
            self.text = text
        case .uncaught(let message, let place, let stack):
            self.event = "uncaught"
            self.text = message
            self.place = place
            self.stack = stack
        case .view(let text):
            self.event = "view"
            self.text = text
        case .markup(let text):
            self.event = "markup"
            self.text = text
        }
    }

    init(asks request: PendingRequest) {
        event = "asks"
        privilege = request.privilege.description
    }

    init(says message: AppMessage) {
        event = "message"
        (title, text) = (message.title, message.body)
    }

    init(ended report: RunReport) {
        event = "ended"
        run = RunDescription(report)
    }

    init(failed problem: Problem) {
        event = "failed"
        text = problem.detail
        code = problem.code
        fix = problem.fix
    }
}
