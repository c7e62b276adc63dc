/// A list as the API gives it.
public struct ItemList<Item: Codable & Sendable>: Codable, Sendable {
    public let items: [Item]
    /// Where the next page begins; not there on the last.
    public let next: String?

    init(_ items: [Item], next: String? = nil) {
        self.items = items
        self.next = next
    }
}
