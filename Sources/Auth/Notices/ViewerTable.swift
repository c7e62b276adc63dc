import Samples

/// Which apps a person looks at just now, as far as their pages say so.
///
/// A page says so again and again while it is seen; one that is gone without a word counts for a while.
struct ViewerTable: Sendable {
    /// For how long a page counts that has said that it is seen.
    static let lease = Duration.seconds(30)
    /// The most pages of one app.
    private static let limit = 100

    private struct Page: Hashable {
        let app: String
        let run: String?
    }

    private var until: [Page: Timestamp] = [:]

    /// Notes what a page says of itself.
    mutating func note(_ client: Client, isVisible: Bool, at now: Timestamp) {
        until = until.filter { now < $0.value }
        let page = Page(app: client.name, run: client.run)
        guard isVisible else {
            until[page] = nil
            return
        }
        guard until[page] != nil || until.keys.count(where: { $0.app == page.app }) < Self.limit
        else { return }
        until[page] = now.advanced(byMicroseconds: Self.lease.wholeMicroseconds)
    }

    /// Whether a page of an app is seen.
    func isViewed(_ app: String, at now: Timestamp) -> Bool {
        // A clock that was put back lets nobody look for longer.
        let longest = now.advanced(byMicroseconds: Self.lease.wholeMicroseconds)
        return until.contains { $0.key.app == app && now < $0.value && $0.value <= longest }
    }
}
