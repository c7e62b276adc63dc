import Addresses
import Health
import Samples

/// Identifies callers and checks their permissions; apps that ask at first use wait for the owner.
///
/// Owned by `Authority`; its functions run on that actor.
final class AccessChecker {
    private static let fetch = "fetch"

    private let clients: ClientRegistry
    private let tokens: TokenRegistry
    private let permissions: PermissionRegistry
    private let requests: RequestTable
    private let broker: BrokerDecisions
    private let refusals: RefusalReporter
    private let log: AccessLog

    init(
        clients: ClientRegistry, tokens: TokenRegistry, permissions: PermissionRegistry,
        requests: RequestTable, broker: BrokerDecisions, refusals: RefusalReporter,
        log: AccessLog
    ) {
        self.clients = clients
        self.tokens = tokens
        self.permissions = permissions
        self.requests = requests
        self.broker = broker
        self.refusals = refusals
        self.log = log
    }

    /// The client that a token belongs to.
    ///
    /// - Parameter request: the use of a sensor for which the token was sent, if any.
    nonisolated(nonsending) func identify(
        token: String?, name: String?, for request: AccessRequest? = nil, operation: String
    ) async throws(AuthError) -> Client {
        guard let token else {
            throw await refusals.wrongToken(
                .missingToken, "The call has no token.", client: nil, request,
                operation: operation)
        }
        guard let client = tokens.client(of: token) else {
            throw await refusals.unknownToken(
                "Unknown token: it is mistyped, expired or revoked.", request,
                operation: operation)
        }
        // Only apps and programs send a name with their token, never the owner's commands or dashboard.
        if let name, name != client.name || client.isCommand || client.isDashboard {
            throw await refusals.wrongToken(
                .nameMismatch, "The token of \(client.name) was used in the name of \(name).",
                client: client, request, operation: operation)
        }
        return client
    }

    /// Checks the use of a sensor.
    nonisolated(nonsending) func check(
        token: String?, name: String?, _ requested: AccessRequest,
        readable: @Sendable (SensorID) async -> [SensorID]
    ) async throws(AuthError) -> Grant {
        let privilege = requested.privilege
        var client = try await identify(
            token: token, name: name, for: requested, operation: requested.operation)
        // A stream or upload that continues keeps the sensor that its name first referred to.
        let found = requested.isContinuation ? [] : await self.readable(for: requested, readable)
        if client.kind == .owner {
            let access = requested.access == .write ? Access.write : .raw
            let sensor = try await resolve(requested, client, among: found, permissions.current)
                .sensor
            return Grant(to: client, sensor: sensor, terms: Terms(access: access))
        }
        if !found.isEmpty, asksOwner(for: requested, client, among: found) {
            await ask(for: privilege, client)
            // The token may have been revoked during the wait.
            client = try await identify(
                token: token, name: name, for: requested, operation: requested.operation)
        }
        let permissions = permissions.current
        let request = try await resolve(requested, client, among: found, permissions)
        let verdict = permissions.verdict(on: request, by: client)
        if case .granted(let terms) = verdict {
            try await log.checkAvailable(for: client)
            return Grant(to: client, sensor: request.sensor, terms: terms)
        }
        let denial = permissions.denial(of: request.sensor, to: client)
        if denial == nil, lacksDeclaration(of: request.privilege, client, verdict) {
            throw await refusals.undeclared(
                request.privilege, client, request, operation: request.operation,
                declared: clients.declared(by: client))
        }
        throw await refusals.refuse(
            request, client, after: verdict, denial: denial,
            isFinal: permissions.finalDenial(of: request.privilege, client.name))
    }

    /// Whether the check of a use would wait for the owner's decision.
    nonisolated(nonsending) func needsDecision(
        token: String?, _ requested: AccessRequest,
        readable: @Sendable (SensorID) async -> [SensorID]
    ) async -> Bool {
        let found = await self.readable(for: requested, readable)
        guard let client = token.flatMap({ tokens.client(of: $0) }), client.kind != .owner
        else { return false }
        return !found.isEmpty && asksOwner(for: requested, client, among: found)
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
            return OriginGrant(to: client, origin: origin, pin: nil)
        }
        if !isRedirect, asksOwner(for: privilege, client) {
            await ask(for: privilege, client)
            client = try await identify(token: token, name: name, operation: Self.fetch)
        }
        let permissions = permissions.current
        let verdict = permissions.verdict(on: privilege, by: client)
        if case .granted = verdict {
            try await log.checkAvailable(for: client)
            let pin = clients.pin(of: origin, for: client)
            return OriginGrant(to: client, origin: origin, pin: pin)
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
            await ask(for: privilege, client)
            client = try await identify(token: token, name: name, operation: operation)
        }
        let permissions = permissions.current
        let verdict = permissions.verdict(on: privilege, by: client)
        if lacksDeclaration(of: privilege, client, verdict) {
            throw await refusals.undeclared(
                privilege, client, operation: operation, declared: clients.declared(by: client))
        }
        let reason: PermissionTable.Verdict
        switch verdict {
        case .granted:
            try await log.checkAvailable(for: client)
            try await log.record(use: privilege, operation, by: client)
            return client
        case .restricted, .narrowed, .notInBackground: reason = verdict
        case .denied, .undecided, .statisticsOnly, .notChosen:
            let canAsk = permissions.canAsk(for: privilege, client)
            reason = canAsk ? .undecided : .denied(privilege)
        }
        throw await refusals.refuse(
            privilege, client, operation: operation, after: reason, isFinal: nil)
    }

    /// Checks the use of one of several privileges: the first that is granted.
    ///
    /// If none is granted, checks the first that the app declares, so that the owner may be asked for it.
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

    /// Checks the use of types of health data.
    ///
    /// A type that may not be read because of a decision or of the policy is left out of the grant, without
    /// an error: the client then gets only what it saved itself.
    ///
    /// - Parameters:
    ///   - read: the types that the call is about.
    ///   - others: types that the call returns if they may be read.
    ///   - written: the types that are saved or removed.
    nonisolated(nonsending) func check(
        token: String?, name: String?, reading read: Set<HealthType>, also others: Set<HealthType>,
        writing written: Set<HealthType>, operation: String
    ) async throws(AuthError) -> HealthGrant {
        var client = try await identify(token: token, name: name, operation: operation)
        if client.kind == .owner { return HealthGrant(to: client, view: .owner, writable: nil) }
        // Also what its parent saved itself.
        guard client.attenuation == nil else {
            throw await refusals.narrowed(client, operation: operation)
        }
        let required =
            read.map { PrivilegeID.health($0, .read) }
            + written.map { PrivilegeID.health($0, .write) }
        for privilege in required.sorted(by: { $0.description < $1.description })
        where asksOwner(for: privilege, client) {
            await ask(for: privilege, client)
            client = try await identify(token: token, name: name, operation: operation)
        }
        let permissions = permissions.current
        var readable = others.filter { type in
            permissions.verdict(on: PrivilegeID.health(type, .read), by: client).isGrant
        }
        for type in read.sorted(by: { $0.description < $1.description }) {
            if try await mayRead(type, client, permissions, operation) { readable.insert(type) }
        }
        for type in written.sorted(by: { $0.description < $1.description }) {
            let privilege = PrivilegeID.health(type, .write)
            let verdict = permissions.verdict(on: privilege, by: client)
            if verdict.isGrant { continue }
            if lacksDeclaration(of: privilege, client, verdict) {
                throw await refusals.undeclared(
                    privilege, client, operation: operation, declared: clients.declared(by: client))
            }
            throw await refusals.refuse(
                privilege, client, operation: operation, after: verdict,
                isFinal: permissions.finalDenial(of: privilege, client.name))
        }
        try await log.checkAvailable(for: client)
        let source = HealthSource(
            name: client.name, number: try await clients.deviceNumber(of: client))
        return HealthGrant(
            to: client, view: HealthView(of: source, readable: readable), writable: written)
    }

    /// Whether a client may read all data of a type.
    ///
    /// - Throws: when the app does not declare it, the owner has not decided, or the decision does not hold
    ///   for runs in the background.
    nonisolated(nonsending) private func mayRead(
        _ type: HealthType, _ client: Client, _ permissions: Permissions, _ operation: String
    ) async throws(AuthError) -> Bool {
        let privilege = PrivilegeID.health(type, .read)
        let verdict = permissions.verdict(on: privilege, by: client)
        if verdict.isGrant { return true }
        let hasDeclaration = clients.app(client.name).privileges != nil
        if client.kind == .app, hasDeclaration, !clients.declares(privilege, client) {
            throw await refusals.undeclared(
                privilege, client, operation: operation, declared: clients.declared(by: client))
        }
        let final = permissions.finalDenial(of: privilege, client.name)
        let isHidden =
            switch verdict {
            case .denied, .restricted: true
            case .undecided: final != nil
            case .granted, .notInBackground, .statisticsOnly, .notChosen, .narrowed: false
            }
        let refusal = await refusals.refuse(
            privilege, client, operation: operation, after: verdict, isFinal: final)
        guard isHidden else { throw refusal }
        return false
    }

    /// Checks that a token is the owner's.
    nonisolated(nonsending) func checkOwner(
        token: String?, name: String?, operation: String
    ) async throws(AuthError) -> Client {
        let client = try await identify(token: token, name: name, operation: operation)
        guard client.kind == .owner else {
            throw await refusals.notOwner(client, operation: operation)
        }
        return client
    }

    /// Asks the owner for a privilege that an app declares, or that a run of a program needs, and waits for the
    /// decision.
    nonisolated(nonsending) func request(
        _ privilege: PrivilegeID, token: String?, name: String?, isAvailable: Bool
    ) async throws(AuthError) -> PermissionState {
        let client = try await identify(token: token, name: name, operation: "request")
        if try mayRequest(privilege, client), isAvailable,
            let answer = await ask(for: privilege, client, isUrgent: true)
        {
            return answer
        }
        return permissions.current.state(of: privilege, for: client)
    }

    /// Asks the owner as ``request(_:token:name:isAvailable:)`` does, without waiting for the decision.
    ///
    /// - Returns: whether a request is open, and the present state.
    nonisolated(nonsending) func openRequest(
        _ privilege: PrivilegeID, token: String?, name: String?, isAvailable: Bool
    ) async throws(AuthError) -> (isOpen: Bool, state: PermissionState) {
        let client = try await identify(token: token, name: name, operation: "request")
        let mayRequest = try mayRequest(privilege, client) && isAvailable
        let isOpen =
            if mayRequest, await isLeftToOwner(privilege, client) {
                requests.open(privilege, client)
            } else {
                false
            }
        return (isOpen, permissions.current.state(of: privilege, for: client))
    }

    /// Whether the owner can be asked for a privilege.
    ///
    /// - Throws: `undeclared`.
    private func mayRequest(
        _ privilege: PrivilegeID, _ client: Client
    ) throws(AuthError) -> Bool {
        let isRunOfProgram = client.kind == .client && client.run != nil
        guard client.kind == .app || isRunOfProgram,
            permissions.current.canAsk(for: privilege, client)
        else { return false }
        guard isRunOfProgram || clients.declares(privilege, client) else {
            throw AuthError(
                .undeclared, "\(client.name) does not declare \(privilege) in its package.json.",
                hint: "Add it to the privileges, with a reason.", privilege: privilege)
        }
        return privilege.isGrantable
    }

    /// Redeems a launch code and the nonce of the page that sent it; both are then invalid.
    ///
    /// - Returns: the page that both belong to.
    nonisolated(nonsending) func redeem(
        launchCode code: String, nonce: String, for page: LaunchedPage?
    ) async throws(AuthError) -> LaunchedPage {
        let redeemed = tokens.redeem(launchCode: code, nonce: nonce, for: page)
        guard let redeemed else {
            let hint =
                switch page {
                case .app(let app):
                    "Open the page again, in the dashboard or with: nervous open \(app)"
                case .dashboard, nil: "Open the dashboard again with: nervous open"
                }
            throw await refusals.unknownToken(
                "Invalid launch code: it was used, has expired, is for another page, or was sent by a"
                    + " page that this host did not serve.", nil,
                operation: "launch", hint: hint)
        }
        return redeemed
    }

    /// Whether an app would have to declare a privilege before the owner could be asked for it.
    private func lacksDeclaration(
        of privilege: PrivilegeID, _ client: Client, _ verdict: PermissionTable.Verdict
    ) -> Bool {
        verdict == .undecided && client.kind == .app && !clients.declares(privilege, client)
            && clients.app(client.name).privileges != nil
    }

    /// The sensors that a request can refer to.
    nonisolated(nonsending) private func readable(
        for request: AccessRequest, _ readable: @Sendable (SensorID) async -> [SensorID]
    ) async -> [SensorID] {
        let found = await readable(request.sensor)
        return request.isExact ? found.filter { $0 == request.sensor } : found
    }

    /// Replaces the sensor of a request, which may be a kind, by the one sensor that it refers to.
    ///
    /// - Throws: `severalSensors`.
    nonisolated(nonsending) private func resolve(
        _ request: AccessRequest, _ client: Client, among found: [SensorID],
        _ permissions: Permissions
    ) async throws(AuthError) -> AccessRequest {
        if request.isExact { return request }
        let sensors = permissions.candidates(of: request, by: client, among: found)
        guard sensors.count == 1 else { throw await refusals.several(sensors, request, client) }
        return request.with(sensors[0])
    }

    /// Asks the policy broker and, if it does not decide, the owner, and waits for the decision.
    ///
    /// - Parameter isUrgent: whether it waits although an earlier call has timed out.
    /// - Returns: the state that the decision led to; `nil` without a decision.
    @discardableResult
    nonisolated(nonsending) private func ask(
        for privilege: PrivilegeID, _ client: Client, isUrgent: Bool = false
    ) async -> PermissionState? {
        guard await isLeftToOwner(privilege, client) else {
            return permissions.current.state(of: privilege, for: client)
        }
        return await requests.wait(for: privilege, client, isUrgent: isUrgent)
    }

    /// Asks the policy broker, unless the owner is already asked.
    ///
    /// - Returns: whether the owner has to be asked.
    nonisolated(nonsending) private func isLeftToOwner(
        _ privilege: PrivilegeID, _ client: Client
    ) async -> Bool {
        guard !requests.isOpen(privilege, client) else { return true }
        await broker.decide(privilege, for: client)
        // The run may have ended during the question.
        return tokens.isValid(client) && permissions.current.canAsk(for: privilege, client)
    }

    /// Whether the owner is asked about an undecided use of a sensor; `false` for a kind if the client may
    /// already use its only readable sensor.
    private func asksOwner(
        for request: AccessRequest, _ client: Client, among found: [SensorID]
    ) -> Bool {
        guard asksOwner(for: request.privilege, client) else { return false }
        let state = permissions.current.state(of: request.privilege, for: client, among: found)
        return state == .prompt
    }

    /// Whether the owner is asked about an undecided use.
    private func asksOwner(for privilege: PrivilegeID, _ client: Client) -> Bool {
        clients.asksAtFirstUse(client) && permissions.current.canAsk(for: privilege, client)
    }
}
