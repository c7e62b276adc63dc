/// How the privileges that an app declares stand.
public struct Standing: Hashable, Sendable {
    /// How what it declares differs from what was known of it; `nil` where nothing was known, or
    /// only of another app under its name.
    public let change: DeclarationChange?
    /// Those that nobody has decided.
    public let undecided: Set<PrivilegeID>
    /// Those that the person has refused.
    public let denied: Set<PrivilegeID>
}
