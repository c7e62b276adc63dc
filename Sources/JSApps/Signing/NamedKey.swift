/// A key under the name that the person gave it.
public struct NamedKey: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The public key.
    public let key: SignerKey
    /// Whether the person can sign with it.
    public let isOwn: Bool
}
