import Samples
public import Scheduling
import Text

/// Delivers notices to watchers: the terminal, the desktop, event streams.
///
/// Bounded: an app may post ten messages a minute, refused calls are reported ten times a minute,
/// and a watcher that does not read loses the oldest notices. The access log is the complete
/// record.
///
/// ```swift
/// let (notices, watcher) = await board.watch()
/// for await notice in notices { print(notice.content) }
/// await board.unwatch(watcher)
/// ```
public actor NoticeBoard {
    /// The maximum number of messages of one app, and refused calls, within a minute.
    public static let perMinute = 10
    /// For how long a page counts as visible after it reported that it is.
    static let visibilityLease = Duration.seconds(30)
    /// The maximum number of pages of one app.
    private static let pageLimit = 100
    private static let historyLimit = 100
    private static let bufferLimit = 64

    private struct Page: Hashable {
        let app: String
        let run: String?
    }

    private let time: any TimeSource
    private var notices: [Notice] = []
    private var lastID: Int64 = 0
    private var watchers: [Int: AsyncStream<Notice>.Continuation] = [:]
    private var lastWatcher = 0
    private var messages: [String: RateLimiter<Timestamp>] = [:]
    private var refusals = RateLimiter<Timestamp>(NoticeBoard.perMinute, per: .seconds(60))
    private var hasReportedExcess = false
    /// When the visibility of each page expires.
    private var visiblePages: [Page: Timestamp] = [:]

    /// - Parameter time: the clock for the times of notices and for the rate limits.
    public init(time: any TimeSource = .system) {
        self.time = time
    }

    /// A stream of notices: those of the last hundred that are newer than `id`, then every new one.
    ///
    /// - Returns: the notices, and the number that `unwatch` takes.
    public func watch(after id: Int64? = nil) -> (notices: AsyncStream<Notice>, watcher: Int) {
        let (stream, watcher) = AsyncStream.makeStream(
            of: Notice.self,
            bufferingPolicy: .bufferingNewest(Self.bufferLimit + Self.historyLimit))
        lastWatcher += 1
        watchers[lastWatcher] = watcher
        if let id { for notice in notices where notice.id > id { watcher.yield(notice) } }
        return (stream, lastWatcher)
    }

    /// Ends the stream of a watcher after the notices that it has not read yet.
    public func unwatch(_ watcher: Int) {
        watchers.removeValue(forKey: watcher)?.finish()
    }

    /// The number of the newest notice; 0 if there is none.
    public func last() -> Int64 { lastID }

    /// Posts a message of an app.
    ///
    /// - Parameter unlessVisible: whether it is dropped while a page of the app is visible.
    /// - Throws: `tooManyMessages` when the app has reached its limit.
    public func post(
        _ message: AppMessage, unlessVisible: Bool = false
    ) throws(AppStorageError) {
        let now = time.now()
        if unlessVisible, isVisible(message.app, at: now) { return }
        messages = messages.filter { !$0.value.isIdle(at: now) }
        var limiter = messages[message.app] ?? RateLimiter(Self.perMinute, per: .seconds(60))
        let wait = limiter.admit(at: now)
        messages[message.app] = limiter
        if let wait {
            throw AppStorageError(
                .tooManyMessages, "An app may send \(Self.perMinute) messages a minute.",
                retryAfter: wait)
        }
        deliver(.message(message), at: now)
    }

    /// Posts a notice that an alert rule has fired or resolved; the rules themselves limit the number.
    public func post(alert title: String, body: String, rule: String) {
        deliver(
            .alert(
                title: title.escapedForDisplay(limit: AppMessage.titleLimit),
                body: body.escapedForDisplay(limit: AppMessage.bodyLimit), rule: rule),
            at: time.now())
    }

    /// Posts a notice about a refused call; beyond the rate limit, a single notice that more calls were
    /// refused.
    public func post(refusal message: String, operation: String) {
        let now = time.now()
        guard refusals.admit(at: now) != nil else {
            hasReportedExcess = false
            return deliver(.refusal(message: message, operation: operation), at: now)
        }
        guard !hasReportedExcess else { return }
        hasReportedExcess = true
        let more = "More calls were refused; see: nervous log --refused"
        deliver(.refusal(message: more, operation: "more"), at: now)
    }

    /// Records whether a page of an app, or the output of a program, is visible; it counts as visible for
    /// at most half a minute.
    ///
    /// - Parameter run: the run or the open page.
    public func setVisible(_ isVisible: Bool, app: String, run: String?) {
        let now = time.now()
        visiblePages = visiblePages.filter { now < $0.value }
        let page = Page(app: app, run: run)
        guard isVisible else {
            visiblePages[page] = nil
            return
        }
        guard
            visiblePages[page] != nil
                || visiblePages.keys.count(where: { $0.app == app }) < Self.pageLimit
        else { return }
        visiblePages[page] = now.advanced(by: Self.visibilityLease)
    }

    private func isVisible(_ app: String, at now: Timestamp) -> Bool {
        // A clock that was set back must not extend a lease.
        let latest = now.advanced(by: Self.visibilityLease)
        return visiblePages.contains { $0.key.app == app && now < $0.value && $0.value <= latest }
    }

    private func deliver(_ content: Notice.Content, at now: Timestamp) {
        lastID = max(lastID + 1, now.microseconds)
        let notice = Notice(id: lastID, time: now, content: content)
        notices = notices.suffix(Self.historyLimit - 1) + [notice]
        for watcher in watchers.values { watcher.yield(notice) }
    }
}
