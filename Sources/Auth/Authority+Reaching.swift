public import Addresses

/// Calls to other servers.
extension Authority {
    private static let fetching = "fetch"

    /// Whether the holder of a token may call a server now.
    ///
    /// Who was written before apps declared anything is asked for at first use, and the call waits. The
    /// owner may call what is named, and is not led elsewhere by it.
    ///
    /// - Parameter isRedirect: whether an answer led there, and not the caller: then nobody is asked.
    /// - Throws: `undeclared` for what an app has not declared and nobody has granted to it; as the
    ///   other `checkApp`.
    public func checkApp(
        token: String?, name: String?, reaching origin: WebOrigin, isRedirect: Bool = false
    ) async throws(AuthError) -> OriginGrant {
        var client = try await identify(token: token, name: name, operation: Self.fetching)
        guard let privilege = PrivilegeID(reaching: origin) else {
            throw await refuse(
                .net, client, operation: Self.fetching, .invalidPrivilege,
                "No app may call \(origin).")
        }
        if client.kind == .owner, !isRedirect {
            return OriginGrant(client: client.name, origin: origin, pin: nil)
        }
        if !isRedirect, asksAtFirstUse(client), mayAsk(privilege, of: client) {
            await awaitAnswer(privilege, client)
            // While the person thought about it, the token may have ended.
            client = try await identify(token: token, name: name, operation: Self.fetching)
        }
        switch verdict(on: privilege, by: client) {
        case .granted:
            return OriginGrant(client: client.name, origin: origin, pin: pin(of: origin, client))
        case .denied(let denied):
            throw await refuse(
                privilege, client, operation: Self.fetching, .denied,
                "You have denied \(denied) to \(client.name).")
        case .restricted: throw await restricted(privilege, client, operation: Self.fetching)
        case .notInBackground:
            throw await refuse(
                privilege, client, operation: Self.fetching, .notInBackground,
                "\(client.name) may use \(privilege) only while you watch it, and nobody does.")
        case .undecided, .statisticsOnly, .elsewhere: break
        }
        let declared = apps[client.name]?.privileges ?? []
        let isDeclared = asksAtFirstUse(client) || declared.contains { $0.id == privilege }
        guard client.kind != .app || isDeclared else {
            throw await refuse(
                privilege, client, operation: Self.fetching, .undeclared,
                "\(client.name) does not declare \(origin) in its package.json.",
                hint:
                    "Its author has to add the privilege { \"net\": [\"\(origin)\"], \"reason\": … }."
            )
        }
        guard mayAsk(privilege, of: client) else {
            throw await refuse(
                privilege, client, operation: Self.fetching, .denied,
                "You said no to \(privilege) for \(client.name) twice, so it is not asked again.",
                hint: "To be asked again: nervous permissions reset \(client.name)")
        }
        throw await refuse(
            privilege, client, operation: Self.fetching, .undecided,
            "Nobody has allowed \(privilege) to \(client.name).")
    }

    private func pin(of origin: WebOrigin, _ client: Client) -> CertificatePin? {
        for privilege in apps[client.name]?.privileges ?? [] {
            if case .net(origin, let pin) = privilege.resource { return pin }
        }
        return nil
    }
}
