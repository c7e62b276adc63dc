public import Samples
import Text

extension Authority {
    /// How long a run's token lives without being renewed.
    public static let runLifetime = Duration.seconds(3600)

    /// Makes an app known, so that decisions about it can be kept.
    ///
    /// - Throws: `nameTaken` when a program of the owner's has the name.
    func admit(app name: String) async throws(AuthError) {
        try await admit(name, as: .app)
    }

    /// Whether an app may have a name.
    ///
    /// - Throws: `nameTaken` when a program of the owner's has it.
    public func checkFree(app name: String) throws(AuthError) {
        try checkFree(name, for: .app)
    }

    /// Forgets a client with its decisions, its tokens and what it has kept.
    public func forget(client name: String) async throws(AuthError) {
        try await inTurn { () async throws(AuthError) in try await remove(client: name) }
    }

    private func remove(client name: String) async throws(AuthError) {
        do {
            try await database.remove(client: name)
        } catch {
            throw AuthError(wrapping: error, while: "forgetting \(name)")
        }
        clients[name] = nil
        apps[name] = nil
        permissions.remove(client: name)
        refusals.remove(client: name)
        tokens.remove(client: name)
        dropRequests { $0.name == name }
        launches = launches.filter { $0.value.app != name }
        try await eraseStorage(of: name)
    }

    /// A new run of an app, with a token of its own that dies with it.
    ///
    /// - Parameter isWatched: whether a person sees what it does; grants may be limited to that.
    public func beginRun(
        of app: String, isWatched: Bool = true
    ) async throws(AuthError) -> (run: String, token: Token) {
        let run = RandomName.make()
        let client = Client(name: app, kind: .app, run: run, isWatched: isWatched)
        guard clients[app] == .app else {
            throw AuthError(.notFound, "There is no app named \(app).")
        }
        let expires = now().advanced(byMicroseconds: Self.runLifetime.wholeMicroseconds)
        return (run, try await issue(to: client, id: "run-\(run)", expires: expires))
    }

    /// The runs whose tokens are kept.
    public var runs: [String] { tokens.all.compactMap(\.client.run) }

    /// Lets the token of a run live on.
    ///
    /// - Throws: `notFound` when the run has ended.
    public func renewRun(_ run: String) async throws(AuthError) {
        guard let old = tokens.all.first(where: { $0.client.run == run }) else {
            throw AuthError(.notFound, "The run \(run) has ended.")
        }
        let expires = now().advanced(byMicroseconds: Self.runLifetime.wholeMicroseconds)
        try await inTurn { () async throws(AuthError) in
            // A run that ended while this waited must not come back.
            guard tokens.all.contains(where: { $0.client.run == run }) else {
                throw AuthError(.notFound, "The run \(run) has ended.")
            }
            try await keep(
                TokenRecord(
                    id: old.id, client: old.client, created: old.created, expires: expires,
                    digest: old.digest))
        }
    }

    /// Ends what was granted for one run, and its token.
    public func endRun(_ run: String) async throws(AuthError) {
        try await inTurn { () async throws(AuthError) in try await end(run) }
    }

    private func end(_ run: String) async throws(AuthError) {
        await log.forget(run: run)
        permissions.remove(run: run)
        tokens.remove(run: run)
        dropRequests { $0.run == run }
        do {
            try await database.removeRun(run)
        } catch {
            throw AuthError(wrapping: error, while: "ending a run")
        }
    }

    /// A token for a program of the owner's, which may do what `decide` lets it.
    ///
    /// - Parameter isOwner: whether it may do everything the owner may.
    /// - Throws: `nameTaken` when an app or another client has the name.
    public func createClient(
        _ name: String, isOwner: Bool, expires: Timestamp?
    ) async throws(AuthError) -> Token {
        guard clients[name] == nil, name != Client.owner.name else {
            throw AuthError(
                .nameTaken, "There is already an app or a client named \(name).",
                hint: "Choose another name, or revoke it with: nervous token revoke \(name)")
        }
        let kind: Client.Kind = isOwner ? .owner : .client
        try await admit(name, as: kind)
        let client = Client(name: name, kind: kind, run: nil)
        let token = try await issue(to: client, id: name, expires: expires)
        await log.note(.tokenCreated(client))
        return token
    }

    /// The tokens in force that a person made, without the tokens.
    public func clientTokens() -> [TokenRecord] {
        tokens.all.filter { clients[$0.client.name] != nil && $0.client.kind != .app }
    }

    /// Ends a client that `createClient` made, with its decisions.
    public func revokeClient(_ name: String) async throws(AuthError) {
        guard let kind = clients[name], kind != .app else {
            throw AuthError(
                .notFound, "There is no token named \(name).",
                hint: "List them with: nervous token list")
        }
        try await forget(client: name)
        await log.note(.tokenRevoked(name))
    }

    // MARK: - Private

    private func admit(_ name: String, as kind: Client.Kind) async throws(AuthError) {
        try checkFree(name, for: kind)
        guard clients[name] == nil else { return }
        do {
            try await database.keep(client: name, kind: kind)
        } catch {
            throw AuthError(wrapping: error, while: "keeping \(name)")
        }
        clients[name] = kind
    }

    private func checkFree(_ name: String, for kind: Client.Kind) throws(AuthError) {
        guard clients[name] ?? kind == kind else {
            throw AuthError(
                .nameTaken, "There is already a client named \(name).",
                hint: "Revoke it first with: nervous token revoke \(name)")
        }
    }

    func issue(
        to client: Client, id: String, expires: Timestamp?
    ) async throws(AuthError) -> Token {
        let token = Token()
        try await keep(
            TokenRecord(
                id: id, client: client, created: now(), expires: expires, digest: token.digest))
        return token
    }

    private func keep(_ record: TokenRecord) async throws(AuthError) {
        let identity = apps[record.client.name]?.identity
        do {
            try await database.keep(record)
        } catch {
            throw AuthError(wrapping: error, while: "keeping a token")
        }
        // What was forgotten meanwhile must not come back.
        guard clients[record.client.name] == record.client.kind,
            apps[record.client.name]?.identity == identity
        else {
            throw AuthError(.notFound, "\(record.client.name) was removed.")
        }
        tokens.insert(record)
    }
}
