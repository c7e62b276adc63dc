/// How the privileges that an app declares stand.
public struct Standing: Hashable, Sendable {
    /// How what it declares differs from what was known of it; `nil` where nothing was known, or
    /// only of another app under its name.
    public let change: DeclarationChange?
    /// Those that nobody has decided.
    public let undecided: Set<PrivilegeID>
    /// Those that the person has refused, with those that are not asked again.
    public let denied: Set<PrivilegeID>
    /// Those that the person said no to so often that they are not asked again.
    public let exhausted: Set<PrivilegeID>
    /// Those that the policy keeps from everybody, and what says so; they are among `denied`.
    public let restricted: [PrivilegeID: Restriction]
}
