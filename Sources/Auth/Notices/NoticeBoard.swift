import Samples

/// Passes on what the person is told at once, to whoever watches: the terminal, the desktop, streams.
///
/// Bounded: an app may say so much in a minute, refused calls are told so often, and what nobody takes
/// is dropped after a while. The access log has every call; this is no record.
public actor NoticeBoard {
    /// Messages of one app, and refused calls, that are told within a minute.
    public static let perMinute = 10
    private static let kept = 100
    private static let waiting = 64

    private var notices: [Notice] = []
    private var lastID: Int64 = 0
    private var watchers: [Int: AsyncStream<Notice>.Continuation] = [:]
    private var lastWatcher = 0
    private var messages: [String: RateLimit] = [:]
    private var refusals = RateLimit(NoticeBoard.perMinute, within: .seconds(60))
    private var isHoldingBack = false

    /// What is told from now on, after what came later than `id`, as far as it is still known.
    ///
    /// - Returns: the notices, and the number by which `unwatch` ends them.
    public func watch(after id: Int64? = nil) -> (notices: AsyncStream<Notice>, watcher: Int) {
        let (stream, watcher) = AsyncStream.makeStream(
            of: Notice.self, bufferingPolicy: .bufferingNewest(Self.waiting + Self.kept))
        lastWatcher += 1
        watchers[lastWatcher] = watcher
        if let id { for notice in notices where notice.id > id { watcher.yield(notice) } }
        return (stream, lastWatcher)
    }

    /// Ends the notices of a watcher, behind those that were told before.
    public func unwatch(_ watcher: Int) {
        watchers.removeValue(forKey: watcher)?.finish()
    }

    /// The number of the newest notice; 0 without any.
    public func last() -> Int64 { lastID }

    /// Tells a message of an app.
    ///
    /// - Throws: `tooManyMessages` when the app has said enough for now.
    func post(_ message: AppMessage, at now: Timestamp) throws(AuthError) {
        messages = messages.filter { !$0.value.isIdle(at: now) }
        var limit = messages[message.app] ?? RateLimit(Self.perMinute, within: .seconds(60))
        let wait = limit.take(at: now)
        messages[message.app] = limit
        if let wait {
            throw AuthError(
                .tooManyMessages, "An app may send \(Self.perMinute) messages a minute.",
                retryAfter: wait)
        }
        tell(.message(message), at: now)
    }

    /// Tells of a refused call; of many within a minute the first, and that there were more.
    func post(refusal message: String, operation: String, at now: Timestamp) {
        guard refusals.take(at: now) != nil else {
            isHoldingBack = false
            return tell(.refusal(message: message, operation: operation), at: now)
        }
        guard !isHoldingBack else { return }
        isHoldingBack = true
        let more = "More calls are refused than are told here; see: nervous log --refused"
        tell(.refusal(message: more, operation: "more"), at: now)
    }

    private func tell(_ content: Notice.Content, at now: Timestamp) {
        lastID = max(lastID + 1, now.microseconds)
        let notice = Notice(id: lastID, time: now, content: content)
        notices = notices.suffix(Self.kept - 1) + [notice]
        for watcher in watchers.values { watcher.yield(notice) }
    }
}
