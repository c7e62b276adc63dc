extension Authority {
    /// What is known of an app since it was admitted last.
    struct AdmittedApp: Hashable {
        var identity: String
        /// What it declared; `nil` where that was not kept.
        var privileges: [Privilege]?
        /// Whether it is asked for what it uses when it uses it.
        var asksAtFirstUse = false
    }

    /// Makes an app known as it is now, so that decisions about it can be kept.
    ///
    /// An app of another identity than the one before inherits nothing: decisions, tokens and launch
    /// codes end. One of the same identity keeps what was decided about what it still declares.
    ///
    /// - Parameter before: what it declared before, where that was not kept here.
    /// - Throws: `nameTaken` when a program of the owner's has the name.
    public func admit(
        _ app: DeclaredApp, before: [Privilege]? = nil
    ) async throws(AuthError) {
        try await inTurn { () async throws(AuthError) in try await put(app, before: before) }
    }

    private func put(
        _ app: DeclaredApp, before: [Privilege]?
    ) async throws(AuthError) {
        try await admit(app: app.name)
        let known = apps[app.name] ?? AdmittedApp(identity: "")
        let now = AdmittedApp(
            identity: app.identity, privileges: app.privileges, asksAtFirstUse: app.asksAtFirstUse)
        guard known != now else { return }
        let kept = permissions.all(of: app.name)
        let records = change(to: app, before: before)?.records(after: kept) ?? []
        do {
            try await database.keep(app, removing: kept, adding: records)
        } catch {
            throw AuthError(wrapping: error, while: "admitting \(app.name)")
        }
        // What was forgotten meanwhile must not come back.
        guard clients[app.name] == .app else {
            throw AuthError(.notFound, "\(app.name) was removed.")
        }
        // Another version was admitted meanwhile; what is kept must be what is in force.
        guard apps[app.name] ?? AdmittedApp(identity: "") == known else {
            return try await put(app, before: before)
        }
        apps[app.name] = now
        for record in kept where !records.contains(record) {
            permissions.remove(record.privilege, of: app.name)
            await log.note(.reset(record.privilege, of: app.name))
        }
        for record in records where !kept.contains(record) { permissions.insert(record) }
        guard known.identity != app.identity else { return }
        permissions.remove(client: app.name)
        refusals.remove(client: app.name)
        tokens.remove(client: app.name)
        dropRequests { $0.name == app.name }
        launches = launches.filter { $0.value.app != app.name }
        try await eraseStorage(of: app.name)
    }

    /// How the privileges of an app stand, or would if it were admitted.
    public func standing(of app: DeclaredApp, before: [Privilege]? = nil) -> Standing {
        let change = change(to: app, before: before)
        let kept = permissions.all(of: app.name)
        let table = PermissionTable(change?.records(after: kept) ?? [], policy: policy)
        let client = Client(name: app.name, kind: .app, run: nil)
        let open = app.privileges.filter { table.isUndecided($0, by: client, at: now()) }
        let denied = app.privileges.filter { table.isDenied($0, to: client, at: now()) }
        // Another app under the name was not said no to.
        let exhausted = change == nil ? [] : open.filter { isExhausted($0, by: app.name) }
        let refused = Set(exhausted.map(\.id))
        let restricted = app.privileges.compactMap { privilege in
            policy.restriction(of: privilege.id).map { (privilege.id, $0) }
        }
        return Standing(
            change: change, undecided: Set(open.map(\.id)).subtracting(refused),
            denied: Set(denied.map(\.id)).union(refused), exhausted: refused,
            restricted: Dictionary(restricted) { first, _ in first })
    }

    /// What an app declares other than before; `nil` where it is another app.
    private func change(to app: DeclaredApp, before: [Privilege]?) -> DeclarationChange? {
        guard clients[app.name] == .app else { return nil }
        let known = apps[app.name] ?? AdmittedApp(identity: "")
        guard known.identity == app.identity else { return nil }
        let declared = known.privileges ?? before?.map { Privilege($0.resource, reason: "") }
        return DeclarationChange(from: declared ?? app.privileges, to: app.privileges)
    }
}
