import Text

/// What an app says to the person: a few words on one line each, harmless to show anywhere.
///
/// Control, bidirectional and invisible characters are escaped; line breaks become spaces.
public struct AppMessage: Hashable, Sendable {
    /// The most columns of a title and of a body; where something was cut the last is `…`.
    public static let titleLimit = 100
    public static let bodyLimit = 500
    /// The most bytes of a tag.
    public static let tagLimit = 64

    public let app: String
    /// The run or the open page that it came from.
    public let run: String?
    public let title: String
    public let body: String?
    /// What it is about: a later message of the same app and tag takes the place of this one.
    public let tag: String?

    /// - Throws: `invalidMessage` without a title, or with a tag that is too long.
    init(
        from client: Client, title: String, body: String?, tag: String?
    ) throws(AuthError) {
        self.app = client.name
        self.run = client.run
        self.title = Self.shown(title, limit: Self.titleLimit)
        self.body = body.map { Self.shown($0, limit: Self.bodyLimit) }
        self.tag = tag
        guard !self.title.isEmpty else {
            throw AuthError(.invalidMessage, "A message needs a title.")
        }
        guard tag?.utf8.count ?? 0 <= Self.tagLimit else {
            throw AuthError(.invalidMessage, "A tag has at most \(Self.tagLimit) bytes.")
        }
    }

    /// The text in one line; whatever is longer than can be shown is not looked at.
    private static func shown(_ text: String, limit: Int) -> String {
        let words = text.unicodeScalars.prefix(limit * 8).split {
            "\n\r\t ".unicodeScalars.contains($0)
        }
        return words.map { String($0) }.joined(separator: " ").escapedForDisplay(limit: limit)
    }
}
