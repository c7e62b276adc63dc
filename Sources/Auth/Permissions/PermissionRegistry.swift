import Samples
import Scheduling

/// Who made a decision.
enum Decider: Hashable {
    case owner
    /// The owner's policy broker, whose decisions hold for one run.
    case broker
}

/// The owner's decisions, in memory and in the database.
///
/// Owned by `Authority`; its functions run on that actor. Changes are made one after another, so
/// that memory, database and log agree on their order.
final class PermissionRegistry {
    private let store: DecisionStore
    private let clients: ClientRegistry
    private let tokens: TokenRegistry
    private let log: AccessLog
    private let time: any TimeSource
    private var table: PermissionTable
    private var denials: DenialTable

    init(
        _ table: PermissionTable, _ denials: DenialTable, store: DecisionStore,
        clients: ClientRegistry, tokens: TokenRegistry, log: AccessLog, time: any TimeSource
    ) {
        self.table = table
        self.denials = denials
        self.store = store
        self.clients = clients
        self.tokens = tokens
        self.log = log
        self.time = time
    }

    /// The decisions as of now.
    var current: Permissions { Permissions(table, denials, at: time.now()) }

    /// The states that the privileges of an app have or, if it is not admitted, would have.
    ///
    /// - Parameter before: the privileges that the app declared earlier, if none were recorded when it was
    ///   admitted.
    func status(of app: DeclaredApp, before: [Privilege]?) -> PrivilegeStatus {
        let change = change(to: app, before: before)
        let after = PermissionTable(records(of: app, after: change), policy: table.policy)
        let client = Client(name: app.name, kind: .app, run: nil)
        let open = app.privileges.filter { after.isUndecided($0, by: client, at: time.now()) }
        let denied = app.privileges.filter { after.isDenied($0, to: client, at: time.now()) }
        // An app does not inherit the denials of another app of the same name.
        let exhausted =
            change == nil ? [] : open.filter { denials.final($0.id, of: app.name) != nil }
        let refused = Set(exhausted.map(\.id))
        let restricted = app.privileges.compactMap { privilege in
            table.policy.restriction(of: privilege.id).map { (privilege.id, $0) }
        }
        return PrivilegeStatus(
            change: change, undecided: Set(open.map(\.id)).subtracting(refused),
            denied: Set(denied.map(\.id)).union(refused), exhausted: refused,
            restricted: Dictionary(restricted) { first, _ in first })
    }

    // MARK: - Changing

    /// Stores a decision; it has taken effect when this returns.
    ///
    /// - Parameters:
    ///   - run: the run in which the owner was asked, and to which a decision for one run applies.
    ///   - isAnswer: whether the decision answers a prompt; only then a denial for one run is counted.
    ///   - choice: replaces the choice of the terms.
    nonisolated(nonsending) func decide(
        _ decision: Decision, on privilege: PrivilegeID, by client: String, run: String?,
        isAnswer: Bool, among choice: InstanceChoice?, decider: Decider = .owner
    ) async throws(AuthError) {
        try clients.checkClient(client)
        var terms = try decision.terms(for: privilege)
        if let choice { terms?.only = choice }
        if let terms { try check(terms, for: privilege) }
        let isOnce = decision.isOnce || decider == .broker
        if isOnce || run != nil { try check(run: run, of: client) }
        if isOnce, terms != nil { try checkUndenied(privilege, of: client) }
        let record = PermissionRecord(
            client: client, privilege: privilege, state: terms == nil ? .denied : .granted,
            terms: terms, run: isOnce ? run : nil, decided: time.now(),
            identity: clients.identity(of: client))
        let denial = isAnswer && decision == .denyOnce ? nextDenial(of: privilege, client) : nil
        // A decision for one run that comes from a flag does not change the count of denials.
        let resetsCount = denial == nil && (!isOnce || isAnswer)
        func apply() {
            table.insert(record)
            if let denial { denials.insert(denial) }
            if resetsCount { denials.remove(privilege, of: client) }
        }
        let isRevocation = table.isRestricted(by: record, at: time.now())
        // A revocation takes effect even if it cannot be stored.
        if isRevocation { apply() }
        do {
            try await store.store(
                record, counting: denial, resetsCount: resetsCount, isRevocation: isRevocation)
        } catch {
            guard isRevocation else {
                throw AuthError(wrapping: error, while: "storing a decision")
            }
            await log.note(.decided(record, by: decider))
            throw AuthError(unstored: error, "The decision about \(privilege) has taken effect")
        }
        // Client and run may have ended during the write.
        try clients.checkClient(client)
        guard record.identity == clients.identity(of: client) else {
            throw AuthError(.notFound, "There is no app or program named \(client).")
        }
        if isOnce { try check(run: run, of: client) }
        if !isRevocation { apply() }
        await log.note(.decided(record, by: decider))
    }

    /// Removes the decisions about a privilege, or all of a client.
    nonisolated(nonsending) func reset(
        _ privilege: PrivilegeID?, of client: String
    ) async throws(AuthError) {
        try clients.checkClient(client)
        let decided = table.all(of: client).map(\.privilege)
        let denied = denials.all(of: client).map(\.privilege)
        var removed: Set<PrivilegeID> = []
        var failure: AuthError?
        for found in decided + denied
        where (privilege == nil || found == privilege) && removed.insert(found).inserted {
            // If one removal cannot be stored, the other decisions must be removed nevertheless.
            do throws(AuthError) {
                try await remove(found, of: client)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Admits an app, and adapts the decisions to the privileges that it declares now.
    ///
    /// - Returns: whether its identity is new.
    nonisolated(nonsending) func admit(
        _ app: DeclaredApp, before: [Privilege]?
    ) async throws(AuthError) -> Bool {
        try await clients.add(app.name, as: .app)
        let known = clients.app(app.name)
        guard known != app.admitted else { return false }
        let kept = table.all(of: app.name)
        let records = records(of: app, after: change(to: app, before: before))
        guard try await clients.admit(app, removing: kept, adding: records) else {
            return try await admit(app, before: before)
        }
        for record in kept where !records.contains(record) {
            table.remove(record.privilege, of: app.name)
            await log.note(.reset(record.privilege, of: app.name))
        }
        for record in records where !kept.contains(record) { table.insert(record) }
        guard known.identity != app.identity else { return false }
        remove(client: app.name)
        return true
    }

    /// Replaces the policy; decisions stay stored.
    func apply(_ policy: Policy) { table.policy = policy }

    func remove(client: String) {
        table.remove(client: client)
        denials.remove(client: client)
    }

    func remove(run: String) { table.remove(run: run) }

    // MARK: - Private

    /// Removes the decisions about one privilege.
    nonisolated(nonsending) private func remove(
        _ privilege: PrivilegeID, of client: String
    ) async throws(AuthError) {
        // Removing a grant revokes it; removing a denial may allow more.
        let isRevocation = !table.all(of: client).contains {
            $0.privilege == privilege && $0.state == .denied
        }
        func apply() {
            table.remove(privilege, of: client)
            denials.remove(privilege, of: client)
        }
        if isRevocation { apply() }
        do {
            try await store.remove(privilege, of: client, isRevocation: isRevocation)
        } catch {
            guard isRevocation else {
                throw AuthError(wrapping: error, while: "removing a decision")
            }
            await log.note(.reset(privilege, of: client))
            throw AuthError(unstored: error, "The decision about \(privilege) is removed")
        }
        if !isRevocation { apply() }
        await log.note(.reset(privilege, of: client))
    }

    /// The difference to the admitted declaration; `nil` for an unknown app or another identity.
    private func change(to app: DeclaredApp, before: [Privilege]?) -> DeclarationChange? {
        guard clients.kind(of: app.name) == .app else { return nil }
        let known = clients.app(app.name)
        guard known.identity == app.identity else { return nil }
        let declared = known.privileges ?? before?.map { Privilege($0.resource, reason: "") }
        return DeclarationChange(from: declared ?? app.privileges, to: app.privileges)
    }

    private func records(
        of app: DeclaredApp, after change: DeclarationChange?
    ) -> [PermissionRecord] {
        change?.records(after: table.all(of: app.name)) ?? []
    }

    private func nextDenial(of privilege: PrivilegeID, _ client: String) -> DenialCount {
        DenialCount(
            client: client, privilege: privilege,
            count: denials.count(privilege, of: client) + 1, last: time.now())
    }

    /// Checks that no lasting denial covers a part of a grant for one run.
    ///
    /// - Throws: `denied`.
    private func checkUndenied(_ privilege: PrivilegeID, of client: String) throws(AuthError) {
        let client = Client(name: client, kind: .app, run: nil)
        let verdict: PermissionTable.Verdict
        if let sensor = privilege.sensor, let access = privilege.access {
            verdict = table.verdict(
                on: AccessRequest("decide", of: sensor, access), by: client, at: time.now())
        } else {
            verdict = table.verdict(on: privilege, by: client, at: time.now())
        }
        guard case .denied(let denied) = verdict else { return }
        throw AuthError(
            .denied,
            "You have denied \(denied) to \(client.name); a decision for one run cannot change that.",
            hint: "Remove the denial with: nervous permissions reset \(client.name) \(denied)",
            privilege: privilege)
    }

    /// - Throws: `notFound` unless the run is in progress.
    private func check(run: String?, of client: String) throws(AuthError) {
        guard let run, tokens.isRunning(run, of: client) else {
            throw AuthError(.notFound, "There is no run \(run ?? "") of \(client) to decide for.")
        }
    }

    /// - Throws: `restricted` if the policy blocks the privilege; `invalidPrivilege` if the terms name
    ///   sensors of another kind, no sensor or too many.
    private func check(_ terms: Terms, for privilege: PrivilegeID) throws(AuthError) {
        guard let kind = privilege.sensor else {
            try table.policy.check(privilege)
            guard terms.only == nil else { throw .notCovered(privilege) }
            return
        }
        try table.policy.check(PrivilegeID.sensor(kind, terms.access))
        guard let choice = terms.only else { return }
        let all = choice.chosen + choice.excluded
        guard all.allSatisfy(kind.covers) else { throw .notCovered(privilege) }
        guard !choice.chosen.isEmpty, all.count <= InstanceChoice.limit else {
            throw AuthError(
                .invalidPrivilege,
                "Choose at least one sensor; a choice names at most \(InstanceChoice.limit).")
        }
        for sensor in choice.chosen {
            try table.policy.check(PrivilegeID.sensor(sensor, terms.access))
        }
    }
}

extension AuthError {
    fileprivate static func notCovered(_ privilege: PrivilegeID) -> AuthError {
        AuthError(
            .invalidPrivilege, "\(privilege) can be granted only for sensors that it covers.",
            hint: "List them with: nervous sensors")
    }
}
