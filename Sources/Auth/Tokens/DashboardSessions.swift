import Foundation
public import Samples

/// A session of the dashboard: the time in which a browser is signed in to it, with a token of its own.
public struct DashboardSession: Hashable, Sendable {
    /// When the browser was signed in.
    public let began: Timestamp
    /// When its token was last used.
    public internal(set) var used: Timestamp
    /// Whether it is the session of the caller.
    public internal(set) var isCallers = false
}

/// The sessions of the dashboard, in memory only: they end with the host.
///
/// A session also ends after `idleLimit` without a call. If there are more than `countLimit`, the one
/// that was used least recently ends.
struct DashboardSessions: Sendable {
    static let idleLimit = Duration.seconds(30 * 24 * 3600)
    static let countLimit = 64

    /// By the digest of the token.
    private var sessions: [Data: DashboardSession] = [:]

    /// Starts a session.
    mutating func begin(at now: Timestamp) -> Token {
        removeUnused(at: now)
        let token = Token()
        sessions[token.digest] = DashboardSession(began: now, used: now)
        while sessions.count > Self.countLimit {
            let others = sessions.filter { $0.key != token.digest }
            guard let oldest = others.min(by: { $0.value.used < $1.value.used }) else { break }
            sessions[oldest.key] = nil
        }
        return token
    }

    /// Whether a token is that of a session; if so, records the session as used now.
    mutating func use(_ token: String, at now: Timestamp) -> Bool {
        guard let digest = Token(token)?.digest, let session = sessions[digest] else {
            return false
        }
        guard now < session.used.advanced(by: Self.idleLimit) else {
            sessions[digest] = nil
            return false
        }
        sessions[digest]?.used = max(session.used, now)
        return true
    }

    /// Whether a token is that of a session.
    func contains(_ token: String, at now: Timestamp) -> Bool {
        guard let digest = Token(token)?.digest, let session = sessions[digest] else {
            return false
        }
        return now < session.used.advanced(by: Self.idleLimit)
    }

    /// The sessions, the newest first.
    ///
    /// - Parameter token: of the caller.
    mutating func all(for token: String?, at now: Timestamp) -> [DashboardSession] {
        removeUnused(at: now)
        let own = token.flatMap { Token($0)?.digest }
        return sessions.map { digest, session in
            var session = session
            session.isCallers = digest == own
            return session
        }.sorted { ($0.began, $0.used) > ($1.began, $1.used) }
    }

    /// Ends a session.
    ///
    /// - Returns: whether the token was that of one.
    mutating func end(_ token: String) -> Bool {
        guard let digest = Token(token)?.digest else { return false }
        return sessions.removeValue(forKey: digest) != nil
    }

    /// Ends all sessions.
    ///
    /// - Returns: how many there were.
    mutating func endAll() -> Int {
        defer { sessions = [:] }
        return sessions.count
    }

    private mutating func removeUnused(at now: Timestamp) {
        sessions = sessions.filter { now < $0.value.used.advanced(by: Self.idleLimit) }
    }
}
