import Foundation
import Samples

/// A page that the owner opens by a launch code.
public enum LaunchedPage: Hashable, Sendable {
    /// The page of an app.
    case app(String)
    /// The owner's dashboard, whatever an app may be named.
    case dashboard
}

/// Single-use codes that pages exchange for tokens, and the nonces of these pages.
struct LaunchCodes {
    /// By the digest of the code.
    private var codes = SingleUse()
    /// By the digest of the nonce.
    private var nonces = SingleUse()

    /// A new code for a page.
    mutating func issue(
        for page: LaunchedPage, at now: Timestamp, lifetime: Duration
    ) -> String {
        codes.issue(for: page, at: now, lifetime: lifetime)
    }

    func isWaiting(for page: LaunchedPage, at now: Timestamp) -> Bool { codes.has(page, at: now) }

    /// A new nonce for a page.
    mutating func mark(
        _ page: LaunchedPage, at now: Timestamp, lifetime: Duration
    ) -> String {
        nonces.issue(for: page, at: now, lifetime: lifetime)
    }

    /// Uses up a code and a nonce, also if only one of them is valid.
    ///
    /// - Parameter page: the page whose origin the code was sent to; `nil` if that origin has no page.
    /// - Returns: their page; `nil` when either is unknown, expired or another page's.
    mutating func redeem(
        _ code: String, nonce: String, for page: LaunchedPage?, at now: Timestamp
    ) -> LaunchedPage? {
        let (launched, served) = (codes.take(code, at: now), nonces.take(nonce, at: now))
        guard let launched, launched == served, launched == page else { return nil }
        return launched
    }

    mutating func remove(_ page: LaunchedPage) {
        codes.remove(page)
        nonces.remove(page)
    }
}

/// Single-use secrets of pages.
private struct SingleUse {
    private var items: [Data: (page: LaunchedPage, end: Timestamp)] = [:]

    mutating func issue(
        for page: LaunchedPage, at now: Timestamp, lifetime: Duration
    ) -> String {
        items = items.filter { now < $0.value.end }
        let secret = Token()
        items[secret.digest] = (page, now.advanced(by: lifetime))
        return secret.text
    }

    func has(_ page: LaunchedPage, at now: Timestamp) -> Bool {
        items.values.contains { $0.page == page && now < $0.end }
    }

    /// - Returns: the page; `nil` when the secret is unknown or expired.
    mutating func take(_ text: String, at now: Timestamp) -> LaunchedPage? {
        let item = Token(text).flatMap { items.removeValue(forKey: $0.digest) }
        guard let item, now < item.end else { return nil }
        return item.page
    }

    mutating func remove(_ page: LaunchedPage) {
        items = items.filter { $0.value.page != page }
    }
}
