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
    /// What the person should see at once: calls with a token that is wrong or not theirs.
    public nonisolated let notices: AsyncStream<SecurityNotice>

    let database: AuthDatabase
    let now: @Sendable () -> Timestamp
    private let prompter: any Prompter
    private let noticing: AsyncStream<SecurityNotice>.Continuation
    var permissions: PermissionTable
    var tokens: TokenTable
    var clients: [String: Client.Kind]
    var launches: [Data: Launch] = [:]

    /// A page that was promised a token.
    struct Launch {
        let app: String
        let end: Timestamp
    }

    /// Opens the database at `path`, and makes it when it is not there.
    ///
    /// - Throws: `unsafeFile` when others could open the file, `storeFailed` when it cannot be used.
    public init(
        path: String, prompter: any Prompter = NobodyPrompter(),
        now: @escaping @Sendable () -> Timestamp = { .now() },
        logger: Logger = Logger(label: "nervous.auth")
    ) async throws(AuthError) {
        do {
            database = try AuthDatabase(path: path)
            // What was granted for a run or a page ends with the host that it came from.
            try await database.removeRun(nil)
            try await database.removePages()
            clients = try await database.clients()
            permissions = PermissionTable(try await database.permissions())
            tokens = TokenTable(try await database.tokens(clients))
            log = try await AccessLog(database, logger: logger)
        } catch {
            throw AuthError(wrapping: error, while: "opening \(path)")
        }
        self.now = now
        self.prompter = prompter
        ownerToken = Token()
        tokens.insert(
            TokenRecord(
                id: "this-host", client: .owner, created: now(), expires: nil,
                digest: ownerToken.digest))
        (notices, noticing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
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
    /// A declared privilege that nobody decided is put to the prompter first.
    ///
    /// - Parameters:
    ///   - token: what the call carried.
    ///   - name: the app that the caller says it is; `nil` when it names none.
    ///   - requested: the sensor, the access and what it is for.
    /// - Throws: `AuthError`; each refusal is in the log by then, and a mismatch among the notices.
    public func checkApp(
        token: String?, name: String?, requested: AccessRequest
    ) async throws(AuthError) -> Grant {
        let client = try await identify(
            token: token, name: name, for: requested, operation: requested.operation)
        if client.kind == .owner {
            let access = requested.access == .write ? Access.write : .raw
            return Grant(
                client: client.name, sensor: requested.sensor, terms: Terms(access: access))
        }
        var verdict = permissions.verdict(on: requested, by: client, at: now())
        if verdict == .undecided, let asked = await ask(requested, of: client) {
            try await decide(asked, on: requested.privilege, by: client.name, run: client.run)
            verdict = permissions.verdict(on: requested, by: client, at: now())
        }
        switch verdict {
        case .granted(let terms):
            return Grant(client: client.name, sensor: requested.sensor, terms: terms)
        case .denied(let privilege):
            throw await refuse(
                requested, client, .denied, "You have denied \(privilege) to \(client.name).")
        case .statisticsOnly:
            throw await refuse(
                requested, client, .statisticsOnly,
                "\(client.name) may read only statistics of \(requested.sensor).")
        case .undecided:
            throw await refuse(
                requested, client, .undecided,
                "Nobody has allowed \(requested.privilege) to \(client.name).")
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
            throw await mismatch(
                .invalidToken, "The token is not known here: mistyped, expired or revoked.",
                client: nil, request, operation)
        }
        if let name, name != known.client.name {
            throw await mismatch(
                .nameMismatch, "The token of \(known.client.name) was used in the name of \(name).",
                client: known.client.name, request, operation)
        }
        return known.client
    }

    private func ask(_ request: AccessRequest, of client: Client) async -> Decision? {
        await prompter.decide(
            PermissionQuestion(
                app: client.name, version: "", title: nil,
                privilege: Privilege(.sensor(request.sensor, request.access), reason: ""),
                number: 1, count: 1))
    }

    private func mismatch(
        _ code: AuthError.Code, _ message: String, client: String?, _ request: AccessRequest?,
        _ operation: String
    ) async -> AuthError {
        await log.refuse(request, operation: operation, client: client, reason: message)
        noticing.yield(SecurityNotice(time: now(), message: message, operation: operation))
        return AuthError(
            code, message, hint: "Make a token with: nervous token create NAME --allow sensor:ID")
    }

    private func refuse(
        _ request: AccessRequest, _ client: Client, _ code: AuthError.Code, _ message: String
    ) async -> AuthError {
        await log.refuse(
            request, operation: request.operation, client: client.name, reason: message)
        return AuthError(
            code, message,
            hint: "Allow it with: nervous permissions grant \(client.name) \(request.privilege)",
            privilege: request.privilege)
    }
}
