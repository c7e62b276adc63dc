/// What nobody is given on this machine, whatever anybody decides.
///
/// Decisions that were made before stay, and hold again once it is lifted.
public struct Policy: Hashable, Sendable {
    /// In the order of the files.
    public var restrictions: [Restriction]

    /// - Parameter restrictions: none where nobody has written a policy.
    public init(_ restrictions: [Restriction] = []) {
        self.restrictions = restrictions
    }

    /// What keeps a privilege from everybody; `nil` where nothing does.
    public func restriction(of privilege: PrivilegeID) -> Restriction? {
        restrictions.first { $0.covers(privilege) }
    }
}
