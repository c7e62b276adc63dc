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

    public static let owner = Client(name: "owner", kind: .owner, run: nil)
}
