/// What an update does to one privilege.
public struct PrivilegeChange: Hashable, Sendable {
    /// How the privilege compares with what was declared before.
    public enum Kind: String, Hashable, Sendable {
        /// Nothing like it was declared.
        case added
        /// Less was declared: a narrower access, fewer sensors or fewer origins.
        case wider
        /// More was declared.
        case narrower
        case unchanged
        /// It was declared and is no longer.
        case removed
    }

    /// What is declared now, or was, for `removed`.
    public let privilege: Privilege
    public let kind: Kind
}
