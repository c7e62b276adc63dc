public import Samples

extension Authority {
    /// The decisions about a client, or about all when `client` is `nil`.
    public func records(of client: String? = nil) -> [PermissionRecord] {
        (client.map { [$0] } ?? permissions.clients()).flatMap { permissions.all(of: $0) }
    }

    /// The declared privileges that nobody has decided for this app.
    ///
    /// An update that asks for nothing new or wider has none.
    public func undecided(_ declared: [Privilege], by app: String) -> [Privilege] {
        let client = Client(name: app, kind: .app, run: nil)
        return declared.filter { permissions.isUndecided($0, by: client, at: now()) }
    }

    /// How a client stands with a sensor; `nil` when nothing was ever decided about it.
    public func permission(of client: Client, for sensor: SensorID) -> SensorPermission? {
        if client.kind == .owner { return .granted }
        let isKnown = permissions.all(of: client.name).contains { record in
            record.privilege.sensor?.covers(sensor) == true
        }
        guard isKnown else { return nil }
        let request = AccessRequest("permission", of: sensor, .raw)
        switch permissions.verdict(on: request, by: client, at: now()) {
        case .granted: return .granted
        case .statisticsOnly: return .statistics
        case .denied:
            let stats = AccessRequest("permission", of: sensor, .stats)
            guard case .granted = permissions.verdict(on: stats, by: client, at: now()) else {
                return .denied
            }
            return .statistics
        case .undecided: return .prompt
        }
    }

    /// Keeps a decision; it is in force when this returns.
    ///
    /// - Parameter run: the run that `allowOnce` and `denyOnce` are for.
    /// - Throws: `notFound` when the client does not exist, `storeFailed` when it cannot be kept.
    public func decide(
        _ decision: Decision, on privilege: PrivilegeID, by client: String, run: String? = nil
    ) async throws(AuthError) {
        guard clients[client] != nil else {
            throw AuthError(
                .notFound, "There is no app or client named \(client).",
                hint: "List the apps with: nervous apps")
        }
        let terms = terms(decision, privilege)
        let isOnce = decision == .allowOnce || decision == .denyOnce
        let record = PermissionRecord(
            client: client, privilege: privilege, state: terms == nil ? .denied : .granted,
            terms: terms, run: isOnce ? run ?? "once" : nil, decided: now())
        do {
            try await database.keep(record)
        } catch {
            throw AuthError(wrapping: error, while: "keeping a decision")
        }
        permissions.insert(record)
    }

    /// Forgets the decision about a privilege, or about all of a client's, so that it is asked again.
    public func reset(
        _ privilege: PrivilegeID?, of client: String
    ) async throws(AuthError) {
        guard clients[client] != nil else {
            throw AuthError(.notFound, "There is no app or client named \(client).")
        }
        do {
            for record in permissions.all(of: client)
            where privilege == nil || record.privilege == privilege {
                try await database.removePermission(of: client, record.privilege)
                permissions.remove(record.privilege, of: client)
            }
        } catch {
            throw AuthError(wrapping: error, while: "forgetting a decision")
        }
    }

    private func terms(_ decision: Decision, _ privilege: PrivilegeID) -> Terms? {
        let access = privilege.access ?? .raw
        switch decision {
        case .deny, .denyOnce: return nil
        case .allowOnce, .allowAlways: return Terms(access: access)
        case .statisticsOnly: return Terms(access: .stats)
        case .allow(let terms): return terms
        }
    }
}
