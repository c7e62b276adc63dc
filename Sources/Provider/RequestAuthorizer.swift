import API
import Addresses
import Auth
import Foundation
import HTTPTypes
import Health
import Hummingbird
import Samples
import Scheduling
import Sessions
import Text
import VM

/// Authorizes requests at `Authority`: the only source of grants in this module.
struct RequestAuthorizer: Sendable {
    let authority: Authority
    let isGrantable: GrantableCheck
    /// Tells the current time, to which a duration such as `-10m` in a request is relative.
    let time: any TimeSource
    /// The schemes in which a request may carry its token.
    var schemes: Set<TokenScheme> = [.bearer]

    /// The privileges to see sessions, the widest first.
    private static let sessionPrivileges: [PrivilegeID] = [.sessions(.read), .sessions(.write)]

    func now() -> Timestamp { time.now() }

    /// A grant for one use of a sensor.
    ///
    /// - Parameter isExact: whether the sensor of that name is meant, and never another one of its kind.
    func grant(
        _ operation: String, _ access: Access, of sensor: SensorID, _ request: Request,
        _ context: ProviderContext, isContinuation: Bool = false, isExact: Bool = false
    ) async throws(AuthError) -> Grant {
        let requested = AccessRequest(
            operation, of: sensor, access, isContinuation: isContinuation, isExact: isExact)
        return try await authority.checkApp(
            token: token(request, context), name: context.claimedName, requested: requested
        ) { await isGrantable.readable(named: $0) }
    }

    /// Whether a use of a sensor would wait for the owner's decision; not recorded.
    func needsDecision(
        _ operation: String, _ access: Access, of sensor: SensorID, _ request: Request,
        _ context: ProviderContext
    ) async -> Bool {
        await authority.needsDecision(
            token: token(request, context),
            requested: AccessRequest(operation, of: sensor, access)
        ) { await isGrantable.readable(named: $0) }
    }

    /// Checks that the client has a privilege that is not for a sensor, such as `storage`.
    ///
    /// - Returns: the client.
    func client(
        _ operation: String, using privilege: PrivilegeID, _ request: Request,
        _ context: ProviderContext
    ) async throws(AuthError) -> Client {
        try await authority.checkApp(
            token: token(request, context), name: context.claimedName, requested: privilege,
            operation: operation)
    }

    /// The sessions that the caller may use: an app needs `sessions` to see all of them, and
    /// `sessions:write` to create and change its own, which it then sees, too.
    func sessions(
        _ operation: String, _ access: SessionAccess, _ request: Request,
        _ context: ProviderContext
    ) async throws(AuthError) -> SessionCaller {
        let privileges: [PrivilegeID] =
            access == .read ? Self.sessionPrivileges : [.sessions(.write)]
        let (client, privilege) = try await authority.checkApp(
            token: token(request, context), name: context.claimedName, anyOf: privileges,
            operation: operation)
        if client.kind == .owner { return .owner }
        let creator = SessionCreator(
            name: client.name, number: try await authority.deviceNumber(for: client))
        return SessionCaller(
            scope: privilege == .sessions(.read) ? .all : .created(creator), creator: creator)
    }

    /// Whether a caller that could see a session still can; not recorded.
    func stillSees(
        _ record: SessionRecord, as caller: SessionCaller, _ request: Request,
        _ context: ProviderContext
    ) async -> Bool {
        let held = await authority.granted(
            anyOf: Self.sessionPrivileges, token: token(request, context))
        guard held == .sessions(.write), let creator = caller.creator else { return held != nil }
        return SessionScope.created(creator).includes(record)
    }

    /// A grant for the use of types of health data; see `Authority`.
    func health(
        _ operation: String, reading read: Set<HealthType> = [],
        also others: Set<HealthType> = [], writing written: Set<HealthType> = [],
        _ request: Request, _ context: ProviderContext
    ) async throws(AuthError) -> HealthGrant {
        try await authority.checkApp(
            token: token(request, context), name: context.claimedName, reading: read,
            also: others, writing: written, operation: operation)
    }

    /// Whether the caller may read the samples of a sensor now; not recorded.
    func mayRead(
        _ sensor: SensorID, _ request: Request, _ context: ProviderContext
    ) async -> Bool {
        let samples = PrivilegeID.sensor(sensor, .raw)
        return await authority.granted(anyOf: [samples], token: token(request, context)) != nil
    }

    /// The sensor that an app may name in its session: one for which it has a grant of any access, so
    /// that a session does not reveal which others exist.
    func sessionSensor(
        _ sensor: SensorID, _ request: Request, _ context: ProviderContext
    ) async throws(AuthError) -> SensorID {
        let accesses = [Access.stats, .write].map { PrivilegeID.sensor(sensor, $0) }
        let held = await authority.granted(anyOf: accesses, token: token(request, context))
        return try await grant(
            "session-sensor", held?.access ?? .raw, of: sensor, request, context
        ).sensor
    }

    /// Checks again that the client has a privilege, which may have ended while its body was read.
    func recheck(
        _ client: Client, _ operation: String, using privilege: PrivilegeID,
        _ request: Request, _ context: ProviderContext
    ) async throws(AuthError) -> Client {
        if await authority.permissions.state(of: privilege, for: client) == .granted {
            return client
        }
        return try await self.client(operation, using: privilege, request, context)
    }

    /// A grant for one step of a call to another server.
    func grant(
        reaching origin: WebOrigin, _ request: Request, _ context: ProviderContext,
        isRedirect: Bool = false
    ) async throws(AuthError) -> OriginGrant {
        try await authority.checkApp(
            token: token(request, context), name: context.claimedName, reaching: origin,
            isRedirect: isRedirect)
    }

    /// Checks again that a server may be called, during a long call; the owner is not asked.
    ///
    /// Only a refusal is recorded.
    func recheck(
        reaching origin: WebOrigin, _ request: Request, _ context: ProviderContext
    ) async throws(AuthError) {
        if await isStillOwner(request, context) { return }
        if let privilege = PrivilegeID(reaching: origin),
            await authority.granted(anyOf: [privilege], token: token(request, context)) != nil
        {
            return
        }
        _ = try await grant(reaching: origin, request, context, isRedirect: true)
    }

    /// Requests a privilege from the owner.
    func ask(
        for privilege: PrivilegeID, _ request: Request, _ context: ProviderContext
    ) async throws(AuthError) -> PermissionState {
        try await authority.request(
            privilege, token: token(request, context), name: context.claimedName,
            isAvailable: await isGrantable.isAvailable(privilege))
    }

    /// Requests a privilege from the owner without waiting for the decision.
    func openRequest(
        for privilege: PrivilegeID, _ request: Request, _ context: ProviderContext
    ) async throws(AuthError) -> (isOpen: Bool, state: PermissionState) {
        try await authority.openRequest(
            privilege, token: token(request, context), name: context.claimedName,
            isAvailable: await isGrantable.isAvailable(privilege))
    }

    /// The client that calls.
    func client(
        _ operation: String, _ request: Request, _ context: ProviderContext
    ) async throws(AuthError) -> Client {
        try await authority.identify(
            token: token(request, context), name: context.claimedName, operation: operation)
    }

    /// Checks that the owner calls.
    ///
    /// - Returns: the command, page or program of the owner.
    @discardableResult
    func owner(
        _ operation: String, _ request: Request, _ context: ProviderContext
    ) async throws(AuthError) -> Client {
        try await authority.checkOwner(
            token: token(request, context), name: context.claimedName, operation: operation)
    }

    /// A problem as the caller receives it: an app or a program gets no command of the owner.
    func addressed(
        _ problem: Problem, _ request: Request, _ context: ProviderContext
    ) async -> Problem {
        let isClient = await authority.isClient(token: token(request, context))
        return isClient ? problem.forClient : problem
    }

    /// Whether a token that was the owner's is still valid.
    func isStillOwner(_ request: Request, _ context: ProviderContext) async -> Bool {
        await authority.isOwner(token: token(request, context))
    }

    /// The sessions of the dashboard; one of them may be the caller's.
    func dashboardSessions(
        _ request: Request, _ context: ProviderContext
    ) async -> [DashboardSession] {
        await authority.dashboardSessions(for: token(request, context))
    }

    /// Ends the caller's session of the dashboard.
    func endDashboardSession(
        _ request: Request, _ context: ProviderContext
    ) async throws(AuthError) {
        try await authority.endDashboardSession(token: token(request, context))
    }

    /// The token of the request.
    ///
    /// Over the control socket, which only the owner can open, the owner's token is implied.
    private func token(_ request: Request, _ context: ProviderContext) -> String? {
        guard let field = request.headers[.authorization] else {
            let isOwner = context.transport == .control && context.origin == .owner
            return isOwner ? authority.ownerToken.text : nil
        }
        return TokenScheme.token(in: field, among: schemes)
    }
}

/// A scheme of the header field `Authorization`.
enum TokenScheme: String, Hashable {
    /// RFC 6750.
    case bearer
    /// The scheme of InfluxDB's clients: `Token nvs_…`.
    case token
    /// RFC 7617; the token is the password, and the name is ignored.
    case basic

    /// The token of a field; `nil` if it has none, or another scheme.
    static func token(in field: String, among schemes: Set<TokenScheme>) -> String? {
        let parts = field.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1)
            .map { Substring($0) }
        guard parts.count == 2, let scheme = TokenScheme(rawValue: parts[0].lowercased()),
            schemes.contains(scheme)
        else { return nil }
        guard scheme == .basic else { return String(parts[1]) }
        guard let data = Data(base64Encoded: String(parts[1])),
            let pair = String(validating: data, as: UTF8.self),
            let colon = pair.firstIndex(of: ":")
        else { return nil }
        return String(pair[pair.index(after: colon)...])
    }
}

/// Checks whether this host can grant a privilege.
struct GrantableCheck: Sendable {
    let machine: VirtualMachine

    /// Whether the privilege is worth a prompt: for a sensor, that it exists.
    func isAvailable(_ privilege: PrivilegeID) async -> Bool {
        guard let sensor = privilege.sensor else { return privilege.isGrantable }
        return await !readable(named: sensor).isEmpty
    }

    /// The sensors that a name refers to when samples are read.
    func readable(named name: SensorID) async -> [SensorID] {
        await machine.readable(named: name)
    }

    /// The sensors that the name in a privilege refers to when samples are read.
    func readable(of privilege: PrivilegeID) async -> [SensorID] {
        guard let sensor = privilege.sensor else { return [] }
        return await readable(named: sensor)
    }

    /// The sensors of a privilege that are available or have samples.
    func instances(of privilege: PrivilegeID) async -> [SensorID] {
        guard let kind = privilege.sensor else { return [] }
        var found: [SensorID] = []
        for sensor in await machine.instances(of: kind) {
            let one = await machine.status(of: sensor)
            if one?.state == .available || one?.hasSamples == true { found.append(sensor) }
        }
        return found
    }

    /// The kinds of the sensors that are available or have samples, sorted.
    func kinds() async -> [SensorID] {
        let found = await machine.statuses().filter { $0.state == .available || $0.hasSamples }
        return Set(found.map(\.sensor.id.kind)).sorted()
    }

    /// The choice of the named sensors.
    ///
    /// - Parameter others: the excluded sensors; `nil` for all others that exist now.
    /// - Throws: `Problem` for an unknown sensor.
    func choice(
        _ only: [String], excluding others: [String]?, of privilege: PrivilegeID
    ) async throws -> InstanceChoice {
        var chosen: [SensorID] = []
        for name in only {
            let sensor = try Self.sensor(name)
            guard await machine.sensor(sensor) != nil else { throw Problem(unknown: sensor) }
            chosen.append(sensor)
        }
        let excluded = try others.map { try $0.map(Self.sensor) }
        if let excluded { return InstanceChoice(chosen, excluding: excluded) }
        return InstanceChoice(chosen, excluding: await instances(of: privilege))
    }

    private static func sensor(_ name: String) throws -> SensorID {
        guard let sensor = SensorID(name) else {
            throw Problem.invalidBody(
                "\(name.prefix(80).debugDescription) is not a sensor's name.")
        }
        return sensor
    }

    /// - Throws: `Problem` for a privilege that this host cannot grant, or an unknown sensor.
    func callAsFunction(_ privilege: PrivilegeID) async throws {
        guard let sensor = privilege.sensor else {
            guard !privilege.isGrantable else { return }
            throw Problem(
                .unsupportedPrivilege,
                "This version of the host cannot grant \(privilege).")
        }
        try await checkKnown(sensor)
    }

    /// Checks that a name is that of a sensor or of a kind.
    ///
    /// - Parameter others: further names to suggest, besides those of sensors and kinds.
    /// - Throws: `Problem` with the names that are spelt alike.
    func checkKnown(_ sensor: SensorID, or others: [SensorID] = []) async throws {
        guard await machine.instances(of: sensor).isEmpty else { return }
        let sensors = await machine.statuses().map(\.sensor.id)
        let names = Set(sensors + sensors.map(\.kind) + others)
        let similar = names.map { name in
            (name: name, distance: name.description.utf8.editDistance(to: sensor.description.utf8))
        }
        .filter { $0.distance <= max(1, sensor.description.utf8.count / 3) }
        .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
        let problem = Problem(unknown: sensor)
        guard !similar.isEmpty else { throw problem }
        let list = similar.prefix(3).map(\.name.description).joined(separator: ", ")
        throw Problem(
            .unknownSensor, problem.detail,
            fix: "Did you mean \(list)? " + (problem.fix ?? ""))
    }
}
