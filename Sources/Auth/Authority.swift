import Foundation
public import Logging
public import Samples

/// Decides who may use which sensor, and keeps the decisions, the tokens and the access log.
///
/// `checkApp` is the only way to a `Grant`. Decisions are kept in memory and written through, so a
/// change is felt by the next call of a running app.
public actor Authority {
    /// Who read what; whoever hands out samples notes it here.
    public nonisolated let log: AccessLog
    /// The token of the person who started this process; never kept, dies with it.
    public nonisolated let ownerToken: Token
    /// What the person is told at once: messages of apps, and calls with a token that is wrong or not
    /// theirs.
    public nonisolated let noticeBoard = NoticeBoard()
    var viewers = ViewerTable()

    let database: AuthDatabase
    /// What apps keep for themselves.
    let storage: AppStorage
    let now: @Sendable () -> Timestamp
    private let prompter: any Prompter
    var permissions: PermissionTable
    var refusals: RefusalTable
    var tokens: TokenTable
    var clients: [String: Client.Kind]
    var apps: [String: AdmittedApp]
    var launches: [Data: Launch] = [:]
    /// Changes of decisions reach memory, file and log in one order.
    var changes = TurnQueue()
    var attempts = AttemptLimit()
    private var questions: [Question: Task<AuthError?, Never>] = [:]
    /// What apps want and nobody has answered.
    var requests = RequestTable()
    /// How long a call waits for an answer.
    let patience: Duration
    let pause: @Sendable (Duration) async throws -> Void

    /// A page that was promised a token.
    struct Launch {
        let app: String
        let end: Timestamp
    }

    /// What stands before the person now.
    private struct Question: Hashable {
        let client: Client
        let privilege: PrivilegeID
    }

    /// Opens the database at `path`, and `app-storage.sqlite` beside it; makes what is not there.
    ///
    /// - Throws: `unsafeFile` when others could open the file, `storeFailed` when it cannot be used.
    ///
    /// - Parameters:
    ///   - policy: what nobody is given while this lives.
    ///   - patience: how long a call waits for the person's answer.
    ///   - pause: sleeps.
    public init(
        path: String, policy: Policy = Policy(), prompter: any Prompter = NobodyPrompter(),
        now: @escaping @Sendable () -> Timestamp = { .now() },
        patience: Duration = .seconds(45),
        pause: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        },
        logger: Logger = Logger(label: "nervous.auth")
    ) async throws(AuthError) {
        do {
            database = try AuthDatabase(path: path)
            // What was granted for a run, that of a page included, ends with the host that it came from.
            try await database.removeRun(nil)
            let (clients, apps) = (try await database.clients(), try await database.apps())
            (self.clients, self.apps) = (clients, apps)
            permissions = PermissionTable(try await database.permissions(), policy: policy)
            refusals = RefusalTable(try await database.refusals())
            tokens = TokenTable(try await database.tokens(clients))
            storage = try AppStorage(path: Self.storagePath(besides: path))
            let owners = clients.map { name, _ in
                AppStorage.Owner(app: name, identity: apps[name]?.identity ?? "")
            }
            try await storage.sweep(besides: Set(owners))
            log = AccessLog(database, now: now, logger: logger)
        } catch {
            throw AuthError(wrapping: error, while: "opening \(path)")
        }
        self.now = now
        self.prompter = prompter
        self.patience = patience
        self.pause = pause
        ownerToken = Token()
        tokens.insert(
            TokenRecord(
                id: "this-host", client: .owner, created: now(), expires: nil,
                digest: ownerToken.digest))
    }

    /// Where what apps keep stands, by the place of the permissions.
    public static func storagePath(besides path: String) -> String {
        URL(filePath: path).deletingLastPathComponent().appending(path: "app-storage.sqlite")
            .path(percentEncoded: false)
    }

    /// Writes the access log until cancelled.
    public func run() async {
        await log.run()
    }

    // MARK: - The way in

    /// Who holds a token.
    ///
    /// - Parameter name: the app that the caller says it is; `nil` when it names none.
    /// - Throws: `missingToken`, `invalidToken`, or `nameMismatch`; each is in the log by then.
    public func identify(
        token: String?, name: String?, operation: String = "identify"
    ) async throws(AuthError) -> Client {
        try await identify(token: token, name: name, for: nil, operation: operation)
    }

    /// Whether the holder of a token may do what it wants to do with a sensor now.
    ///
    /// A declared privilege that nobody decided is put to the prompter first. Where the person chose
    /// one instance of a kind, the kind's name stands for it, and the grant is for that instance.
    ///
    /// - Parameters:
    ///   - token: what the call carried.
    ///   - name: the app that the caller says it is; `nil` when it names none.
    ///   - requested: the sensor, the access and what it is for.
    ///   - isAvailable: whether the machine has it; looked at only where the person would be asked,
    ///     who is not asked for what is not there.
    /// - Throws: `AuthError`; each refusal is in the log by then, and a mismatch among the notices.
    public func checkApp(
        token: String?, name: String?, requested: AccessRequest,
        isAvailable: @Sendable () async -> Bool = { true }
    ) async throws(AuthError) -> Grant {
        var client = try await identify(
            token: token, name: name, for: requested, operation: requested.operation)
        if client.kind == .owner {
            let access = requested.access == .write ? Access.write : .raw
            return Grant(
                client: client.name, sensor: requested.sensor, terms: Terms(access: access))
        }
        if mayAsk(requested, of: client), await isAvailable() {
            let failure = await ask(requested, of: client)
            if failure == nil, !requested.isContinuation, asksAtFirstUse(client),
                mayAsk(requested, of: client)
            {
                await awaitAnswer(requested.privilege, client)
            }
            // While the person thought about it, the token may have ended.
            client = try await identify(
                token: token, name: name, for: requested, operation: requested.operation)
            if let failure { throw failure }
        }
        let wanted = meant(requested, by: client)
        switch permissions.verdict(on: wanted, by: client, at: now()) {
        case .granted(let terms):
            return Grant(
                client: client.name, run: client.run, sensor: wanted.sensor, terms: terms)
        case .elsewhere(let privilege, let chosen):
            throw await elsewhere(wanted, client, privilege, chosen)
        case .denied(let privilege):
            throw await refuse(
                wanted, client, .denied, "You have denied \(privilege) to \(client.name).")
        case .statisticsOnly:
            throw await refuse(
                wanted, client, .statisticsOnly,
                "\(client.name) may read only statistics of \(wanted.sensor).")
        case .restricted:
            throw await restricted(
                wanted.privilege, client, operation: wanted.operation, request: wanted)
        case .notInBackground(let privilege):
            throw await refuse(
                wanted, client, .notInBackground,
                "\(client.name) may use \(privilege) only while you watch it, and nobody does.")
        case .undecided:
            if let denied = permissions.denial(of: wanted.sensor, to: client) {
                throw await refuse(
                    wanted, client, .denied, "You have denied \(denied) to \(client.name).")
            }
            if let refusal = refusals.final(wanted, of: client.name) {
                throw await refuse(
                    wanted, client, .denied,
                    "You said no to \(refusal.privilege) for \(client.name) twice, so it is not"
                        + " asked again.",
                    hint: "To be asked again: nervous permissions reset \(client.name)")
            }
            throw await refuse(
                wanted, client, .undecided,
                "Nobody has allowed \(wanted.privilege) to \(client.name).")
        }
    }

    /// Passes the owner and nobody else.
    public func checkOwner(
        token: String?, name: String?, operation: String
    ) async throws(AuthError) {
        let client = try await identify(token: token, name: name, for: nil, operation: operation)
        guard client.kind == .owner else {
            let error = AuthError(
                .ownerOnly, "Only the owner may do this, and the token belongs to \(client.name).",
                hint: "Make an owner's token with: nervous token create NAME --owner")
            await log.refuse(
                nil, operation: operation, client: client.name, reason: error.message)
            throw error
        }
    }

    // MARK: - Private

    private func identify(
        token: String?, name: String?, for request: AccessRequest?, operation: String
    ) async throws(AuthError) -> Client {
        guard let token else {
            throw await mismatch(
                .missingToken, "The call carried no token.", client: nil, request, operation)
        }
        guard let known = tokens.find(token), known.expires.map({ now() < $0 }) ?? true else {
            throw await wrongToken(
                "The token is not known here: mistyped, expired or revoked.", request, operation)
        }
        if let name, name != known.client.name {
            throw await mismatch(
                .nameMismatch, "The token of \(known.client.name) was used in the name of \(name).",
                client: known.client.name, request, operation)
        }
        return known.client
    }

    /// Puts a request to the person and keeps the answer; calls that ask the same share one question.
    ///
    /// - Returns: why the answer could not be kept.
    private func ask(_ request: AccessRequest, of client: Client) async -> AuthError? {
        let question = Question(client: client, privilege: request.privilege)
        if let asked = questions[question] { return await asked.value }
        let identity = apps[client.name]?.identity
        let asking = Task { () -> AuthError? in
            let answer = await prompter.decide(
                PermissionQuestion(
                    app: client.name, version: "", title: nil,
                    privilege: Privilege(.sensor(request.sensor, request.access), reason: ""),
                    number: 1, count: 1))
            questions[question] = nil
            // Who asked is there no longer; its answer is nobody else's.
            guard apps[client.name]?.identity == identity else { return nil }
            return await keep(answer, to: request, of: client)
        }
        questions[question] = asking
        return await asking.value
    }

    private func keep(
        _ answer: Decision?, to request: AccessRequest, of client: Client
    ) async -> AuthError? {
        // A decision that was made elsewhere meanwhile is the newer one.
        guard let answer, mayAsk(request, of: client) else { return nil }
        do throws(AuthError) {
            try await decide(
                answer, on: request.privilege, by: client.name, run: client.run, isAnswer: true)
            return nil
        } catch {
            return error
        }
    }
}
