import Samples

/// What apps ask for while they run, and how the person answers.
extension Authority {
    // MARK: - The person

    /// What apps want and nobody has answered, the oldest first.
    public func pendingRequests() -> [PendingRequest] {
        requests.all(at: now())
    }

    /// What a run asks for, as it asks; ends with the run or with `unwatchRequests`.
    public func watchRequests(of run: String) -> AsyncStream<PendingRequest> {
        requests.watch(run)
    }

    public func unwatchRequests(of run: String) {
        requests.unwatch(run)
    }

    /// Says that nobody answers now: calls that wait are refused, and an answer may come later.
    ///
    /// - Throws: `notFound` when nothing like it is open.
    public func leaveUnanswered(
        _ privilege: PrivilegeID, of client: String
    ) throws(AuthError) {
        let keys = requests.keys(of: client, privilege)
        guard !keys.isEmpty else {
            throw AuthError(.notFound, "\(client) does not ask for \(privilege) now.")
        }
        for key in keys { requests.giveUp(key) }
    }

    // MARK: - Apps

    /// How a privilege stands for a client; what was granted as statistics is no grant of samples.
    public func state(of privilege: PrivilegeID, for client: Client) -> PermissionState {
        if client.kind == .owner { return .granted }
        if case .granted = verdict(on: privilege, by: client) { return .granted }
        // The name of several that it may use; which one, it has to say.
        if case .elsewhere(_, let chosen) = verdict(on: privilege, by: client),
            let sensor = privilege.sensor, chosen.contains(where: sensor.covers)
        {
            return .granted
        }
        return mayAsk(privilege, of: client) ? .prompt : .denied
    }

    /// Puts to the person what an app asks for, and waits for the answer for a while.
    ///
    /// - Returns: how it stands then; `prompt` when nobody has answered yet.
    /// - Throws: `undeclared` for what the app has not declared, unless it was written before apps
    ///   declared anything; as `identify`.
    public func request(
        _ privilege: PrivilegeID, token: String?, name: String?, isAvailable: Bool
    ) async throws(AuthError) -> PermissionState {
        let client = try await identify(token: token, name: name, operation: "request")
        guard client.kind == .app, mayAsk(privilege, of: client) else {
            return state(of: privilege, for: client)
        }
        let declared = apps[client.name]?.privileges ?? []
        guard asksAtFirstUse(client) || declared.contains(where: { $0.id.covers(privilege) }) else {
            throw AuthError(
                .undeclared, "\(client.name) does not declare \(privilege) in its package.json.",
                hint: "Its author has to add it to the privileges, with a reason.",
                privilege: privilege)
        }
        if privilege.isGivable, isAvailable { await awaitAnswer(privilege, client, isUrgent: true) }
        return state(of: privilege, for: client)
    }

    /// Whether the holder of a token may use something other than a sensor now.
    ///
    /// - Throws: as the other `checkApp`.
    public func checkApp(
        token: String?, name: String?, requested privilege: PrivilegeID, operation: String
    ) async throws(AuthError) -> Client {
        var client = try await identify(token: token, name: name, operation: operation)
        if client.kind == .owner { return client }
        if asksAtFirstUse(client), mayAsk(privilege, of: client) {
            await awaitAnswer(privilege, client)
            // While the person thought about it, the token may have ended.
            client = try await identify(token: token, name: name, operation: operation)
        }
        if case .granted = verdict(on: privilege, by: client) {
            await log.record(use: privilege, operation, by: client.name)
            return client
        }
        guard policy.restriction(of: privilege) == nil else {
            throw await restricted(privilege, client, operation: operation)
        }
        let isOpen = mayAsk(privilege, of: client)
        throw await refuse(
            privilege, client, operation: operation, isOpen ? .undecided : .denied,
            isOpen
                ? "Nobody has allowed \(privilege) to \(client.name)."
                : "You have denied \(privilege) to \(client.name).")
    }

    // MARK: - Waiting

    func asksAtFirstUse(_ client: Client) -> Bool {
        client.kind == .app && apps[client.name]?.asksAtFirstUse == true
    }

    /// Waits until the person has answered, nobody can, or too much time has gone by.
    func awaitAnswer(
        _ privilege: PrivilegeID, _ client: Client, isUrgent: Bool = false
    ) async {
        let key = RequestTable.Key(client: client, privilege: privilege)
        guard let answers = requests.wait(for: key, isUrgent: isUrgent, at: now()) else { return }
        let (patience, pause) = (patience, pause)
        let isAnswered = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in answers {}
                return true
            }
            group.addTask {
                try? await pause(patience)
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            return first
        }
        if !isAnswered { requests.giveUp(key) }
    }

    /// Ends the requests of some clients, and lets go of the calls that wait for them.
    func dropRequests(where isDropped: (Client) -> Bool) {
        requests.drop { isDropped($0.client) }
    }

    /// Ends what has an answer now.
    func dropAnswered(by client: String) {
        requests.drop { $0.client.name == client && !mayAsk($0.privilege, of: $0.client) }
    }

    func verdict(
        on privilege: PrivilegeID, by client: Client
    ) -> PermissionTable.Verdict {
        guard let sensor = privilege.sensor, let access = privilege.access else {
            return permissions.verdict(on: privilege, by: client, at: now())
        }
        let request = meant(AccessRequest("state", of: sensor, access), by: client)
        return permissions.verdict(on: request, by: client, at: now())
    }
}
