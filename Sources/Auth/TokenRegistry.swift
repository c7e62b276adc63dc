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
        }
    }

    /// The runs that have a token.
    var runs: [String] { table.all.compactMap(\.client.run) }

    /// The client that a token identifies; `nil` when it is unknown or expired.
    func client(of text: String) -> Client? {
        guard let record = ownerTable.find(text) ?? table.find(text),
            record.expires.map({ time.now() < $0 }) ?? true
        else { return nil }
        return record.client
    }

    /// Whether a client other than the owner still has the token that identified it.
    func isValid(_ client: Client) -> Bool { table.all.contains { $0.client == client } }

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
                digest: token.digest))
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

    /// A code for a page of an app.
    func launchCode(for app: String, lifetime: Duration) -> String {
        launchCodes.issue(for: app, at: time.now(), lifetime: lifetime)
    }

    /// Whether a code for a page of an app can be redeemed now.
    func hasLaunchCode(for app: String) -> Bool {
        launchCodes.isWaiting(for: app, at: time.now())
    }

    /// A nonce for a page that the host serves.
    func pageNonce(for app: String, lifetime: Duration) -> String {
        launchCodes.mark(app, at: time.now(), lifetime: lifetime)
    }

    /// Uses up a launch code and the nonce of a page.
    ///
    /// - Returns: the app of both; `nil` when either is unknown, expired or another app's.
    func redeem(launchCode code: String, page: String, for app: String?) -> String? {
        launchCodes.redeem(code, page: page, for: app, at: time.now())
    }

    /// Removes the tokens and launch codes of a client.
    func remove(client: String) {
        table.remove(client: client)
        launchCodes.remove(app: client)
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

    init(_ tokens: [TokenRecord]) {
        for token in tokens { insert(token) }
    }

    /// Sorted by identifier.
    var all: [TokenRecord] { records.values.sorted { $0.id < $1.id } }

    /// The record of a token that a caller sent.
    ///
    /// The look-up is by SHA-256, so its timing reveals something about the digest only, not about
    /// the token; the digests are then compared in constant time.
    func find(_ text: String) -> TokenRecord? {
        guard let token = Token(text) else { return nil }
        let sent = SHA256.hash(data: Data(token.text.utf8))
        guard let record = records[Data(sent)] else { return nil }
        return sent == record.digest ? record : nil
    }

    mutating func insert(_ token: TokenRecord) {
        records[token.digest] = token
    }

    mutating func remove(client: String) {
        records = records.filter { $0.value.client.name != client }
    }

    mutating func remove(run: String) {
        records = records.filter { $0.value.client.run != run }
    }
}

/// Single-use codes that pages exchange for tokens, and the nonces of these pages.
private struct LaunchCodes {
    /// By the digest of the code.
    private var codes = SingleUse()
    /// By the digest of the nonce.
    private var pages = SingleUse()

    /// A new code for a page of an app.
    mutating func issue(for app: String, at now: Timestamp, lifetime: Duration) -> String {
        codes.issue(for: app, at: now, lifetime: lifetime)
    }

    func isWaiting(for app: String, at now: Timestamp) -> Bool { codes.has(app, at: now) }

    /// A new nonce for a page of an app.
    mutating func mark(_ app: String, at now: Timestamp, lifetime: Duration) -> String {
        pages.issue(for: app, at: now, lifetime: lifetime)
    }

    /// Uses up a code and a nonce, also if only one of them is valid.
    ///
    /// - Returns: the app of both; `nil` when either is unknown, expired or another app's.
    mutating func redeem(
        _ code: String, page: String, for app: String?, at now: Timestamp
    ) -> String? {
        let (launched, served) = (codes.take(code, at: now), pages.take(page, at: now))
        guard let launched, launched == served, launched == app else { return nil }
        return launched
    }

    mutating func remove(app: String) {
        codes.remove(app)
        pages.remove(app)
    }
}

/// Single-use secrets of apps.
private struct SingleUse {
    private var items: [Data: (app: String, end: Timestamp)] = [:]

    mutating func issue(for app: String, at now: Timestamp, lifetime: Duration) -> String {
        items = items.filter { now < $0.value.end }
        let secret = Token()
        items[secret.digest] = (app, now.advanced(by: lifetime))
        return secret.text
    }

    func has(_ app: String, at now: Timestamp) -> Bool {
        items.values.contains { $0.app == app && now < $0.end }
    }

    /// - Returns: the app; `nil` when the secret is unknown or expired.
    mutating func take(_ text: String, at now: Timestamp) -> String? {
        let item = Token(text).flatMap { items.removeValue(forKey: $0.digest) }
        guard let item, now < item.end else { return nil }
        return item.app
    }

    mutating func remove(_ app: String) {
        items = items.filter { $0.value.app != app }
    }
}
