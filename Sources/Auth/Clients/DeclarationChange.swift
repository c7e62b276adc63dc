/// The difference between the privileges of two versions of an app, and its effect on decisions.
///
/// Decisions about equal or narrower privileges stay, narrowed to the new declaration. New and
/// wider privileges need a decision. Decisions about removed privileges are forgotten, so that a
/// later version that declares them again has to ask again.
///
/// ```swift
/// let change = DeclarationChange(from: old.privileges, to: new.privileges)
/// let wider = change.items.filter { $0.kind == .wider || $0.kind == .added }
/// ```
public struct DeclarationChange: Hashable, Sendable {
    /// The privileges of the new version, in order, then the removed ones.
    public let items: [PrivilegeChange]

    private let before: [Privilege]
    private let after: [Privilege]

    /// Compares two lists; reasons are ignored.
    public init(from before: [Privilege], to after: [Privilege]) {
        self.before = before
        self.after = after
        let declared = after.map { new in
            PrivilegeChange(privilege: new, kind: Self.kind(of: new, before: before))
        }
        let removed = before.filter { old in
            !after.contains { $0.covers(old) || old.covers($0) || $0.id == old.id }
        }
        items = declared + removed.map { PrivilegeChange(privilege: $0, kind: .removed) }
    }

    /// The decisions after the change; those for single runs do not change.
    func records(after records: [PermissionRecord]) -> [PermissionRecord] {
        let decided = Set(records.filter { $0.run == nil }.map(\.privilege))
        return records.flatMap { record -> [PermissionRecord] in
            guard record.run == nil, isAffected(record.privilege) else { return [record] }
            if isWithin(record.privilege) { return [record] }
            return after.filter { record.privilege.covers($0.id) && !decided.contains($0.id) }
                .compactMap { record.narrowed(to: $0.id) }
        }
    }

    private static func kind(of new: Privilege, before: [Privilege]) -> PrivilegeChange.Kind {
        if let same = before.first(where: { $0.id == new.id }) {
            return same.resource == new.resource
                ? .unchanged : same.covers(new) ? .narrower : .wider
        }
        if before.contains(where: { $0.covers(new) }) { return .narrower }
        return before.contains(where: new.covers) ? .wider : .added
    }

    /// Whether a decision concerns a privilege that was declared; an update changes no other decisions.
    private func isAffected(_ privilege: PrivilegeID) -> Bool {
        before.contains { $0.id.covers(privilege) || privilege.covers($0.id) }
    }

    /// Whether everything that a decision is about is still declared.
    private func isWithin(_ privilege: PrivilegeID) -> Bool {
        after.contains { new in
            // The same server with another pin needs a new decision.
            new.id.covers(privilege)
                && before.allSatisfy { $0.id != new.id || $0.id.sensor != nil || $0.covers(new) }
        }
    }
}

/// The change that an update makes to one privilege.
public struct PrivilegeChange: Hashable, Sendable {
    /// How the privilege compares with the earlier declaration.
    public enum Kind: String, Hashable, Sendable {
        /// No part of it was declared.
        case added
        /// Less was declared: a narrower access or fewer sensors.
        case wider
        /// More was declared.
        case narrower
        /// The same was declared.
        case unchanged
        /// It is no longer declared.
        case removed
    }

    /// As declared now; as declared before for `removed`.
    public let privilege: Privilege
    /// How it compares.
    public let kind: Kind
}

/// The state of the privileges that an app declares.
public struct PrivilegeStatus: Hashable, Sendable {
    /// The difference to the admitted version; `nil` for an unknown app or another identity.
    public let change: DeclarationChange?
    /// The privileges without a decision.
    public let undecided: Set<PrivilegeID>
    /// The denied privileges, including all in `exhausted` and `restricted`.
    public let denied: Set<PrivilegeID>
    /// The privileges that the owner denied for single runs so often that the owner is not asked again.
    public let exhausted: Set<PrivilegeID>
    /// The privileges that the policy blocks, each with the entry of the policy that blocks it.
    public let restricted: [PrivilegeID: Restriction]
}
