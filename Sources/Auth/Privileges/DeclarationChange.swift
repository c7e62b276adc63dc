import Samples

/// How what an app declares now differs from what it declared before, and what becomes of the
/// decisions.
///
/// Decisions about what is equal or narrower stay, cut to what is declared now. Nothing is granted
/// that was not: what is new or wider is asked for. What is no longer declared is forgotten, so that
/// a later update that wants it again asks again.
public struct DeclarationChange: Hashable, Sendable {
    /// Each privilege that is declared now, in order, then those that were.
    public let items: [PrivilegeChange]

    private let before: [Privilege]
    private let after: [Privilege]

    /// Compares two lists; the reasons do not count.
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

    /// The lasting decisions as they are after the change; those for single runs stay as they are.
    func records(after records: [PermissionRecord]) -> [PermissionRecord] {
        let decided = Set(records.filter { $0.run == nil }.map(\.privilege))
        return records.flatMap { record -> [PermissionRecord] in
            guard record.run == nil, isConcerned(record.privilege) else { return [record] }
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

    /// Whether a decision is about something that was declared; what the person decided beyond that
    /// is no update's business.
    private func isConcerned(_ privilege: PrivilegeID) -> Bool {
        before.contains { $0.id.covers(privilege) || privilege.covers($0.id) }
    }

    /// Whether all that a decision is about is still declared.
    private func isWithin(_ privilege: PrivilegeID) -> Bool {
        after.contains { new in
            // The same server with another certificate is another question.
            new.id.covers(privilege)
                && before.allSatisfy { $0.id != new.id || $0.id.sensor != nil || $0.covers(new) }
        }
    }
}

extension Privilege {
    /// Whether whoever may use this may use the other too.
    func covers(_ other: Privilege) -> Bool {
        if case .net = resource { return resource == other.resource }
        return id.covers(other.id)
    }
}

extension PrivilegeID {
    /// Whether whoever may use this may use the other too.
    func covers(_ other: PrivilegeID) -> Bool {
        guard let sensor, let access, let otherSensor = other.sensor, let otherAccess = other.access
        else { return self == other }
        return sensor.covers(otherSensor) && access.includes(otherAccess)
    }
}

extension PermissionRecord {
    /// The same decision about less; `nil` where it says nothing about that.
    fileprivate func narrowed(to privilege: PrivilegeID) -> PermissionRecord? {
        var terms = terms
        if let access = privilege.access, let given = terms?.access {
            guard given.includes(access) || access.includes(given) else { return nil }
            terms?.access = given.includes(access) ? access : given
        }
        if let choice = terms?.only, let sensor = privilege.sensor {
            guard let rest = choice.narrowed(to: sensor) else { return nil }
            terms?.only = rest
        }
        var record = PermissionRecord(
            client: client, privilege: privilege, state: state, terms: terms, run: run,
            decided: decided)
        record.identity = identity
        return record
    }
}
