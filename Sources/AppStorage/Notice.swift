public import Samples
import Text

/// A message for the owner: from an app, of an alert rule, or about a call that was refused because of its
/// token.
public struct Notice: Hashable, Sendable {
    /// The kind of notice.
    public enum Content: Hashable, Sendable {
        /// A message of an app.
        case message(AppMessage)
        /// A rule of the owner has fired or resolved; a later notice of the same rule replaces it.
        case alert(title: String, body: String, rule: String)
        /// A call whose token is missing, wrong or another client's: why it was refused, and the
        /// operation that was attempted.
        case refusal(message: String, operation: String)
    }

    /// Increases with each notice, also across restarts of the host.
    public let id: Int64
    /// When it was posted.
    public let time: Timestamp
    /// The kind of notice.
    public let content: Content
}

/// A message of an app for the owner: a title and perhaps a text, each on one line and safe to
/// display.
///
/// Control, bidirectional and invisible characters are escaped; line breaks become spaces.
public struct AppMessage: Hashable, Sendable {
    /// The maximum number of columns of a title; a longer one is cut and ends with `…`.
    public static let titleLimit = 100
    /// The maximum number of columns of a body; a longer one is cut and ends with `…`.
    public static let bodyLimit = 500
    /// The maximum number of bytes of a tag.
    public static let tagLimit = 64

    /// The sender's name.
    public let app: String
    /// The run or the open page that sent it.
    public let run: String?
    /// The title; not empty.
    public let title: String
    /// The text; `nil` for none.
    public let body: String?
    /// Identifies the subject: a later message of the same app and tag replaces this one.
    public let tag: String?

    /// Escapes and shortens the texts of an app.
    ///
    /// - Throws: `invalidMessage` without a title, or with a tag that is too long.
    public init(
        app: String, run: String?, title: String, body: String?, tag: String?
    ) throws(AppStorageError) {
        self.app = app
        self.run = run
        self.title = Self.escaped(title, limit: Self.titleLimit)
        self.body = body.map { Self.escaped($0, limit: Self.bodyLimit) }
        self.tag = tag
        guard !self.title.isEmpty else {
            throw AppStorageError(.invalidMessage, "A message needs a title.")
        }
        guard tag?.utf8.count ?? 0 <= Self.tagLimit else {
            throw AppStorageError(.invalidMessage, "A tag has at most \(Self.tagLimit) bytes.")
        }
    }

    /// The text on one line; reads no more of it than can be displayed.
    private static func escaped(_ text: String, limit: Int) -> String {
        let words = text.unicodeScalars.prefix(limit * 8).split {
            "\n\r\t ".unicodeScalars.contains($0)
        }
        return words.map { String($0) }.joined(separator: " ").escapedForDisplay(limit: limit)
    }
}
