import Crypto
import Foundation
import Samples
import Scheduling

/// The valid tokens, in memory and in the database.
///
/// Owned by `Authority`; its functions run on that actor.
final class TokenRegistry {
    private let store: ClientStore
    private let clients: ClientRegistry
    private let time: any TimeSource
    /// The token of the owner who started this process; no change of a client can remove it.
    private let ownerTable: TokenTable
    private var table: TokenTable
    private var launchCodes = LaunchCodes()
    private var dashboard = DashboardSessions()
    private var attenuated = AttenuatedTokenCache()

    init(
        _ tokens: [TokenRecord], ofOwner token: Token, store: ClientStore, clients: ClientRegistry,
        time: any TimeSource
    ) {
        self.store = store
        self.clients = clients
        self.time = time
        ownerTable = TokenTable([
            TokenRecord(
                id: "this-host", client: .owner, created: time.now(), expires: nil,
                digest: token.digest)
        ])
        table = TokenTable(tokens)
    }

    /// The tokens that the owner created.
    var ofClients: [TokenRecord] {
        table.all.filter {
            clients.kind(of: $0.client.name) == $0.client.kind && $0.client.kind != .app
                && $0.client.run == nil
        }
    }

    /// The runs that have a token.
    var runs: [String] { table.all.compactMap(\.client.run) }

    /// The client that a token identifies; `nil` when it is unknown or expired.
    func client(of text: String) -> Client? {
        if text.hasPrefix(AttenuatedToken.prefix) { return client(ofAttenuated: text) }
        guard let digest = Token.digest(ofSent: text) else { return nil }
        guard let record = ownerTable.find(digest) ?? table.find(digest) else {
            return dashboard.use(text, at: time.now()) ? .dashboard : nil
        }
        return record.expires.map { time.now() < $0 } ?? true ? record.client : nil
    }

    /// The client that an attenuated token identifies: its parent's, narrowed.
    private func client(ofAttenuated text: String) -> Client? {
        guard let token = attenuated.token(text, isKnown: { table.find(rootKey: $0) != nil }),
            let record = table.find(rootKey: token.root)
        else { return nil }
        let attenuation = Attenuation(caveats: token.caveats)
        let now = time.now()
        guard [record.expires, attenuation.expires].allSatisfy({ $0.map { now < $0 } ?? true })
        else { return nil }
        return record.client.narrowed(by: attenuation)
    }

    /// Whether a client other than the owner still has the token that identified it, or the token from which
    /// that one was narrowed.
    func isValid(_ client: Client) -> Bool {
        let parent = client.narrowed(by: nil)
        return table.all.contains { $0.client == parent }
    }

    /// The app or program whose run it is.
    func client(ofRun run: String) -> Client? {
        table.all.first { $0.client.run == run }?.client
    }

    func isRunning(_ run: String, of client: String) -> Bool {
        table.all.contains { $0.client.name == client && $0.client.run == run }
    }

    /// Creates and stores a token.
    nonisolated(nonsending) func issue(
        to client: Client, id: String, expires: Timestamp?
    ) async throws(AuthError) -> Token {
        let token = Token()
        try await store(
            TokenRecord(
                id: id, client: client, created: time.now(), expires: expires,
                digest: token.digest,
                rootKey: client.kind == .client && client.run == nil
                    ? token.rootPublicKey : nil))
        return token
    }

    /// Extends the token of a run.
    ///
    /// - Throws: `notFound` when the run has ended.
    nonisolated(nonsending) func renew(
        run: String, until expires: Timestamp
    ) async throws(AuthError) {
        guard let old = table.all.first(where: { $0.client.run == run }) else {
            throw AuthError(.notFound, "The run \(run) has ended.")
        }
        try await store(
            TokenRecord(
                id: old.id, client: old.client, created: old.created, expires: expires,
                digest: old.digest))
    }

    /// A code for a page.
    func launchCode(for page: LaunchedPage, lifetime: Duration) -> String {
        launchCodes.issue(for: page, at: time.now(), lifetime: lifetime)
    }

    /// Whether a code for a page can be redeemed now.
    func hasLaunchCode(for page: LaunchedPage) -> Bool {
        launchCodes.isWaiting(for: page, at: time.now())
    }

    /// A nonce for a page that the host serves.
    func nonce(for page: LaunchedPage, lifetime: Duration) -> String {
        launchCodes.mark(page, at: time.now(), lifetime: lifetime)
    }

    /// Uses up a launch code and the nonce of a page.
    ///
    /// - Returns: their page; `nil` when either is unknown, expired or another page's.
    func redeem(
        launchCode code: String, nonce: String, for page: LaunchedPage?
    ) -> LaunchedPage? {
        launchCodes.redeem(code, nonce: nonce, for: page, at: time.now())
    }

    /// Starts a session of the dashboard.
    func beginDashboardSession() -> Token { dashboard.begin(at: time.now()) }

    func isOfDashboard(_ token: String) -> Bool { dashboard.contains(token, at: time.now()) }

    /// The sessions of the dashboard, the newest first.
    func dashboardSessions(for token: String?) -> [DashboardSession] {
        dashboard.all(for: token, at: time.now())
    }

    /// Ends the session of the dashboard that has a token; whether there was one.
    func endDashboardSession(_ token: String) -> Bool { dashboard.end(token) }

    /// Ends all sessions of the dashboard, also those that a launch code could start.
    ///
    /// - Returns: how many there were.
    func endDashboardSessions() -> Int {
        launchCodes.remove(.dashboard)
        return dashboard.endAll()
    }

    /// Removes the tokens and launch codes of a client.
    func remove(client: String) {
        table.remove(client: client)
        launchCodes.remove(.app(client))
    }

    func remove(run: String) { table.remove(run: run) }

    nonisolated(nonsending) private func store(_ record: TokenRecord) async throws(AuthError) {
        let identity = clients.identity(of: record.client.name)
        do {
            try await store.store(record)
        } catch {
            throw AuthError(wrapping: error, while: "storing a token")
        }
        // The client may have been removed or replaced during the write.
        guard clients.kind(of: record.client.name) == record.client.kind,
            clients.identity(of: record.client.name) == identity
        else { throw AuthError(.notFound, "\(record.client.name) was removed.") }
        table.insert(record)
    }
}

/// Tokens by digest.
struct TokenTable: Sendable {
    private var records: [Data: TokenRecord] = [:]
    /// The digests of the tokens that have a root key, by this key.
    private var digests: [Data: Data] = [:]

    init(_ tokens: [TokenRecord]) {
        for token in tokens { insert(token) }
    }

    /// Sorted by identifier.
    var all: [TokenRecord] { records.values.sorted { $0.id < $1.id } }

    /// The record of a token that a caller sent.
    ///
    /// The look-up is by SHA-256, so its timing reveals something about the digest only, not about
    /// the token; the digests are then compared in constant time.
    func find(_ sent: SHA256.Digest) -> TokenRecord? {
        guard let record = records[Data(sent)] else { return nil }
        return sent == record.digest ? record : nil
    }

    /// The record of the token from which a token with this root was narrowed.
    func find(rootKey: Data) -> TokenRecord? { digests[rootKey].flatMap { records[$0] } }

    mutating func insert(_ token: TokenRecord) {
        records[token.digest] = token
        if let key = token.rootKey { digests[key] = token.digest }
    }

    mutating func remove(client: String) { keep { $0.client.name != client } }

    mutating func remove(run: String) { keep { $0.client.run != run } }

    private mutating func keep(_ isKept: (TokenRecord) -> Bool) {
        records = records.filter { isKept($0.value) }
        digests = digests.filter { records[$0.value] != nil }
    }
}

/// The attenuated tokens whose signatures were verified, so that each is verified once.
struct AttenuatedTokenCache {
    private static let limit = 1_024

    private var verified: [SHA256.Digest: AttenuatedToken] = [:]

    /// The token of a text, if its signatures are valid.
    ///
    /// - Parameter isKnown: whether a root key is that of a valid token; otherwise nothing is verified.
    mutating func token(_ text: String, isKnown: (Data) -> Bool) -> AttenuatedToken? {
        let digest = SHA256.hash(data: Data(text.utf8))
        if let token = verified[digest] { return token }
        guard let token = AttenuatedToken(text), isKnown(token.root), token.isAuthentic else {
            return nil
        }
        if verified.count >= Self.limit { verified = [:] }
        verified[digest] = token
        return token
    }
}
