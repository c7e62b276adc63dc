import Addresses
import Samples

/// Identifies callers and checks what they may do; apps that ask at first use wait for the owner.
///
/// Owned by `Authority`; its functions run on that actor.
final class AccessChecker {
    private static let fetch = "fetch"

    private let clients: ClientRegistry
    private let tokens: TokenRegistry
    private let permissions: PermissionRegistry
    private let requests: RequestTable
    private let refusals: RefusalReporter
    private let log: AccessLog

    init(
        clients: ClientRegistry, tokens: TokenRegistry, permissions: PermissionRegistry,
        requests: RequestTable, refusals: RefusalReporter, log: AccessLog
    ) {
        self.clients = clients
        self.tokens = tokens
        self.permissions = permissions
        self.requests = requests
        self.refusals = refusals
        self.log = log
    }

    /// The client that a token belongs to.
    ///
    /// - Parameter request: what the token is used for, if that is a sensor.
    nonisolated(nonsending) func identify(
        token: String?, name: String?, for request: AccessRequest? = nil, operation: String
    ) async throws(AuthError) -> Client {
        guard let token else {
            throw await refusals.wrongToken(
                .missingToken, "The call carried no token.", client: nil, request,
                operation: operation)
        }
        guard let client = tokens.client(of: token) else {
            throw await refusals.unknownToken(
                "The token is not known here: mistyped, expired or revoked.", request,
                operation: operation)
        }
        if let name, name != client.name {
            throw await refusals.wrongToken(
                .nameMismatch, "The token of \(client.name) was used in the name of \(name).",
                client: client.name, request, operation: operation)
        }
        return client
    }

    /// Checks the use of a sensor.
    nonisolated(nonsending) func check(
        token: String?, name: String?, _ requested: AccessRequest,
        isAvailable: @Sendable () async -> Bool
    ) async throws(AuthError) -> Grant {
        let privilege = requested.privilege
        var client = try await identify(
            token: token, name: name, for: requested, operation: requested.operation)
        if client.kind == .owner {
            let access = requested.access == .write ? Access.write : .raw
            return Grant(
                client: client.name, sensor: requested.sensor, terms: Terms(access: access))
        }
        if !requested.isContinuation, asksOwner(for: privilege, client), await isAvailable() {
            if asksOwner(for: privilege, client) { await requests.wait(for: privilege, client) }
            // The token may have been revoked during the wait.
            client = try await identify(
                token: token, name: name, for: requested, operation: requested.operation)
        }
        let permissions = permissions.current
        let request = permissions.resolve(requested, by: client)
        let verdict = permissions.verdict(on: request, by: client)
        if case .granted(let terms) = verdict {
            return Grant(
                client: client.name, run: client.run, sensor: request.sensor, terms: terms)
        }
        throw await refusals.refuse(
            request, client, after: verdict,
            denial: permissions.denial(of: request.sensor, to: client),
            isFinal: permissions.finalDenial(of: request.privilege, client.name))
    }

    /// Checks a call to a server.
    nonisolated(nonsending) func check(
        token: String?, name: String?, reaching origin: WebOrigin, isRedirect: Bool
    ) async throws(AuthError) -> OriginGrant {
        var client = try await identify(token: token, name: name, operation: Self.fetch)
        guard let privilege = PrivilegeID(reaching: origin) else {
            throw await refusals.refuse(
                .net, client, operation: Self.fetch, .invalidPrivilege,
                "No app may call \(origin).", hint: nil)
        }
        if client.kind == .owner, !isRedirect {
            return OriginGrant(client: client.name, origin: origin, pin: nil)
        }
        if !isRedirect, asksOwner(for: privilege, client) {
            await requests.wait(for: privilege, client)
            client = try await identify(token: token, name: name, operation: Self.fetch)
        }
        let permissions = permissions.current
        let verdict = permissions.verdict(on: privilege, by: client)
        if case .granted = verdict {
            let pin = clients.pin(of: origin, for: client)
            return OriginGrant(client: client.name, origin: origin, pin: pin)
        }
        if verdict == .undecided, client.kind == .app, !clients.declares(privilege, client) {
            throw await refusals.refuse(
                privilege, client, operation: Self.fetch, .undeclared,
                "\(client.name) does not declare \(origin) in its package.json.",
                hint: "Add to its privileges: { \"net\": [\"\(origin)\"], \"reason\": … }.")
        }
        throw await refusals.refuse(
            privilege, client, operation: Self.fetch, after: verdict,
            isFinal: permissions.finalDenial(of: privilege, client.name))
    }

    /// Checks the use of another privilege.
    nonisolated(nonsending) func check(
        token: String?, name: String?, _ privilege: PrivilegeID, operation: String
    ) async throws(AuthError) -> Client {
        var client = try await identify(token: token, name: name, operation: operation)
        if client.kind == .owner { return client }
        if asksOwner(for: privilege, client) {
            await requests.wait(for: privilege, client)
            client = try await identify(token: token, name: name, operation: operation)
        }
        let permissions = permissions.current
        let verdict = permissions.verdict(on: privilege, by: client)
        let reason: PermissionTable.Verdict
        switch verdict {
        case .granted:
            await log.record(use: privilege, operation, by: client.name)
            return client
        case .restricted, .notInBackground: reason = verdict
        case .denied, .undecided, .statisticsOnly, .notChosen:
            let canAsk = permissions.canAsk(for: privilege, client)
            reason = canAsk ? .undecided : .denied(privilege)
        }
        throw await refusals.refuse(
            privilege, client, operation: operation, after: reason, isFinal: nil)
    }

    /// Checks the use of one of several privileges: the first that is granted; if none is, the first
    /// that the app declares is asked for or refused.
    nonisolated(nonsending) func check(
        token: String?, name: String?, anyOf privileges: [PrivilegeID], operation: String
    ) async throws(AuthError) -> (client: Client, privilege: PrivilegeID) {
        let client = try await identify(token: token, name: name, operation: operation)
        let isGranted = { [permissions = permissions.current] (privilege: PrivilegeID) in
            permissions.state(of: privilege, for: client) == .granted
        }
        let chosen =
            privileges.first(where: isGranted)
            ?? privileges.first { clients.declares($0, client) } ?? privileges[0]
        let checked = try await check(
            token: token, name: name, chosen, operation: operation)
        return (checked, chosen)
    }

    /// Checks that a token is the owner's.
    nonisolated(nonsending) func checkOwner(
        token: String?, name: String?, operation: String
    ) async throws(AuthError) {
        let client = try await identify(token: token, name: name, operation: operation)
        guard client.kind == .owner else {
            throw await refusals.notOwner(client, operation: operation)
        }
    }

    /// Asks the owner for a privilege that an app declares, and waits for the decision.
    nonisolated(nonsending) func request(
        _ privilege: PrivilegeID, token: String?, name: String?, isAvailable: Bool
    ) async throws(AuthError) -> PermissionState {
        let client = try await identify(token: token, name: name, operation: "request")
        guard client.kind == .app, permissions.current.canAsk(for: privilege, client) else {
            return permissions.current.state(of: privilege, for: client)
        }
        guard clients.declares(privilege, client) else {
            throw AuthError(
                .undeclared, "\(client.name) does not declare \(privilege) in its package.json.",
                hint: "Add it to the privileges, with a reason.", privilege: privilege)
        }
        if privilege.isGrantable, isAvailable {
            await requests.wait(for: privilege, client, isUrgent: true)
        }
        return permissions.current.state(of: privilege, for: client)
    }

    /// The app of a launch code, which is used up.
    nonisolated(nonsending) func redeem(
        launchCode code: String, name: String?
    ) async throws(AuthError) -> String {
        guard let app = tokens.redeem(launchCode: code, for: name) else {
            throw await refusals.unknownToken(
                "The launch code is not valid: used, too old, or for another app.", nil,
                operation: "launch", hint: "Open the page again with: nervous open APP")
        }
        return app
    }

    /// Whether an undecided use leads to a question.
    private func asksOwner(for privilege: PrivilegeID, _ client: Client) -> Bool {
        clients.asksAtFirstUse(client) && permissions.current.canAsk(for: privilege, client)
    }
}
