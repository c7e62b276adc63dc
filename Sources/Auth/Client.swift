/// Someone who holds a token.
public struct Client: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable {
        /// The person, who may do everything.
        case owner
        /// An installed app.
        case app
        /// A program of the person's own, such as `curl`.
        case client
    }

    public let name: String
    public let kind: Kind
    /// The run that the token was made for; `nil` for tokens that are not a run's.
    public let run: String?
    /// Whether a person watches: a run in the foreground, or an open page.
    ///
    /// A program of the person's own is never taken to be watched.
    public let isWatched: Bool

    init(name: String, kind: Kind, run: String?, isWatched: Bool = true) {
        self.name = name
        self.kind = kind
        self.run = run
        self.isWatched = isWatched && run != nil
    }

    public static let owner = Client(name: "owner", kind: .owner, run: nil)
}
