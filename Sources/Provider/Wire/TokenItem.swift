import Auth
import Samples

/// A token as the API tells of it, without the token.
public struct TokenItem: Codable, Sendable {
    public let name: String
    /// Whether it may do everything that the owner may.
    public let owner: Bool
    /// Milliseconds since 1970.
    public let created: Double
    public let expires: Double?

    init(_ record: TokenRecord) {
        name = record.client.name
        owner = record.client.kind == .owner
        created = record.created.milliseconds
        expires = record.expires?.milliseconds
    }
}
