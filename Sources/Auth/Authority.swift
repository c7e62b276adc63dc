public import Addresses
public import AppStorage
public import Health
public import Logging
public import Samples
public import Scheduling
import Text

/// Decides who may use which sensor and server, and stores decisions, tokens and the access log.
///
/// `checkApp` is the only way to a ``Grant``. Decisions are in memory and written through to the
/// database, so that a change affects the next call of a running app.
///
/// ```swift
/// let authority = try await Authority(path: "permissions.sqlite")
/// let token = try await authority.createClient("curl", isOwner: false, expires: nil)
/// try await authority.decide(.allowAlways, on: privilege, by: "curl")
/// let grant = try await authority.checkApp(
///     token: token.text, name: "curl", requested: AccessRequest("latest", of: "cpu", .raw))
/// ```
public actor Authority {
    /// How long a launch code is valid.
    public static let launchLifetime = Duration.seconds(60)
    /// How long the token of a page is valid.
    public static let pageLifetime = Duration.seconds(12 * 3600)
    /// How long the token of a run is valid unless renewed.
    public static let runLifetime = Duration.seconds(3600)

    /// The record of all reads, refusals and decisions.
    public nonisolated let log: AccessLog
    /// The token of the owner who started this process; never stored.
    public nonisolated let ownerToken: Token
    /// Why the storage of apps cannot be used; `nil` when it can.
    public nonisolated let storageFault: AuthError?
    /// Messages of apps, and notices of calls whose token was missing, wrong or another client's.
    public nonisolated let noticeBoard: NoticeBoard
    /// Reports that ``pendingRequests()`` has changed.
    public nonisolated let requestChanges = ChangeSignal()

    private let time: any TimeSource
    private let clients: ClientRegistry
    private let tokens: TokenRegistry
    private let decisions: PermissionRegistry
    private let requests: RequestTable
    private let broker: BrokerDecisions
    private let refusals: RefusalReporter
    private let checker: AccessChecker
    private let storage: StorageRegistry
    private let changes = ChangeQueue()

    /// Opens the database at `path`, and `app-storage.sqlite` beside it, or creates them.
    ///
    /// - Parameters:
    ///   - policy: blocks privileges, whatever is decided.
    ///   - logBudget: the maximum number of bytes of the access log; see ``AccessLog/budget``.
    ///   - storageLimit: the bytes that all apps and programs may store together.
    ///   - timeLimit: how long a call waits for the owner's decision.
    /// - Throws: `unsafeFile` when other users could open the files, `diskFull`, `storeFailed`. A damaged
    ///   `app-storage.sqlite` is not an error; see ``storageFault``.
    public init(
        path: String, policy: Policy = Policy(), logBudget: Int64 = AccessLog.standardBudget,
        storageLimit: Int = .max, time: any TimeSource = .system,
        timeLimit: Duration = .seconds(45),
        logger: Logger = Logger(label: "nervous.auth")
    ) async throws(AuthError) {
        let database: AuthDatabase
        do {
            database = try AuthDatabase(path: path)
        } catch {
            throw AuthDatabase.failure(error, opening: path)
        }
        try await self.init(
            database, path: path, policy: policy, logBudget: logBudget,
            storageLimit: storageLimit, time: time, timeLimit: timeLimit, logger: logger)
    }

    init(
        _ database: AuthDatabase, path: String, policy: Policy = Policy(),
        logBudget: Int64 = AccessLog.standardBudget, storageLimit: Int = .max,
        time: any TimeSource, timeLimit: Duration = .seconds(45),
        logger: Logger = Logger(label: "nervous.auth")
    ) async throws(AuthError) {
        do {
            let store = ClientStore(writer: database.writer)
            let decided = DecisionStore(writer: database.writer)
            // Runs and pages end with their host, and so do decisions for them. On a full disk their rows
            // stay, and are left out below.
            try? await store.removeRun(nil)
            let kinds = try await store.kinds()
            clients = ClientRegistry(kinds, try await store.apps(), store: store, time: time)
            ownerToken = Token()
            tokens = TokenRegistry(
                try await store.tokens(kinds).filter { $0.client.run == nil }, ofOwner: ownerToken,
                store: store, clients: clients, time: time)
            log = AccessLog(
                AccessLogStore(writer: database.writer, seal: LogSeal(beside: path)),
                budget: logBudget, time: time, logger: logger)
            await log.noteSealFault()
            let records = try await decided.records().filter { $0.run == nil }
            decisions = PermissionRegistry(
                PermissionTable(records, policy: policy),
                DenialTable(try await decided.denialCounts()), store: decided,
                clients: clients, tokens: tokens, log: log, time: time)
        } catch {
            throw AuthDatabase.failure(error, opening: path)
        }
        let opened = try await StorageRegistry.open(
            beside: path, keeping: clients.storageNamespaces, limit: storageLimit, logger: logger)
        storage = StorageRegistry(opened, clients: clients)
        storageFault = storage.fault
        self.time = time
        noticeBoard = NoticeBoard(time: time)
        requests = RequestTable(timeLimit: timeLimit, time: time, changes: requestChanges)
        broker = BrokerDecisions(
            permissions: decisions, requests: requests, changes: changes, time: time,
            logger: logger)
        refusals = RefusalReporter(log: log, notices: noticeBoard, time: time)
        checker = AccessChecker(
            clients: clients, tokens: tokens, permissions: decisions, requests: requests,
            broker: broker, refusals: refusals, log: log)
    }

    /// The path of the apps' storage, beside the permission database.
    public static func storagePath(beside path: String) -> String {
        StorageRegistry.path(beside: path)
    }

    /// Writes the access log until cancelled.
    public func run() async { await log.run() }

    // MARK: - Checking calls

    /// The client that a token belongs to.
    ///
    /// - Parameter name: the name that the caller gives, if any.
    /// - Throws: `missingToken`, `invalidToken`, `tooManyAttempts` or `nameMismatch`, each recorded
    ///   in the access log.
    public func identify(
        token: String?, name: String?, operation: String = "identify"
    ) async throws(AuthError) -> Client {
        try await checker.identify(token: token, name: name, operation: operation)
    }

    /// Checks whether a client may use a sensor now.
    ///
    /// For an app that asks at first use, an undecided privilege becomes a ``PendingRequest``, and the
    /// call waits for the owner's decision. The name of a kind refers to the sensor that the owner
    /// chose, or to the only one of the kind that can be read, and the grant is for that sensor.
    ///
    /// ```swift
    /// let grant = try await authority.checkApp(
    ///     token: token, name: "load-watch", requested: AccessRequest("latest", of: "cpu", .raw))
    /// let sample = try await engine.latest(for: grant)
    /// ```
    ///
    /// - Parameters:
    ///   - token: the token of the call.
    ///   - name: the name that the caller gives, if any.
    ///   - readable: the sensors that a name refers to on this machine, as
    ///     `VirtualMachine.readable(named:)` finds them; if there are none, the owner is not asked.
    /// - Throws: `severalSensors` for the name of a kind of which the client may read several;
    ///   otherwise `AuthError`. Every refusal is recorded in the access log.
    public func checkApp(
        token: String?, name: String?, requested: AccessRequest,
        readable: @Sendable (SensorID) async -> [SensorID] = { [$0] }
    ) async throws(AuthError) -> Grant {
        try await checker.check(token: token, name: name, requested, readable: readable)
    }

    /// Whether ``checkApp(token:name:requested:readable:)`` would wait for the owner's decision; not
    /// recorded.
    public func needsDecision(
        token: String?, requested: AccessRequest,
        readable: @Sendable (SensorID) async -> [SensorID]
    ) async -> Bool {
        await checker.needsDecision(token: token, requested, readable: readable)
    }

    /// Checks whether a client may call a server now.
    ///
    /// As with sensors, apps that ask at first use wait for the owner's decision. The owner may call any
    /// server, but a redirect of the owner's call to another server is refused.
    ///
    /// - Parameter isRedirect: whether a response led to the server; then the owner is not asked.
    /// - Throws: `undeclared` for a server that the app does not declare; otherwise as for sensors.
    public func checkApp(
        token: String?, name: String?, reaching origin: WebOrigin, isRedirect: Bool = false
    ) async throws(AuthError) -> OriginGrant {
        try await checker.check(
            token: token, name: name, reaching: origin, isRedirect: isRedirect)
    }

    /// Checks whether a client may use storage, notifications or its device number now.
    ///
    /// - Throws: as for sensors.
    public func checkApp(
        token: String?, name: String?, requested privilege: PrivilegeID, operation: String
    ) async throws(AuthError) -> Client {
        try await checker.check(token: token, name: name, privilege, operation: operation)
    }

    /// Checks whether a client may do something that each of several privileges allows, such as listing
    /// sessions.
    ///
    /// - Parameter privileges: not empty; the widest first.
    /// - Returns: the client, and the first of the privileges that is granted; the first one for the
    ///   owner.
    /// - Throws: as for sensors.
    public func checkApp(
        token: String?, name: String?, anyOf privileges: [PrivilegeID], operation: String
    ) async throws(AuthError) -> (client: Client, privilege: PrivilegeID) {
        try await checker.check(
            token: token, name: name, anyOf: privileges, operation: operation)
    }

    /// Checks whether a client may use types of health data now.
    ///
    /// A type that the owner has denied, or that the policy blocks, is left out of the grant without an
    /// error, so that an app does not learn about the denial: it then sees only what it saved itself. The
    /// access log has the refusal.
    ///
    /// - Parameters:
    ///   - read: the types that the call is about.
    ///   - others: types that the call returns if they may be read.
    ///   - written: the types that are saved or removed.
    /// - Throws: `undeclared` for a type that an app does not declare, `undecided` before the owner has
    ///   decided; for saving as for sensors.
    public func checkApp(
        token: String?, name: String?, reading read: Set<HealthType> = [],
        also others: Set<HealthType> = [], writing written: Set<HealthType> = [], operation: String
    ) async throws(AuthError) -> HealthGrant {
        try await checker.check(
            token: token, name: name, reading: read, also: others, writing: written,
            operation: operation)
    }

    /// The first of several privileges that the client of a token has now; not recorded.
    public func granted(anyOf privileges: [PrivilegeID], token: String?) -> PrivilegeID? {
        guard let client = token.flatMap({ tokens.client(of: $0) }) else { return nil }
        let permissions = decisions.current
        return privileges.first { permissions.state(of: $0, for: client) == .granted }
    }

    /// Checks that a token is the owner's.
    ///
    /// - Returns: the command, page or program of the owner that calls.
    /// - Throws: `ownerOnly` for apps and programs; otherwise as ``identify(token:name:operation:)``.
    @discardableResult
    public func checkOwner(
        token: String?, name: String?, operation: String
    ) async throws(AuthError) -> Client {
        try await checker.checkOwner(token: token, name: name, operation: operation)
    }

    /// Whether a token is an owner's now; not recorded.
    public func isOwner(token: String?) -> Bool {
        token.flatMap { tokens.client(of: $0) }?.kind == .owner
    }

    /// Whether a token is that of an app or of a program now; not recorded.
    public func isClient(token: String?) -> Bool {
        token.flatMap { tokens.client(of: $0) }.map { $0.kind != .owner } ?? false
    }

    // MARK: - Requests of apps

    /// Asks the owner for a privilege that an app declares, or for any privilege of a run of a program, and
    /// waits for the decision.
    ///
    /// - Parameter isAvailable: whether the machine has the sensor of the privilege; otherwise the
    ///   owner is not asked.
    /// - Returns: the state afterwards; `prompt` when the owner has not decided in time.
    /// - Throws: `undeclared` for a privilege that the app does not declare; otherwise as
    ///   ``identify(token:name:operation:)``.
    public func request(
        _ privilege: PrivilegeID, token: String?, name: String?, isAvailable: Bool
    ) async throws(AuthError) -> PermissionState {
        try await checker.request(
            privilege, token: token, name: name, isAvailable: isAvailable)
    }

    /// Asks the owner as ``request(_:token:name:isAvailable:)`` does, without waiting for the decision.
    ///
    /// The request stays open for an hour after it was last made, and ends with the run.
    ///
    /// - Returns: whether a request is open, and the present state.
    public func openRequest(
        _ privilege: PrivilegeID, token: String?, name: String?, isAvailable: Bool
    ) async throws(AuthError) -> (isOpen: Bool, state: PermissionState) {
        try await checker.openRequest(
            privilege, token: token, name: name, isAvailable: isAvailable)
    }

    /// The requests that wait for the owner, oldest first.
    public func pendingRequests() -> [PendingRequest] { requests.all() }

    /// The open requests of a run and each new one, until `unwatchRequests`.
    public func watchRequests(of run: String) -> AsyncStream<PendingRequest> {
        requests.watch(run)
    }

    /// Ends the stream of a run's requests.
    public func unwatchRequests(of run: String) { requests.unwatch(run) }

    /// What is refused in a run from now on, one refusal for each privilege, until `unwatchRefusals`.
    public func watchRefusals(of run: String) -> AsyncStream<Refusal> { refusals.watch(run) }

    /// Ends the stream of a run's refusals.
    public func unwatchRefusals(of run: String) { refusals.unwatch(run) }

    /// Refuses the calls that wait for a decision; the owner can still decide later.
    ///
    /// - Throws: `notFound` without such a request.
    public func dismissRequest(
        _ privilege: PrivilegeID, of client: String
    ) throws(AuthError) {
        guard requests.dismiss(privilege, of: client) else {
            throw AuthError(.notFound, "\(client) has no open request for \(privilege).")
        }
    }

    // MARK: - The policy broker

    /// Replaces the policy broker, which is asked before the owner is.
    ///
    /// - Parameters:
    ///   - broker: `nil` for none.
    ///   - policy: what it may allow.
    public func use(_ broker: (any PolicyBroker)?, within policy: BrokerPolicy) {
        self.broker.use(broker, within: policy)
    }

    /// Asks the policy broker about the undecided ones of some privileges, for a run that the owner has not
    /// been asked about yet.
    ///
    /// It is asked about one after the other, and about no more of them after a fault.
    ///
    /// - Returns: the decisions that it made for the run; none without a policy broker.
    /// - Throws: `notFound` without such a run.
    public func consultBroker(
        about privileges: [PrivilegeID], for run: String
    ) async throws(AuthError) -> [PermissionRecord] {
        guard let client = tokens.client(ofRun: run) else {
            throw AuthError(.notFound, "There is no run \(run) to decide for.")
        }
        var decided: [PermissionRecord] = []
        for privilege in privileges
        where decisions.current.canAsk(for: privilege, client) {
            guard await broker.decide(privilege, for: client) else { break }
            decided += decisions.current.records(of: client.name).filter {
                $0.privilege == privilege && $0.run == run
            }
        }
        return decided
    }

    // MARK: - Decisions

    /// The owner's decisions as of now.
    public var permissions: Permissions { decisions.current }

    /// The decisions that hold now for a client that was identified by its token.
    ///
    /// Decisions about another app of the same name, and decisions for other runs, are left out.
    ///
    /// - Returns: an empty list for the owner, who needs no decisions, even if an app has the owner's name.
    /// - Throws: `invalidToken` when its run has ended or its app was removed since it was identified.
    public func records(for client: Client) throws(AuthError) -> [PermissionRecord] {
        guard client.kind != .owner else { return [] }
        guard tokens.isValid(client) else {
            throw AuthError(.invalidToken, "The token of \(client.name) is no longer valid.")
        }
        let records = decisions.current.records(of: client.name).filter { $0.applies(to: client) }
        return client.attenuation.map { records.flatMap($0.narrowed) } ?? records
    }

    /// Stores a decision; it has taken effect when this returns.
    ///
    /// A lasting decision replaces those for single runs. A revocation has taken effect even if this
    /// throws because it could not be stored.
    ///
    /// - Parameters:
    ///   - run: the run to which `allowOnce` and `denyOnce` apply, or in which the owner was asked;
    ///     it must still be in progress.
    ///   - isAnswer: whether the owner was asked; after two `denyOnce` answers the owner is not
    ///     asked again.
    ///   - choice: the sensors of the kind to which the decision is limited; replaces ``Terms/only``.
    /// - Throws: `notFound` for an unknown client or run; `invalidPrivilege` when the terms exceed the
    ///   privilege or name sensors of another kind; `restricted` when the policy blocks it;
    ///   `diskFull`, `storeFailed`.
    public func decide(
        _ decision: Decision, on privilege: PrivilegeID, by client: String, run: String? = nil,
        isAnswer: Bool = false, among choice: InstanceChoice? = nil
    ) async throws(AuthError) {
        try await serialized { () async throws(AuthError) in
            // Also after an error: a denial takes effect even if it could not be stored.
            defer { answerRequests() }
            try await decisions.decide(
                decision, on: privilege, by: client, run: run, isAnswer: isAnswer, among: choice)
        }
    }

    /// Replaces the policy, which takes effect before this returns.
    ///
    /// Open requests for privileges that it blocks are closed. Decisions stay stored.
    public func apply(_ policy: Policy) {
        decisions.apply(policy)
        answerRequests()
    }

    /// Removes the decisions about a privilege, or all of a client for `nil`; the owner is asked again.
    ///
    /// - Throws: `notFound` for an unknown client, `storeFailed`.
    public func reset(_ privilege: PrivilegeID?, of client: String) async throws(AuthError) {
        try await serialized { () async throws(AuthError) in
            try await decisions.reset(privilege, of: client)
        }
    }

    /// The privileges that an app declares; none for a client, or for an app that asks at first use.
    public func declared(by app: String) -> [PrivilegeID] {
        clients.app(app).privileges?.map(\.id) ?? []
    }

    // MARK: - Apps and runs

    /// Registers an app with its identity and declaration, or updates them.
    ///
    /// If the app has another identity than before, it inherits nothing: decisions, tokens, launch codes
    /// and stored values are removed. If it has the same identity, the decisions about the privileges that
    /// it still declares are kept.
    ///
    /// - Parameter before: the privileges that the app declared earlier, if none were recorded when it was
    ///   admitted.
    /// - Throws: `nameTaken` when a program of the owner has the name, `storeFailed`.
    public func admit(
        _ app: DeclaredApp, before: [Privilege]? = nil
    ) async throws(AuthError) {
        try await serialized { () async throws(AuthError) in
            if try await decisions.admit(app, before: before) { try await discard(app.name) }
        }
    }

    /// Registers an app without identity and declaration.
    func admit(app name: String) async throws(AuthError) {
        try await clients.add(name, as: .app)
    }

    /// The states that the privileges of an app have or, if it is not admitted, would have.
    ///
    /// - Parameter before: the privileges that the app declared earlier, if none were recorded when it was
    ///   admitted.
    public func status(of app: DeclaredApp, before: [Privilege]? = nil) -> PrivilegeStatus {
        decisions.status(of: app, before: before)
    }

    /// Checks that an app may have a name.
    ///
    /// - Throws: `nameTaken` when a program of the owner has it.
    public func checkFree(app name: String) throws(AuthError) {
        try clients.checkName(name, for: .app)
    }

    /// Removes a client with its decisions, tokens and stored values.
    ///
    /// Its tokens and decisions have ended when this returns, also when it throws.
    ///
    /// - Throws: `diskFull` or `storeFailed` when this could not be stored yet.
    public func forget(client name: String) async throws(AuthError) {
        try await serialized { () async throws(AuthError) in
            decisions.remove(client: name)
            endCalls(of: name)
            var failure: AuthError?
            do throws(AuthError) {
                try await clients.remove(name)
            } catch {
                failure = error
            }
            do throws(AuthError) {
                try await storage.erase(of: name)
            } catch {
                failure = failure ?? error
            }
            if let failure { throw failure }
        }
    }

    /// Starts a run of an app, with a token of its own.
    ///
    /// - Parameter isForeground: whether it is a foreground run.
    /// - Throws: `notFound` for an unknown app, `storeFailed`.
    public func beginRun(
        of app: String, isForeground: Bool = true
    ) async throws(AuthError) -> (run: String, token: Token) {
        try clients.checkApp(app)
        let run = RandomName.make()
        let client = Client(name: app, kind: .app, run: run, isForeground: isForeground)
        let expires = time.now().advanced(by: Self.runLifetime)
        return (run, try await tokens.issue(to: client, id: "run-\(run)", expires: expires))
    }

    /// The runs in progress, open pages included.
    public var runs: [String] { tokens.runs }

    /// Extends the token of a run.
    ///
    /// - Throws: `notFound` when the run has ended, `storeFailed`.
    public func renewRun(_ run: String) async throws(AuthError) {
        try await serialized { () async throws(AuthError) in
            try await tokens.renew(run: run, until: time.now().advanced(by: Self.runLifetime))
        }
    }

    /// Ends a run: its token and the decisions for it.
    ///
    /// - Throws: `storeFailed`.
    public func endRun(_ run: String) async throws(AuthError) {
        try await serialized { () async throws(AuthError) in
            await log.forget(run: run)
            decisions.remove(run: run)
            tokens.remove(run: run)
            requests.close { $0.run == run }
            try await clients.endRun(run)
        }
    }

    // MARK: - Pages

    /// A code that a page can exchange for a token, once.
    ///
    /// - Throws: `notFound` for an unknown app.
    public func launchCode(for page: LaunchedPage) throws(AuthError) -> String {
        if case .app(let app) = page { try clients.checkApp(app) }
        return tokens.launchCode(for: page, lifetime: Self.launchLifetime)
    }

    /// Whether a page could redeem a launch code now.
    public func hasLaunchCode(for page: LaunchedPage) -> Bool { tokens.hasLaunchCode(for: page) }

    /// A value that the host puts into a page that it serves to the owner.
    ///
    /// A launch code can be redeemed only together with a page nonce, which proves that the host served the
    /// page. The nonce is valid once, and for as long as a launch code.
    public func pageNonce(for page: LaunchedPage) -> String {
        tokens.nonce(for: page, lifetime: Self.launchLifetime)
    }

    /// Exchanges a launch code for the token of a page.
    ///
    /// The page of an app counts as a run. That of the dashboard is the owner's, and its token is never
    /// stored.
    ///
    /// - Parameters:
    ///   - code: from ``launchCode(for:)``.
    ///   - nonce: the ``pageNonce(for:)`` of the page.
    ///   - page: the page to whose origin both were sent; `nil` if that origin has no page.
    /// - Throws: `invalidToken` when either was used, has expired, or is for another page;
    ///   `tooManyAttempts`.
    public func redeem(
        launchCode code: String, nonce: String, for page: LaunchedPage?
    ) async throws(AuthError) -> Token {
        let (client, token): (Client, Token)
        switch try await checker.redeem(launchCode: code, nonce: nonce, for: page) {
        case .app(let app):
            let run = "page-\(RandomName.make())"
            client = Client(name: app, kind: .app, run: run)
            token = try await tokens.issue(
                to: client, id: run, expires: time.now().advanced(by: Self.pageLifetime))
        case .dashboard:
            client = .dashboard
            token = tokens.beginDashboardSession()
        }
        await log.note(.tokenCreated(client))
        return token
    }

    /// Whether a token is that of a session of the dashboard; it is valid only at the owner's origin.
    public func isOfDashboard(token: String) -> Bool { tokens.isOfDashboard(token) }

    /// The sessions of the dashboard, the newest first.
    ///
    /// - Parameter token: of the caller.
    public func dashboardSessions(for token: String?) -> [DashboardSession] {
        tokens.dashboardSessions(for: token)
    }

    /// Ends the session of the dashboard that has a token.
    ///
    /// - Throws: `notFound` when the token is another client's.
    public func endDashboardSession(token: String?) async throws(AuthError) {
        guard let token, tokens.endDashboardSession(token) else {
            throw AuthError(
                .notFound, "The token is not that of a session of the dashboard.",
                hint: "End all sessions with: nervous lock")
        }
        await log.note(.tokenRevoked(Client.dashboard.name))
    }

    /// Ends all sessions of the dashboard, and makes links that could start one invalid.
    ///
    /// - Returns: how many there were.
    @discardableResult
    public func endDashboardSessions() async -> Int {
        let count = tokens.endDashboardSessions()
        for _ in 0..<count { await log.note(.tokenRevoked(Client.dashboard.name)) }
        return count
    }

    // MARK: - Programs of the owner

    /// Creates a client with a token; it may do what `decide` allows.
    ///
    /// - Parameter isOwner: whether it may do everything that the owner may.
    /// - Throws: `nameTaken` when an app or another client has the name, or it is reserved;
    ///   `storeFailed`.
    public func createClient(
        _ name: String, isOwner: Bool, expires: Timestamp?
    ) async throws(AuthError) -> Token {
        guard !ReservedNames.contains(name) else {
            throw AuthError(
                .nameTaken, "The name \(name) is reserved.",
                hint: "Choose another name, such as my-\(name).")
        }
        guard clients.kind(of: name) == nil else {
            throw AuthError(
                .nameTaken, "An app or program named \(name) already exists.",
                hint: "Choose another name, or revoke it with: nervous token revoke \(name)")
        }
        let client = Client(name: name, kind: isOwner ? .owner : .client, run: nil)
        try await clients.add(name, as: client.kind)
        let token = try await tokens.issue(to: client, id: name, expires: expires)
        await log.note(.tokenCreated(client))
        return token
    }

    /// The tokens that the owner created.
    public func clientTokens() -> [TokenRecord] { tokens.ofClients }

    /// Removes a client that `createClient` made.
    ///
    /// - Throws: `notFound` when there is none, `storeFailed`.
    public func revokeClient(_ name: String) async throws(AuthError) {
        guard let kind = clients.kind(of: name), kind != .app else {
            throw AuthError(
                .notFound, "There is no token named \(name).",
                hint: "List them with: nervous token list")
        }
        do throws(AuthError) {
            try await forget(client: name)
        } catch {
            // The token is revoked although this could not be stored.
            await log.note(.tokenRevoked(name))
            throw error
        }
        await log.note(.tokenRevoked(name))
    }

    /// Starts a run of a program, with a token of its own.
    ///
    /// As for an app, the token is valid for ``runLifetime`` unless renewed, and ends with ``endRun(_:)`` or with
    /// the host. The run is in the foreground: decisions that exclude the background hold for it, and it can ask
    /// the owner for more.
    ///
    /// - Throws: `notFound` without a program of the name, `storeFailed`.
    public func beginRun(
        ofProgram name: String
    ) async throws(AuthError) -> (run: String, token: Token) {
        guard clients.kind(of: name) == .client else {
            throw AuthError(
                .notFound, "There is no program named \(name).",
                hint: "List the programs with: nervous token list")
        }
        let run = "program-\(RandomName.make())"
        let client = Client(name: name, kind: .client, run: run)
        let token = try await tokens.issue(
            to: client, id: run, expires: time.now().advanced(by: Self.runLifetime))
        await log.note(.tokenCreated(client))
        return (run, token)
    }

    /// Whether a run is in progress and belongs to a client.
    public func isRunning(_ run: String, of client: String) -> Bool {
        tokens.isRunning(run, of: client)
    }

    /// Whether a name is that of a program.
    public func isProgram(_ name: String) -> Bool { clients.kind(of: name) == .client }

    // MARK: - What apps store and send

    /// The key-value storage of an app or program.
    ///
    /// - Throws: `notFound` for the owner and for unknown clients; `storageDamaged`.
    public func storage(of client: Client) throws(AuthError) -> ClientStorage {
        try storage.storage(of: client, authority: self)
    }

    /// How much an app stores.
    ///
    /// - Throws: `storageDamaged`, `storeFailed`.
    public func storageUsage(of app: String) async throws(AuthError) -> StorageUsage {
        try await storage.usage(of: app)
    }

    /// Checks, after a write, that the client still owns its values, and removes them otherwise.
    func confirm(
        _ namespace: StorageDatabase.StorageNamespace, of client: Client
    ) async throws(AuthError) {
        try await storage.confirm(namespace, of: client)
    }

    /// A random number that identifies this machine to one app only, as long as the app is known.
    ///
    /// Data that an app creates, such as its sessions, is marked with this number. An app of another
    /// identity has another number, and so has the same app once it was removed and installed again.
    ///
    /// - Throws: `notFound` for unknown clients, `storeFailed`.
    public func deviceNumber(for client: Client) async throws(AuthError) -> String {
        try await clients.deviceNumber(of: client)
    }

    /// Posts a message of an app.
    ///
    /// - Parameter unlessVisible: whether it is dropped while a page of the app is visible.
    /// - Throws: `invalidMessage`, `tooManyMessages`.
    public func notify(
        title: String, body: String?, tag: String?, unlessVisible: Bool = false,
        from client: Client
    ) async throws(AuthError) {
        do {
            let message = try AppMessage(
                app: client.name, run: client.run, title: title, body: body, tag: tag)
            try await noticeBoard.post(message, unlessVisible: unlessVisible)
        } catch {
            throw AuthError(error)
        }
    }

    // MARK: - Private

    /// Makes a change after all changes that began earlier.
    func serialized(_ change: () async throws(AuthError) -> Void) async throws(AuthError) {
        await changes.enter()
        defer { changes.leave() }
        try await change()
    }

    /// How many changes wait for earlier ones.
    var waitingChanges: Int { changes.count }

    /// Answers the requests for which the owner is not asked any more.
    private func answerRequests() { requests.answer(from: decisions.current) }

    /// Removes everything else that belongs to a client whose decisions are removed.
    private func discard(_ name: String) async throws(AuthError) {
        endCalls(of: name)
        try await storage.erase(of: name)
    }

    /// Ends the tokens of a client, and its calls that wait for a decision.
    private func endCalls(of name: String) {
        tokens.remove(client: name)
        requests.close { $0.name == name }
    }
}
