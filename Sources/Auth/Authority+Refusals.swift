extension Authority {
    /// What the person said no to for single runs, of one client or of all.
    public func refusals(of client: String? = nil) -> [Refusal] {
        (client.map { [$0] } ?? refusals.clients()).flatMap { refusals.all(of: $0) }
    }

    /// Whether the person said no to a declared privilege so often that it is not asked again.
    public func isExhausted(_ declared: Privilege, by app: String) -> Bool {
        guard case .sensor(let sensor, let access) = declared.resource else {
            return refusals.isFinal(declared.id, of: app)
        }
        return refusals.final(AccessRequest("ask", of: sensor, access), of: app) != nil
    }

    /// Whether a request can still be put to the person.
    func mayAsk(_ request: AccessRequest, of client: Client) -> Bool {
        permissions.isOpen(request, by: client, at: now())
            && refusals.final(request, of: client.name) == nil
    }

    /// Whether a privilege can still be put to the person.
    func mayAsk(_ privilege: PrivilegeID, of client: Client) -> Bool {
        if let sensor = privilege.sensor, let access = privilege.access {
            return mayAsk(AccessRequest("ask", of: sensor, access), of: client)
        }
        return permissions.verdict(on: privilege, by: client, at: now()) == .undecided
            && !refusals.isFinal(privilege, of: client.name)
    }

    /// The refusal that an answer makes; `nil` when it is none.
    func refusal(
        _ decision: Decision, _ privilege: PrivilegeID, _ client: String, isAnswer: Bool
    ) -> Refusal? {
        guard isAnswer, decision == .denyOnce else { return nil }
        return Refusal(
            client: client, privilege: privilege,
            count: refusals.count(privilege, of: client) + 1, refused: now())
    }
}
