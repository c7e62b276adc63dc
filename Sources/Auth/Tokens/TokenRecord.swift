import Foundation
public import Samples

/// What is kept of a token: everything but the token.
public struct TokenRecord: Hashable, Sendable {
    /// A short name to list and revoke it by.
    public let id: String
    public let client: Client
    public let created: Timestamp
    /// When it stops working; `nil` for never.
    public let expires: Timestamp?

    let digest: Data
}
