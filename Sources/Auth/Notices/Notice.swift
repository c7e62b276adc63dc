public import Samples

/// Something that the person is told at once.
public struct Notice: Hashable, Sendable {
    public enum Content: Hashable, Sendable {
        /// An app says something.
        case message(AppMessage)
        /// A call came with a token that is missing, wrong or another's: why it was refused, and what was
        /// attempted.
        case refusal(message: String, operation: String)
    }

    /// Grows with each notice, also from one host to the next.
    public let id: Int64
    public let time: Timestamp
    public let content: Content
}
