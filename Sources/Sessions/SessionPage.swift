/// Some of the sessions of a book.
public struct SessionPage: Sendable {
    /// The newest first.
    public let records: [SessionRecord]
    /// The identifier to go on after; `nil` on the last page.
    public let next: String?
}
