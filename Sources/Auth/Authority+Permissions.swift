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
        return declared.filter {
            permissions.isUndecided($0, by: client, at: now()) && !isExhausted($0, by: app)
        }
    }

    /// How a client stands with a sensor; `nil` when nothing was ever decided about it, or the person
    /// chose others of its kind.
    public func permission(of client: Client, for sensor: SensorID) -> SensorPermission? {
        if client.kind == .owner { return .granted }
        let isKnown = permissions.all(of: client.name).contains { record in
            record.privilege.sensor?.covers(sensor) == true
                && record.opinion(on: sensor) == .chosen
        }
        guard isKnown else { return nil }
        let request = AccessRequest("permission", of: sensor, .raw)
        switch permissions.verdict(on: request, by: client, at: now()) {
        case .granted: return .granted
        case .statisticsOnly: return .statistics
        case .notInBackground, .elsewhere: return .denied
        case .denied, .restricted:
            let stats = AccessRequest("permission", of: sensor, .stats)
            guard case .granted = permissions.verdict(on: stats, by: client, at: now()) else {
                return .denied
            }
            return .statistics
        case .undecided: return .prompt
        }
    }

    /// Whether a client may learn when the newest sample of a sensor was taken: it may read every one.
    public func seesNewest(of sensor: SensorID, _ client: Client) -> Bool {
        if client.kind == .owner { return true }
        let samples = PrivilegeID(sensor: sensor, access: .raw)
        guard case .granted(let terms) = verdict(on: samples, by: client) else { return false }
        return terms.maximumRate == nil && terms.history == nil
    }

    /// Whether the person has refused a privilege that an app declares, or one that it is part of, or
    /// the policy keeps it from everybody.
    public func isDenied(_ declared: Privilege, to app: String) -> Bool {
        let client = Client(name: app, kind: .app, run: nil)
        return permissions.isDenied(declared, to: client, at: now())
            || permissions.isUndecided(declared, by: client, at: now())
                && isExhausted(declared, by: app)
    }

    /// Keeps a decision; it is in force when this returns.
    ///
    /// A lasting decision also takes the place of those for single runs.
    ///
    /// - Parameters:
    ///   - run: the run that `allowOnce` and `denyOnce` are for, and that any decision was made in; it
    ///     must be going on still, so that no answer is another app's.
    ///   - isAnswer: whether the person gave it when asked: who says no twice is not asked again.
    ///   - choice: the instances that it is given for, where not in the terms; `nil` for all.
    /// - Throws: `notFound` when the client or the run does not exist, `invalidPrivilege` when the
    ///   terms give what the privilege does not, or sensors of another kind; `restricted` when the policy lets nobody have what is
    ///   given, `storeFailed` when it cannot be kept.
    public func decide(
        _ decision: Decision, on privilege: PrivilegeID, by client: String, run: String? = nil,
        isAnswer: Bool = false, among choice: InstanceChoice? = nil
    ) async throws(AuthError) {
        try await inTurn { () async throws(AuthError) in
            let record = try await keep(
                decision, on: privilege, by: client, run: run, isAnswer: isAnswer, choice)
            await log.note(.decided(record))
        }
    }

    private func keep(
        _ decision: Decision, on privilege: PrivilegeID, by client: String, run: String?,
        isAnswer: Bool, _ choice: InstanceChoice?
    ) async throws(AuthError) -> PermissionRecord {
        guard clients[client] != nil else {
            throw AuthError(
                .notFound, "There is no app or client named \(client).",
                hint: "List the apps with: nervous apps")
        }
        var terms = try terms(decision, privilege)
        if let choice { terms?.only = choice }
        if let terms {
            let given = privilege.sensor.map { PrivilegeID(sensor: $0, access: terms.access) }
            try checkRestriction(of: given ?? privilege)
            if let choice = terms.only { try check(choice, privilege, terms.access) }
        }
        let isOnce = decision == .allowOnce || decision == .denyOnce
        if isOnce || run != nil { try checkRun(run, of: client) }
        var record = PermissionRecord(
            client: client, privilege: privilege, state: terms == nil ? .denied : .granted,
            terms: terms, run: isOnce ? run : nil, decided: now())
        record.identity = apps[client]?.identity ?? ""
        let refusal = refusal(decision, privilege, client, isAnswer: isAnswer)
        // What a flag says for one run is no answer, and leaves what was answered.
        let isNewMind = !isOnce || isAnswer
        do {
            try await database.keep(record)
            if let refusal {
                try await database.keep(refusal)
            } else if isNewMind {
                try await database.removeRefusal(of: client, privilege)
            }
        } catch {
            throw AuthError(wrapping: error, while: "keeping a decision")
        }
        // What was forgotten meanwhile must not come back.
        guard clients[client] != nil, record.identity == apps[client]?.identity ?? "" else {
            throw AuthError(.notFound, "There is no app or client named \(client).")
        }
        if isOnce { try checkRun(run, of: client) }
        permissions.insert(record)
        if let refusal {
            refusals.insert(refusal)
        } else if isNewMind {
            refusals.remove(privilege, of: client)
        }
        dropAnswered(by: client)
        return record
    }

    /// Forgets the decision about a privilege, or about all of a client's, so that it is asked again.
    public func reset(
        _ privilege: PrivilegeID?, of client: String
    ) async throws(AuthError) {
        try await inTurn { () async throws(AuthError) in try await forget(privilege, of: client) }
    }

    private func forget(
        _ privilege: PrivilegeID?, of client: String
    ) async throws(AuthError) {
        guard clients[client] != nil else {
            throw AuthError(.notFound, "There is no app or client named \(client).")
        }
        var told: Set<PrivilegeID> = []
        do {
            for record in permissions.all(of: client)
            where privilege == nil || record.privilege == privilege {
                try await database.removePermission(of: client, record.privilege)
                permissions.remove(record.privilege, of: client)
                await log.note(.reset(record.privilege, of: client))
                told.insert(record.privilege)
            }
            for refusal in refusals.all(of: client)
            where privilege == nil || refusal.privilege == privilege {
                try await database.removeRefusal(of: client, refusal.privilege)
                refusals.remove(refusal.privilege, of: client)
                guard told.insert(refusal.privilege).inserted else { continue }
                await log.note(.reset(refusal.privilege, of: client))
            }
        } catch {
            throw AuthError(wrapping: error, while: "forgetting a decision")
        }
    }

    private func checkRun(_ run: String?, of client: String) throws(AuthError) {
        let isGoing = tokens.all.contains { $0.client.name == client && $0.client.run == run }
        guard run != nil, isGoing else {
            throw AuthError(.notFound, "There is no run \(run ?? "") of \(client) to decide for.")
        }
    }

    /// Passes a choice of sensors that the privilege is about, each of which may be given.
    private func check(
        _ choice: InstanceChoice, _ privilege: PrivilegeID, _ access: Access
    ) throws(AuthError) {
        let all = choice.chosen + choice.passedOver
        guard let kind = privilege.sensor, all.allSatisfy(kind.covers) else {
            throw AuthError(
                .invalidPrivilege, "\(privilege) can be given only for sensors that it is about.",
                hint: "List them with: nervous sensors")
        }
        guard !choice.chosen.isEmpty, all.count <= InstanceChoice.limit else {
            throw AuthError(
                .invalidPrivilege,
                "A choice names at least one sensor, and is made among \(InstanceChoice.limit) at"
                    + " most.")
        }
        for sensor in choice.chosen {
            try checkRestriction(of: PrivilegeID(sensor: sensor, access: access))
        }
    }

    private func terms(
        _ decision: Decision, _ privilege: PrivilegeID
    ) throws(AuthError) -> Terms? {
        let terms: Terms
        switch decision {
        case .deny, .denyOnce: return nil
        case .allowOnce, .allowAlways: return Terms(access: privilege.access ?? .raw)
        case .statisticsOnly: terms = Terms(access: .stats)
        case .allow(let given): terms = given
        }
        guard privilege.access?.includes(terms.access) == true else {
            throw AuthError(
                .invalidPrivilege, "\(privilege) cannot be given as \(terms.access.rawValue).")
        }
        return terms
    }
}
