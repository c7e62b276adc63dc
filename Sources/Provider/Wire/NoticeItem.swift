import AppStorage
import Auth
import Samples

/// Something that the person is told at once, as the API tells of it.
///
/// Its texts are harmless to show: what could move or hide others is escaped.
public struct NoticeItem: Codable, Sendable {
    /// `message` of an app, or `refusal` of a call with a wrong token.
    public let kind: String
    /// Milliseconds since 1970.
    public let time: Double
    /// Of a message: who says it; the host itself says the rest.
    public var app: String?
    public var run: String?
    public let title: String
    public var body: String?
    public var tag: String?
    /// Of a refusal: what was attempted.
    public var operation: String?

    init(_ notice: Notice) {
        time = notice.time.milliseconds
        switch notice.content {
        case .message(let message):
            kind = "message"
            (app, run) = (message.app, message.run)
            (title, body, tag) = (message.title, message.body, message.tag)
        case .refusal(let message, let operation):
            kind = "refusal"
            title = message
            self.operation = operation
        }
    }
}
